// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/port/division.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

/// Measures how late a driver polls. A pure state machine: times in, warnings out. Owner only.
class drift_monitor {
public:
  /// `budget_percent` of the resolution is not late; see `scheduler_config`.
  drift_monitor(clock_kind kind, duration resolution,
                std::optional<std::uint32_t> budget_percent) noexcept
      : resolution_(resolution), budget_percent_(budget_percent), kind_(kind) {}

  /// Records a poll at `now` with something due `late_ns` before. Returns: how late, if that is
  /// worth a warning: after enough polls in a row over the budget, and at most once per second.
  [[nodiscard]] std::optional<std::uint64_t> note(tick now, std::uint64_t late_ns) noexcept {
    last_ns_ = late_ns;
    if (late_ns > worst_ns_) worst_ns_ = late_ns;
    in_a_row_ = late_ns > budget_ns() ? in_a_row_ + 1 : 0;
    // A real clock is never quiet.
    const unsigned worth_a_warning = kind_ == clock_kind::deterministic ? 1 : 8;
    if (in_a_row_ < worth_a_warning) return std::nullopt;
    const bool too_soon = warned_ && ticks_between(warned_at_, now) < ticks_of_a_second();
    if (too_soon) return std::nullopt;
    in_a_row_ = 0;
    warned_ = true;
    warned_at_ = now;
    return late_ns;
  }

  [[nodiscard]] std::uint64_t last_ns() const noexcept { return last_ns_; }
  [[nodiscard]] std::uint64_t worst_ns() const noexcept { return worst_ns_; }
  /// A share of a tick. Where none was wanted, it is no less than the usual jitter of an operating
  /// system.
  [[nodiscard]] std::uint64_t budget_ns() const noexcept {
    constexpr std::uint64_t least_ns = 500'000;
    if (kind_ == clock_kind::deterministic) return 0;
    const std::uint64_t share_ns =
        port::divide(tick_ns() * budget_percent_.value_or(5), 100).quotient;
    return budget_percent_ || share_ns > least_ns ? share_ns : least_ns;
  }

private:
  [[nodiscard]] std::uint64_t tick_ns() const noexcept {
    return static_cast<std::uint64_t>(resolution_.nanoseconds());  // unsigned: as elsewhere
  }
  [[nodiscard]] std::uint32_t ticks_of_a_second() const noexcept {
    constexpr std::uint64_t second_ns = 1'000'000'000;
    return static_cast<std::uint32_t>(port::divide(second_ns - 1, tick_ns()).quotient + 1);
  }

  duration resolution_;
  std::optional<std::uint32_t> budget_percent_;
  clock_kind kind_;
  bool warned_ = false;
  unsigned in_a_row_ = 0;
  tick warned_at_;
  std::uint64_t last_ns_ = 0;
  std::uint64_t worst_ns_ = 0;
};

}  // namespace tactor::inline v0::internal
