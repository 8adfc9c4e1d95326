// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_word.hpp"

#include <cstdint>
#include <utility>

namespace tactor::inline v0 {

/// A handle on a scheduled job: one pointer, copied freely; the copies are equal. Letting go of it
/// does not cancel. Safe to keep for ever, also after the job and the scheduler are gone. While it
/// is kept, the job's record is not used again. Context: any thread; one handle object by one
/// thread at a time.
class cancellable {
public:
  /// A handle on nothing: neither cancelled nor completed, and not to be cancelled.
  cancellable() noexcept = default;

  cancellable(const cancellable& other) noexcept : record_(other.record_) {
    if (record_ != nullptr) record_->hold();
  }
  cancellable(cancellable&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  cancellable& operator=(const cancellable& other) noexcept { return *this = cancellable{other}; }
  cancellable& operator=(cancellable&& other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  ~cancellable() {
    if (record_ != nullptr) record_->let_go();
  }

  /// Ends the job unless it has ended or its one run has begun. On success what it would have run
  /// or sent is destroyed before the call returns (a run in progress keeps it until it is through)
  /// and no further run begins. Returns: true for the one call that did it.
  bool cancel() noexcept { return record_ != nullptr && record_->cancel(); }

  /// Whether somebody cancelled the job, the runtime included.
  [[nodiscard]] bool is_cancelled() const noexcept {
    return state() == internal::timer_state::cancelled;
  }
  /// Whether the job came to its own end.
  [[nodiscard]] bool is_completed() const noexcept {
    return state() == internal::timer_state::completed;
  }
  [[nodiscard]] internal::timer_state state() const noexcept {
    return record_ == nullptr ? internal::timer_state::unused : record_->now().state();
  }
  /// Names the job in events, logs and dumps; 0 for none.
  [[nodiscard]] std::uint64_t id() const noexcept { return record_ == nullptr ? 0 : record_->id(); }

  friend bool operator==(const cancellable&, const cancellable&) noexcept = default;

private:
  friend class scheduler;
  explicit cancellable(internal::timer_record& held) noexcept : record_(&held) {}

  internal::timer_record* record_ = nullptr;
};

/// A handle that cancels when it goes.
class scoped_cancellable {
public:
  scoped_cancellable() noexcept = default;
  explicit scoped_cancellable(cancellable handle) noexcept : handle_(std::move(handle)) {}
  scoped_cancellable(scoped_cancellable&&) noexcept = default;
  scoped_cancellable& operator=(scoped_cancellable&& other) noexcept {
    if (this != &other) {
      handle_.cancel();
      handle_ = std::move(other.handle_);
    }
    return *this;
  }
  scoped_cancellable(const scoped_cancellable&) = delete;
  scoped_cancellable& operator=(const scoped_cancellable&) = delete;
  ~scoped_cancellable() { handle_.cancel(); }

  [[nodiscard]] const cancellable& get() const noexcept { return handle_; }
  /// Gives the handle away without cancelling.
  [[nodiscard]] cancellable release() noexcept { return std::exchange(handle_, {}); }

private:
  cancellable handle_;
};

}  // namespace tactor::inline v0
