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
      : budget_ns_(kind == clock_kind::deterministic ? 0
                                                     : realtime_budget(resolution, budget_percent)),
        ticks_per_second_(ticks_of_a_second(resolution)),
        late_polls_(kind == clock_kind::deterministic ? 1 : 8) {}

  /// Records a poll at `now` with something due `late_ns` before. Returns: how late, if that is
  /// worth a warning: after enough polls in a row over the budget, and at most once per second.
  [[nodiscard]] std::optional<std::uint64_t> note(tick now, std::uint64_t late_ns) noexcept {
    last_ns_ = late_ns;
    if (late_ns > worst_ns_) worst_ns_ = late_ns;
    in_a_row_ = late_ns > budget_ns_ ? in_a_row_ + 1 : 0;
    if (in_a_row_ < late_polls_) return std::nullopt;
    const bool too_soon = warned_ && ticks_between(warned_at_, now) < ticks_per_second_;
    if (too_soon) return std::nullopt;
    in_a_row_ = 0;
    warned_ = true;
    warned_at_ = now;
    return late_ns;
  }

  [[nodiscard]] std::uint64_t last_ns() const noexcept { return last_ns_; }
  [[nodiscard]] std::uint64_t worst_ns() const noexcept { return worst_ns_; }
  [[nodiscard]] std::uint64_t budget_ns() const noexcept { return budget_ns_; }

private:
  static std::uint32_t ticks_of_a_second(duration resolution) noexcept {
    constexpr std::uint64_t second_ns = 1'000'000'000;
    const auto tick_ns =
        static_cast<std::uint64_t>(resolution.nanoseconds());  // unsigned: as elsewhere
    return static_cast<std::uint32_t>(port::divide(second_ns - 1, tick_ns).quotient + 1);
  }
  /// A share of a tick. Where none was wanted, it is no less than the usual jitter of an operating
  /// system.
  static std::uint64_t realtime_budget(duration resolution,
                                       std::optional<std::uint32_t> percent) noexcept {
    constexpr std::uint64_t least_ns = 500'000;
    const auto tick_ns = static_cast<std::uint64_t>(resolution.nanoseconds());
    const std::uint64_t share_ns = port::divide(tick_ns * percent.value_or(5), 100).quotient;
    return percent || share_ns > least_ns ? share_ns : least_ns;
  }

  std::uint64_t budget_ns_;
  std::uint64_t last_ns_ = 0;
  std::uint64_t worst_ns_ = 0;
  tick warned_at_;
  std::uint32_t ticks_per_second_;
  unsigned in_a_row_ = 0;
  unsigned late_polls_;  // in a row that are worth a warning: a real clock is never quiet
  bool warned_ = false;
};

}  // namespace tactor::inline v0::internal
