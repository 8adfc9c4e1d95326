// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/lock_guard.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace tactor::inline v0::internal {

/// Which trace runs, one at a time, and which was the last. `Change` is called under the lock
/// whenever one starts (with it) or ends (with null).
///
/// Thread safety: everything from any thread.
template <class Session, class Change>
class trace_switch {
public:
  explicit trace_switch(Change change) noexcept : change_(std::move(change)) {}

  /// Returns: false if one runs already.
  [[nodiscard]] bool start(std::shared_ptr<Session> fresh) noexcept {
    // The old one is destroyed with `fresh`, after the lock: it may be large.
    const lock_guard lock{mutex_};
    end_if_over();
    if (runs_) return false;
    last_.swap(fresh);
    changed(true);
    return true;
  }
  /// Ends it, if one runs.
  void stop() noexcept {
    const lock_guard lock{mutex_};
    if (runs_) changed(false);
  }
  /// Returns the last trace; null: there was none.
  [[nodiscard]] std::shared_ptr<Session> last() noexcept {
    const lock_guard lock{mutex_};
    return last_;
  }
  /// Returns the trace that runs; null: none. Ends a trace whose time has passed.
  [[nodiscard]] std::shared_ptr<Session> running() noexcept {
    const lock_guard lock{mutex_};
    end_if_over();
    return runs_ ? last_ : nullptr;
  }
  /// Calls `use(Session*)` under the lock, with the trace that runs or null. Its time may have
  /// passed.
  template <class Use>
  void with_running(Use use) noexcept {
    const lock_guard lock{mutex_};
    use(runs_ ? last_.get() : nullptr);
  }

  /// Changes whenever a trace starts or ends. A hint.
  [[nodiscard]] std::uint32_t changes() const noexcept {
    return changes_.load(relaxed);  // relaxed: a hint; what it leads to is under the lock
  }

private:
  /// Under the lock.
  void end_if_over() noexcept {
    if (runs_ && last_->is_over()) changed(false);
  }
  void changed(bool runs) noexcept {
    runs_ = runs;
    change_(runs ? last_.get() : nullptr);
    changes_.fetch_add(1, relaxed);  // relaxed: a hint
  }

  // Written by: threads that start and end traces. Read by: workers. Publishes: nothing.
  port::atomic<std::uint32_t> changes_;
  port::mutex mutex_;
  // protected by mutex_
  Change change_;
  std::shared_ptr<Session> last_;
  bool runs_ = false;
};

/// Holds what one thread knows of the switch: the trace that it has joined. Context: the thread.
template <class Session, class Buffer>
class trace_membership {
public:
  /// Returns the place where the thread records; null: no trace runs. Valid until the next call.
  /// `join(Session&)` gives the thread's buffer in a trace that it meets for the first time.
  template <class Switch, class Join>
  [[nodiscard]] Buffer* look(Switch& at, Join join) noexcept {
    if (buffer_ != nullptr && session_->is_over()) (void)at.running();  // ends it
    if (at.changes() != seen_) change(at, join);
    return buffer_;
  }

private:
  template <class Switch, class Join>
  [[gnu::noinline]] void change(Switch& at, Join join) noexcept {
    seen_ = at.changes();  // before it looks what runs: a later change is noticed at the next look
    std::shared_ptr<Session> running = at.running();
    if (running == session_) return;  // the change was seen before its hint
    session_ = std::move(running);
    buffer_ = session_ == nullptr ? nullptr : join(*session_);
  }

  std::uint32_t seen_ = 0;
  std::shared_ptr<Session> session_;
  Buffer* buffer_ = nullptr;
};

}  // namespace tactor::inline v0::internal
