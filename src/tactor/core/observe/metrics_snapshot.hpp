// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/drop_reason.hpp"

#include <array>
#include <cstdint>
#include <utility>

namespace tactor::inline v0 {

/// The sums of all threads' `worker_counters`. The threads continue meanwhile, so the numbers are
/// of slightly different moments; none ever falls from one scrape to the next.
struct metrics_snapshot {
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_handled = 0;
  std::uint64_t system_messages_handled = 0;
  std::uint64_t turns = 0;
  std::uint64_t yields = 0;
  std::uint64_t actors_started = 0;
  std::uint64_t actors_stopped = 0;
  std::uint64_t failures = 0;
  std::uint64_t restarts = 0;
  std::uint64_t suspensions = 0;
  std::uint64_t resumes = 0;
  std::uint64_t dead_letters_suppressed = 0;
  std::array<std::uint64_t, drop_reasons> dead_letters{};

  /// For one reason.
  [[nodiscard]] constexpr std::uint64_t dead_letters_for(drop_reason why) const noexcept {
    return dead_letters[std::to_underlying(why)];
  }
  /// For all reasons together.
  [[nodiscard]] constexpr std::uint64_t all_dead_letters() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t each : dead_letters)
      sum += each;
    return sum;
  }
  /// An actor may have stopped on one thread before its start on another thread was read: then 0.
  [[nodiscard]] constexpr std::uint64_t actors_alive() const noexcept {
    return actors_started > actors_stopped ? actors_started - actors_stopped : 0;
  }

  friend constexpr bool operator==(const metrics_snapshot&,
                                   const metrics_snapshot&) noexcept = default;
};

}  // namespace tactor::inline v0
