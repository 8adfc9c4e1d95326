// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/text_writer.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/suspend_reasons.hpp"
#include "tactor/core/life/own_timers.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/scheduler/dump.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tactor::inline v0::internal {

/// A copy of what an observer sees of an actor with a name, at about one moment.
struct actor_view {
  /// So many messages are counted in the mailbox of a suspended actor; beyond it there are at least
  /// so many.
  static constexpr std::size_t most_counted = 10'000;

  event_text path = {};
  std::string_view type = {};
  std::string_view state = {};  // "running", "draining", "suspended", "stopping", "stopped"
  mailbox_index who = {};
  mailbox_index parent = {};     // generation 0: a child of the guardian
  suspend_reasons reasons = {};  // why it is suspended
  std::optional<std::uint32_t> waiting =
      {};  // nothing: a worker has the mailbox, which does not count
  std::optional<std::uint64_t> suspended_ns = {};  // since when, on the system's clock
  std::optional<std::uint64_t> oldest_ns = {};     // its oldest message waits at least so long
  std::uint32_t capacity = 0;                      // of the mailbox; 0: unbounded
  bool drops_oldest = false;                       // a full mailbox does
  bool overloaded = false;                         // it used up a whole turn and had messages left
};

/// Is shown the actors of a system, without a lock.
class actor_visitor {
public:
  /// Returns: whether it wants to see more.
  virtual bool visit(const actor_view& each) noexcept = 0;

protected:
  ~actor_visitor() = default;
};

/// Actors that can be shown.
class actor_source {
public:
  /// Shows them to `to`, until it wants to see no more.
  virtual void show_actors(actor_visitor& to) noexcept = 0;

protected:
  ~actor_source() = default;
};

class system_core;

/// Shows all actors of the system that have a name. Waits for no worker, and sends nothing.
/// Context: any thread.
void visit_actors(system_core& of, actor_visitor& to) noexcept;
/// Fills `out` with suspended actors of the system. Searches all slots. Returns: how many. Context:
/// any thread.
std::size_t find_suspended(const system_core& of, std::span<mailbox_index> out) noexcept;
/// Fills `out` likewise, from parent to child, in an order that does not depend on slots. Context:
/// the thread that runs the system, while no worker does.
std::size_t find_suspended_in_order(const system_core& of, std::span<mailbox_index> out) noexcept;

/// Writes the current state of the system: its phase, its actors with names, its metrics and its
/// timers. Waits for no worker and for no sleeping driver. Requires: `to` does not block. Context:
/// any thread.
void dump_system(system_core& of, dump_format format, text_sink& to,
                 std::size_t most_actors) noexcept;
/// Writes the timers of a dump, as `tactor::dump` does. Null: the system has none.
using dump_of_timers = void (*)(dump_writer& out, scheduler& of,
                                const dump_limits& limits) noexcept;
/// Writes the same, with the actors that `shown` shows, and these figures.
void dump_system(system_core& of, dump_format format, text_sink& to, std::size_t most_actors,
                 actor_source& shown, const metrics_snapshot& figures,
                 dump_of_timers dump_timers) noexcept;

/// A timer that is set for an actor. A copy.
struct actor_timer {
  std::string_view message;  // the type; empty: one of the actor's own deadlines
  std::optional<std::uint64_t>
      due_in_ns;  // nothing: its message waits in the mailbox, or is handled
  std::optional<std::uint64_t> period_ns;  // nothing: once
  job_mode mode = job_mode::once;
  std::uint64_t job = 0;  // its number
};

/// The key under which an actor has started a timer. A copy.
struct actor_timer_key {
  std::uint64_t job = 0;  // the timer's number
  timer_key_name name;
};

/// The two sides of a watch.
enum class watch_side : std::uint8_t { watcher, watched };

/// Receives the timers and watches of one actor. Called without a lock.
class inside_visitor {
public:
  /// Returns: whether it wants to see more timers.
  virtual bool visit_timer(const actor_timer& each) noexcept = 0;
  /// Context: no worker can run the actor meanwhile: it only copies. Returns: whether it wants to
  /// see more on this side.
  virtual bool visit_watch(watch_side side, mailbox_index other) noexcept = 0;
  /// Context: as above. Returns: whether it wants to see more keys.
  virtual bool visit_key(const actor_timer_key& each) noexcept = 0;

protected:
  ~inside_visitor() = default;
};

/// Shows the timers that are set for the actor `who`; a timer that is scheduled at this moment may
/// be left out. Visits all timers of the system, a few at a time under the lock of their driver.
/// Context: any thread.
void visit_timers(system_core& of, mailbox_index who, inside_visitor& to) noexcept;

/// Shows the watchers of the actor `who`, the actors that it watches, and the keys of its timers,
/// if the actor is idle or suspended. A message that arrives meanwhile waits until the visit is
/// over. Returns: false if a worker has the actor: then only that worker may read them. Context:
/// any thread.
bool visit_kept(mailbox_index who, inside_visitor& to) noexcept;

}  // namespace tactor::inline v0::internal
