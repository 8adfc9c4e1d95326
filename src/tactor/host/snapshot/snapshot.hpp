// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host/metrics/metrics_report.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactor::inline v0 {

/// The version of the JSON that `actor_system::write_snapshot` writes: it grows when a name that a
/// program may read is removed or changes its meaning. Names may be added without that.
inline constexpr std::uint64_t snapshot_version = 1;

/// The parts of what can be seen of a system.
enum class snapshot_part : std::uint8_t {
  system,   // name, phase, and all sums
  actors,   // a window of the list of actors
  actor,    // one actor, and its children
  tree,     // the actors below a path, with their parents
  workers,  // threads that run actors, and what they handle now
  timers,
  dead_letters,  // by reason, and the newest
  failures,      // sums, and the newest
  warnings,      // what may be wrong, with evidence and advice
  shutdown,      // the phase, and what holds the system
  board,         // what only a board has: its stack, marks of its mailboxes, damaged frames
};

/// Returns: the name of the part, as in the JSON.
[[nodiscard]] constexpr const char* to_text(snapshot_part part) noexcept {
  constexpr const char* names[] = {"system",   "actors",   "actor",        "tree",
                                   "workers",  "timers",   "dead_letters", "failures",
                                   "warnings", "shutdown", "board"};
  return names[static_cast<std::size_t>(part)];
}

/// The orders of the list of actors.
enum class actor_order : std::uint8_t {
  path,
  waiting,    // the most messages first
  suspended,  // the longest first
  restarts,   // the most first
  handled,    // at level `actor`: the label that took the most messages first
  busy,       // at level `actor`: the label whose handlers ran longest first
  oldest,     // those whose oldest message waits for longest first, as far as it is known
};

/// Returns: the name of the order.
[[nodiscard]] constexpr const char* to_text(actor_order order) noexcept {
  constexpr const char* names[] = {"path",    "waiting", "suspended", "restarts",
                                   "handled", "busy",    "oldest"};
  return names[static_cast<std::size_t>(order)];
}

/// Says which part of a snapshot is wanted, and which window of it.
struct snapshot_query {
  static constexpr std::size_t most = 1'000;          // for `limit`
  static constexpr std::size_t most_offset = 10'000;  // for `offset`

  snapshot_part part = snapshot_part::system;
  /// Only actors in whose path this text occurs. `actor`: the path. `tree`: the path at the top;
  /// empty: everything.
  std::string_view path = {};
  std::string_view state = {};  // only actors in this state: "suspended"
  std::size_t depth = 0;        // `tree`: only so many levels below `path`; 0: all
  actor_order order = actor_order::path;
  std::size_t offset = 0;   // so many actors are left out first
  std::size_t limit = 100;  // and so many are shown at most; of dead letters and failures, too
  const metrics_report* before = nullptr;  // `warnings`: since when; null: some ten seconds
  /// The figures that `full_metrics` has just returned, for callers that write several parts at
  /// once; null: they are taken for this part. `warnings` adds the actors to them, unless they are
  /// there.
  metrics_report* figures = nullptr;
};

}  // namespace tactor::inline v0
