// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/host/metrics/metrics_history.hpp"
#include "tactor/host/snapshot/json_writer.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

/// Sums since the start of a system, at the end of one point of its history.
struct point_sums {
  std::uint64_t sent = 0;
  std::uint64_t handled = 0;
  std::uint64_t dead_letters = 0;
  std::uint64_t failures = 0;
  std::uint64_t restarts = 0;

  [[nodiscard]] static point_sums of(const metrics_snapshot& all) noexcept;
  /// The sums before what happened in `point`.
  [[nodiscard]] point_sums before(const metrics_point& point) const noexcept;
};

/// Writes one point: sums since the start, and what was measured in its time.
void write_point(json_writer& to, const metrics_point& point, const point_sums& sums) noexcept;

/// Writes the points of the last `seconds`, the oldest first. Throws: std::bad_alloc.
void write_history(const recorded_metrics& all, std::uint64_t now_ns, std::uint64_t seconds,
                   text_sink& to);

}  // namespace tactor::inline v0::internal
