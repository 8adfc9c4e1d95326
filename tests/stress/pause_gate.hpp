// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace tactor::stress {

/// Lets a test stop all threads that disturb a system, look at it, and let them go on.
class pause_gate {
public:
  /// Waits while the gate is closed. Called by the threads, between two steps.
  void pass() {
    if (!closed_.load()) return;
    std::unique_lock lock{mutex_};
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !closed_.load(); });
    --waiting_;
    changed_.notify_all();
  }
  /// Calls `look` while `threads` threads wait at the gate: no other thread may pass it.
  template <class Look>
  void while_closed(std::size_t threads, Look look) {
    std::unique_lock lock{mutex_};
    closed_.store(true);
    changed_.wait(lock, [&] { return waiting_ == threads; });
    lock.unlock();
    look();
    lock.lock();
    closed_.store(false);
    changed_.notify_all();
    changed_.wait(lock, [this] { return waiting_ == 0; });
  }

private:
  std::atomic<bool> closed_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  // protected by mutex_
  std::size_t waiting_ = 0;
};

}  // namespace tactor::stress
