// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/json_writer.hpp"
#include "tactor/base/text_writer.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/system/actor_view.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/host/metrics/metrics_report.hpp"
#include "tactor/host/metrics/recent_incidents.hpp"
#include "tactor/host/snapshot/snapshot.hpp"
#include "tactor/host/workers/worker_state.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tactor::inline v0::internal {

/// Says what of an actor can be seen now.
struct inside_sight {
  bool timers = false;
  bool kept = false;  // watches, and keys of timers
};

/// A system of which snapshots are written: a system of this program, or what a board has sent.
class seen_system {
public:
  [[nodiscard]] virtual std::string_view name() = 0;
  [[nodiscard]] virtual system_phase now_in() = 0;
  /// Returns the number of live actors.
  [[nodiscard]] virtual std::size_t live() = 0;
  [[nodiscard]] virtual std::uint64_t now_ns() = 0;
  /// Throws: std::bad_alloc.
  [[nodiscard]] virtual metrics_report figures() = 0;
  /// Returns figures of some ten seconds ago; nothing: none were kept. Throws: std::bad_alloc.
  [[nodiscard]] virtual std::optional<metrics_report> some_time_ago() = 0;
  /// Adds single actors to the figures, at every level. Throws: std::bad_alloc.
  virtual void add_actors(metrics_report& to) = 0;
  [[nodiscard]] virtual worker_counts workers() = 0;
  virtual void visit_actors(actor_visitor& to) = 0;
  /// Shows the timers and watches of one actor. Returns: which of them it could show.
  virtual inside_sight visit_inside(mailbox_index who, inside_visitor& to) = 0;
  /// Returns the path of an actor that lives or has ended lately; otherwise its number.
  [[nodiscard]] virtual event_text path_of(mailbox_index who) = 0;
  /// Returns the failure that stopped the system.
  [[nodiscard]] virtual std::optional<root_failure> cause() = 0;
  /// Returns what went wrong lately.
  [[nodiscard]] virtual const recent_incidents& incidents() = 0;
  /// Writes a JSON object, with at most so many timers.
  virtual void write_timers(std::size_t limit, json_writer& to) = 0;
  /// Writes a JSON value: how full each part of the timer wheel is; null if that is not known.
  virtual void write_occupancy(json_writer& to) = 0;
  /// Writes a JSON value: what only a board has; null otherwise.
  virtual void write_board(json_writer& to) = 0;

protected:
  ~seen_system() = default;
};

/// Writes one part of what can be seen. Throws: std::bad_alloc.
void write_snapshot(seen_system& of, const snapshot_query& wanted, text_sink& to);

/// Writes an actor's id, "slot.generation"; null if there is none. Its path may be cut, or be that
/// of another actor later.
void write_id(json_writer& to, std::string_view name, mailbox_index of);

}  // namespace tactor::inline v0::internal
