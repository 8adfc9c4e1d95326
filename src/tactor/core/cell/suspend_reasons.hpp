// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/suspend_reason.hpp"
#include "tactor/port/port.hpp"

#include <bit>
#include <cstdint>
#include <utility>

namespace tactor::inline v0 {

namespace internal {
class shared_suspend_reasons;
}

/// The set of reasons for which an actor is suspended. The actor runs exactly when the set is
/// empty. A value; all-zero is the empty set.
class suspend_reasons {
public:
  constexpr suspend_reasons() noexcept = default;
  constexpr explicit suspend_reasons(suspend_reason only) noexcept : bits_(bit(only)) {}

  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  /// Tells whether it is in the set.
  [[nodiscard]] constexpr bool has(suspend_reason which) const noexcept {
    return (seen() & bit(which)) != 0;
  }
  /// The first reason, in the order of their declaration. Requires: not empty.
  [[nodiscard]] constexpr suspend_reason first() const noexcept {
    return static_cast<suspend_reason>(std::countr_zero(seen()));
  }
  /// Adds a reason; no effect if it is in the set.
  constexpr void add(suspend_reason which) noexcept { bits_ |= bit(which); }
  /// Removes a reason; no effect if it is not in the set.
  constexpr void remove(suspend_reason which) noexcept {
    bits_ &= static_cast<std::uint8_t>(~bit(which));
  }
  /// Removes the first reason. Requires: not empty.
  constexpr void remove_first() noexcept {
    const suspend_reason gone = first();
    if (gone == suspend_reason::failure) resume_from_parent();
    remove(gone);
  }

  // A parent that fails suspends its children: they are suspended by a failure, but not their own.
  [[nodiscard]] constexpr bool suspended_by_parent() const noexcept {
    return (bits_ & parent_bit) != 0;
  }
  [[nodiscard]] constexpr bool failed_itself() const noexcept {
    return (bits_ & bit(suspend_reason::failure)) != 0;
  }
  /// Tells whether there is a reason other than its own failure.
  [[nodiscard]] constexpr bool has_more_than_failure() const noexcept {
    return (bits_ & ~bit(suspend_reason::failure)) != 0;
  }
  /// The parent has failed.
  constexpr void suspend_by_parent() noexcept { bits_ |= parent_bit; }
  /// The parent has recovered.
  constexpr void resume_from_parent() noexcept { bits_ &= static_cast<std::uint8_t>(~parent_bit); }

  friend constexpr bool operator==(suspend_reasons, suspend_reasons) noexcept = default;

private:
  friend class internal::shared_suspend_reasons;

  static constexpr std::uint8_t bit(suspend_reason which) noexcept {
    return static_cast<std::uint8_t>(1U << std::to_underlying(which));
  }
  static constexpr std::uint8_t parent_bit = 1U << 7U;

  [[nodiscard]] constexpr std::uint8_t seen() const noexcept {
    const auto own = static_cast<std::uint8_t>(bits_ & ~parent_bit);
    return suspended_by_parent() ? static_cast<std::uint8_t>(own | bit(suspend_reason::failure))
                                 : own;
  }

  std::uint8_t bits_ = 0;
};

namespace internal {

/// The reasons of one actor, which one thread at a time changes and any thread may read.
/// Context: the worker that runs the cell; for others the value is a hint.
class shared_suspend_reasons {
public:
  constexpr shared_suspend_reasons() noexcept = default;
  shared_suspend_reasons& operator=(suspend_reasons all) noexcept {
    bits_.store(all.bits_, relaxed);  // relaxed: a hint
    return *this;
  }

  /// All of them. Context: any thread.
  [[nodiscard]] suspend_reasons all() const noexcept {
    suspend_reasons copy;
    copy.bits_ = bits_.load(relaxed);  // relaxed: a hint
    return copy;
  }
  // See `suspend_reasons`.
  [[nodiscard]] bool empty() const noexcept { return all().empty(); }
  [[nodiscard]] bool has(suspend_reason which) const noexcept { return all().has(which); }
  [[nodiscard]] suspend_reason first() const noexcept { return all().first(); }
  [[nodiscard]] bool suspended_by_parent() const noexcept { return all().suspended_by_parent(); }
  [[nodiscard]] bool failed_itself() const noexcept { return all().failed_itself(); }
  [[nodiscard]] bool has_more_than_failure() const noexcept {
    return all().has_more_than_failure();
  }
  void add(suspend_reason which) noexcept {
    suspend_reasons more = all();
    more.add(which);
    *this = more;
  }
  void remove(suspend_reason which) noexcept {
    suspend_reasons fewer = all();
    fewer.remove(which);
    *this = fewer;
  }

private:
  // Written by: the worker that runs the cell. Read by: it, observers. Publishes: nothing.
  port::atomic<std::uint8_t> bits_;
};

}  // namespace internal

static_assert(suspend_reasons{}.empty());
static_assert(suspend_reasons{suspend_reason::rate_limit}.first() == suspend_reason::rate_limit);

}  // namespace tactor::inline v0
