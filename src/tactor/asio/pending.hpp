// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

namespace tactor::inline v0::io {

/// An operation of this component that can be cancelled. For its parts.
class cancellable_operation {
public:
  cancellable_operation(const cancellable_operation&) = delete;
  cancellable_operation& operator=(const cancellable_operation&) = delete;
  virtual ~cancellable_operation() = default;
  /// Cancels the operation with this number, if it has not ended.
  virtual void cancel(std::uint64_t number) noexcept = 0;

protected:
  cancellable_operation() = default;
};

/// An operation that has begun. Destroying it cancels the operation and destroys its callback without a call; it does not
/// wait for a callback that another thread is calling. An actor keeps it as a member, a coroutine in a variable: so what the
/// actor has begun ends with it when it stops or restarts.
///
/// Thread safety: one thread at a time, any thread.
class [[nodiscard]] pending {
public:
  /// Nothing.
  pending() noexcept = default;
  /// For the parts of this component.
  pending(std::shared_ptr<cancellable_operation> what, std::uint64_t number) noexcept
      : what_(std::move(what)), number_(number) {}
  pending(pending&&) noexcept = default;
  pending(const pending&) = delete;
  pending& operator=(const pending&) = delete;
  /// Cancels what it was.
  pending& operator=(pending&& other) noexcept {
    cancel();
    what_ = std::move(other.what_);
    number_ = other.number_;
    return *this;
  }
  ~pending() { cancel(); }

  /// As the destructor does. It has no effect if the operation has ended.
  void cancel() noexcept {
    if (const auto begun = std::exchange(what_, nullptr)) begun->cancel(number_);
  }

private:
  std::shared_ptr<cancellable_operation> what_;
  std::uint64_t number_ = 0;
};

}  // namespace tactor::inline v0::io
