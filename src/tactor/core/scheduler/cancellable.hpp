// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_word.hpp"

#include <cstdint>
#include <utility>

namespace tactor::inline v0 {

namespace internal {
class weak_cancellable;
}

/// A handle to a scheduled job: one pointer, freely copied; copies compare equal. Dropping it does
/// not cancel the job. It stays valid forever, also after the job and the scheduler are gone. While
/// a handle exists, the record of its job is not reused. Context: any thread; one handle object by
/// one thread at a time.
class cancellable {
public:
  /// An empty handle: neither cancelled nor completed; `cancel` returns false.
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

  /// Ends the job unless it has ended or is a one-shot whose run has begun. On success its payload
  /// is destroyed before the call returns (a run in progress keeps it until the run is over) and no
  /// further run begins. Returns: true for exactly one call.
  bool cancel() noexcept { return record_ != nullptr && record_->cancel(); }

  /// Returns true if the job was cancelled, by a caller or by the runtime.
  [[nodiscard]] bool is_cancelled() const noexcept {
    return state() == internal::timer_state::cancelled;
  }
  /// Returns true if the job completed.
  [[nodiscard]] bool is_completed() const noexcept {
    return state() == internal::timer_state::completed;
  }
  [[nodiscard]] internal::timer_state state() const noexcept {
    return record_ == nullptr ? internal::timer_state::unused : record_->now().state();
  }
  /// Identifies the job in events, logs and dumps; 0 for an empty handle.
  [[nodiscard]] std::uint64_t id() const noexcept { return record_ == nullptr ? 0 : record_->id(); }

  friend bool operator==(const cancellable&, const cancellable&) noexcept = default;

private:
  friend class scheduler;
  friend class internal::weak_cancellable;
  explicit cancellable(internal::timer_record& held) noexcept : record_(&held) {}

  internal::timer_record* record_ = nullptr;
};

/// A handle that cancels its job on destruction.
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
  /// See `cancellable::cancel`. It does not wait for the end of the scope.
  bool cancel() noexcept { return handle_.cancel(); }
  /// Returns the handle without cancelling.
  [[nodiscard]] cancellable release() noexcept { return std::exchange(handle_, {}); }

private:
  cancellable handle_;
};

namespace internal {

/// Names a job without keeping its record, which another job may use when this one is over.
/// Context: like `cancellable`, while the scheduler exists.
class weak_cancellable {
public:
  weak_cancellable() noexcept = default;
  explicit weak_cancellable(const cancellable& of) noexcept
      : record_(of.record_), tenancy_(record_ == nullptr ? 0 : record_->tenancy.get()) {}

  /// A handle; empty if the record is no longer this job's.
  [[nodiscard]] cancellable lock() const noexcept {
    if (record_ == nullptr || !record_->try_hold()) return {};
    cancellable held{*record_};
    if (record_->tenancy.get() != tenancy_) held = {};
    return held;
  }
  /// See `cancellable::cancel`.
  bool cancel() const noexcept { return lock().cancel(); }
  /// See `cancellable::id`; 0 also if the record is no longer this job's.
  [[nodiscard]] std::uint64_t id() const noexcept { return lock().id(); }
  /// Returns true if the job has ended.
  [[nodiscard]] bool is_over() const noexcept {
    const timer_state now = lock().state();
    return now == timer_state::unused || now >= timer_state::completed;
  }

private:
  timer_record* record_ = nullptr;
  std::uint32_t tenancy_ = 0;
};

}  // namespace internal

}  // namespace tactor::inline v0
