// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/observe/scheduler_metrics.hpp"
#include "tactor/core/observe/worker_counters.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

namespace tactor::inline v0::internal {

/// The frames in which a board sends what can be seen of its system: `bare::frame_reporter` writes
/// them, `frame_decoder` of the host reads them.
///
/// A frame is: version, kind, number of the frame (modulo 256), fields, and a checksum of all of
/// these in two bytes, the low one first. A field is a number (seven bits in each byte, the lowest
/// first; the top bit: more follow) or a text (its length, its bytes). The whole is encoded so that
/// it has no zero byte (COBS, one block), and a zero byte ends it.
///
/// A snapshot is a frame `begin`, frames `sums`, a frame for each actor, and a frame `end`.
namespace board_frame {

/// Grows when a field is removed or changes its meaning. Fields may be added at the end of a frame,
/// and kinds of frames, without that.
inline constexpr std::uint8_t version = 1;
/// The longest frame, in bytes, before it is encoded.
inline constexpr std::size_t longest = 126;
inline constexpr std::size_t head_size = 3;
inline constexpr std::size_t checksum_size = 2;

enum class kind : std::uint8_t {
  begin = 1,  // number of the snapshot, time in ns, phase, live actors, snapshots lost, bytes of
              // stack used, size of the stack (0: unknown)
  sums = 2,   // index of the first, then the figures one after the other
  actor = 3,  // slot, generation, those of its parent, state, reasons (a bit each), since when it
              // is suspended in ns and 1 (0: unknown), waiting messages, capacity, overloaded, the
              // most that waited, path, type
  end = 4,    // how many actors were sent
};

/// The states of an actor, in the order of the texts in `actor_view`.
enum class state : std::uint8_t { running, draining, suspended, stopping, stopped };

// The figures of a system stand in four lists: what threads count (`counted_sums`), what the system
// adds, the dead letters by reason, the timers. A new figure stands at the end of its list.
inline constexpr std::uint64_t metrics_snapshot::* system_sums[] = {
    &metrics_snapshot::ready_queue_depth, &metrics_snapshot::coordinator_bytes,
    &metrics_snapshot::workers,           &metrics_snapshot::workers_draining,
    &metrics_snapshot::registry_bytes,    &metrics_snapshot::events_refused,
};
inline constexpr std::uint64_t scheduler_metrics::* timer_sums[] = {
    &scheduler_metrics::scheduled_total,        &scheduler_metrics::completed_total,
    &scheduler_metrics::cancelled_total,        &scheduler_metrics::evicted_total,
    &scheduler_metrics::undeliverable_total,    &scheduler_metrics::active_total,
    &scheduler_metrics::periodic_total,         &scheduler_metrics::fired_total,
    &scheduler_metrics::executed_total,         &scheduler_metrics::dropped_total,
    &scheduler_metrics::refused_total,          &scheduler_metrics::warnings_total,
    &scheduler_metrics::handler_failures_total, &scheduler_metrics::quota_limit,
    &scheduler_metrics::drift_last_ns,          &scheduler_metrics::drift_worst_ns,
};

inline constexpr std::size_t lists = 4;
inline constexpr std::size_t sizes[lists] = {std::size(counted_sums), std::size(system_sums),
                                             drop_reasons, std::size(timer_sums)};
inline constexpr std::size_t first_sizes[lists] = {16, 5, 16, 16};  // in the first firmware
static_assert(sizeof(metrics_snapshot) ==
                  (sizes[0] + sizes[1] + sizes[2] + sizes[3]) * sizeof(std::uint64_t),
              "every figure stands in one of the lists");

/// A figure: its list, and its place there.
struct place {
  std::size_t list;
  std::size_t at;

  friend constexpr bool operator==(const place&, const place&) noexcept = default;
};
/// Returns the place of the figure that is sent with this index. The figures of the first firmware
/// are sent list after list, those added since in turns, one of each list. So each list can grow,
/// and no index changes. Where a list has grown less than others there is no figure.
[[nodiscard]] constexpr place place_of(std::size_t index) noexcept {
  for (std::size_t list = 0; list != lists; ++list) {
    if (index < first_sizes[list]) return {.list = list, .at = index};
    index -= first_sizes[list];
  }
  return {.list = index % lists, .at = first_sizes[index % lists] + index / lists};
}
/// All figures have an index below this one.
inline constexpr std::size_t sums = [] {
  std::size_t first = 0;
  std::size_t added = 0;
  for (std::size_t list = 0; list != lists; ++list) {
    first += first_sizes[list];
    added = std::max(added, sizes[list] - first_sizes[list]);
  }
  return first + lists * added;
}();

/// The figure that is sent with this index; null: there is none.
[[nodiscard]] constexpr std::uint64_t* sum_at(metrics_snapshot& of, std::size_t index) noexcept {
  const auto [list, at] = place_of(index);
  if (at >= sizes[list]) return nullptr;
  switch (list) {
  case 0:
    return &(of.*counted_sums[at].sum);
  case 1:
    return &(of.*system_sums[at]);
  case 2:
    return &of.dead_letters[at];
  default:
    return &(of.timers.*timer_sums[at]);
  }
}

/// CRC-16 with the polynomial 0x1021 from 0xFFFF.
[[nodiscard]] constexpr std::uint16_t checksum(std::span<const std::byte> of) noexcept {
  unsigned crc = 0xFFFF;
  for (const std::byte each : of) {
    crc ^= std::to_integer<unsigned>(each) << 8U;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc << 1U) ^ ((crc & 0x8000U) != 0 ? 0x1021U : 0U);
  }
  return static_cast<std::uint16_t>(crc);
}

}  // namespace board_frame
}  // namespace tactor::inline v0::internal
