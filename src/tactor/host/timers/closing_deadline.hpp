// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <span>
#include <thread>

namespace tactor::inline v0::internal {

/// Threads without work may take so long to end, even after the deadline.
inline constexpr std::chrono::milliseconds time_to_leave{100};

/// Waits for threads that end by themselves. The calling thread, if it is one of them, is detached.
inline void join_others(std::span<std::thread> threads) noexcept {
  for (std::thread& each : threads) {
    if (each.get_id() == std::this_thread::get_id()) {
      each.detach();
    } else if (each.joinable()) {
      each.join();
    }
  }
}

/// Says until when a shutdown waits for others. A further shutdown with an earlier deadline brings
/// it forward.
///
/// Context: everything under the lock of its owner.
class closing_deadline {
public:
  using clock = std::chrono::steady_clock;

  /// Begins the wait. If the deadline was brought forward before, that one holds, but none earlier
  /// than `time_to_leave` from now.
  void begin(clock::time_point until) noexcept {
    least_ = clock::now() + time_to_leave;
    until_ = std::min(until, std::max(earliest_, least_));
  }
  /// Begins another wait, of `time_to_leave`.
  void extend() noexcept {
    until_ = std::max(until_, clock::now()) + time_to_leave;
    least_ = until_;
  }
  /// Brings the deadline forward, also before the wait begins. The caller notifies the thread that
  /// waits.
  void bring_forward(clock::time_point until) noexcept {
    earliest_ = std::min(earliest_, until);
    until_ = std::min(until_, std::max(earliest_, least_));
  }
  /// Waits for `done()`, until the deadline. Returns: whether it holds.
  template <class Done>
  bool wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, Done done) const {
    while (!done()) {
      const clock::time_point until = until_;
      if (until == clock::time_point::max()) {
        changed.wait(lock);
      } else if (clock::now() < until) {
        changed.wait_until(lock, until);
      } else {
        return false;
      }
    }
    return true;
  }

private:
  clock::time_point until_;
  clock::time_point least_;                                // it is not brought forward beyond this
  clock::time_point earliest_ = clock::time_point::max();  // of those it was brought forward to
};

}  // namespace tactor::inline v0::internal
