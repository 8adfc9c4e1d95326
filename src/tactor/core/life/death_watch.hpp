// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/treap.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/send/actor_ref.hpp"

#include <cstdint>
#include <expected>

namespace tactor::inline v0 {

// Death watch: a watcher learns exactly once that an actor has ended. Context: the worker that runs
// the cell. docs/design/supervision.md holds the protocol.
//
// A watch is two envelopes. The request goes to the watched actor, waits there, and returns to the
// watcher when that actor ends, so a termination needs no memory. The other stays with the watcher,
// which sends it to unwatch.

/// Why an actor has ended.
enum class termination : std::uint8_t {
  stopped,      // it was stopped, or stopped itself, or had ended before it was watched
  failed,       // it failed, and was not resumed or restarted
  unreachable,  // reserved: the connection to its machine is lost
};

/// The name of the cause.
[[nodiscard]] constexpr const char* to_text(termination why) noexcept {
  switch (why) {
  case termination::stopped:
    return "stopped";
  case termination::failed:
    return "failed";
  case termination::unreachable:
    return "unreachable";
  }
  return "unknown";
}

/// A watched actor has ended: stopped, after its `post_stop`, with all its children. The watcher
/// gets it in its handler `receive(context&, const tactor::terminated&)`. It is not in the
/// watcher's list of messages, and cannot be sent.
struct terminated {
  static constexpr const char* type_name = "tactor::terminated";
  actor_ref<> who;
  termination why = termination::stopped;
};

/// Why an actor is not watched.
enum class watch_error : std::uint8_t {
  oneself,
  no_memory,
};
/// Says in one sentence what to do about it.
[[nodiscard]] constexpr const char* to_text(watch_error why) noexcept {
  switch (why) {
  case watch_error::oneself:
    return "an actor cannot watch itself: use post_stop, or let its parent watch";
  case watch_error::no_memory:
    return "no memory for one more watch: unwatch or stop actors";
  }
  return "";
}

namespace internal {

/// The payload of the request. `envelope::from` names the watched actor.
struct watch_request {
  static constexpr const char* type_name = "watch";
  cell* watcher;
  std::uint32_t watcher_generation;
  termination why;     // on its way back
  envelope* previous;  // in the list of watches
};

/// The record of a watch that the watcher keeps, and sends as `unwatch`.
struct watch_entry : keyed_node {
  static constexpr const char* type_name = "unwatch";
  envelope* own;      // the envelope that holds this entry
  envelope* request;  // the request that was sent
  cell* target;
  envelope* told;      // null: `terminated`
  bool ended;          // unwatched, and the watched actor does not know it
  bool holds_permit;   // as an `unwatch`: it counts in `cell::commands_waiting`
  envelope* previous;  // in the list of watches
};

/// Tells whether an envelope of the list of watches is the actor's own: a `watch_entry`. Otherwise
/// it is the request of a watcher.
[[nodiscard]] bool is_own_watch(const envelope& e) noexcept;

/// Begins to watch. `told` is the message to handle instead of `terminated`, or null; it is
/// consumed in any case. Watching again only replaces the message.
std::expected<void, watch_error> watch(thread_record& here, cell& watcher, const actor_ref<>& whom,
                                       envelope* told) noexcept;
/// Ends a watch, also if the actor has ended and the watcher has not been told yet. Returns: false
/// if there was no watch. While many system messages wait at the watched actor, it is not told: the
/// watch then stays there, without an effect, until one of the two ends or watches again.
bool unwatch(thread_record& here, cell& watcher, const actor_ref<>& whom) noexcept;
/// Ends the watches of all children.
void unwatch_children(thread_record& here, cell& watcher) noexcept;

/// Takes a `watch` request. If it is too late, the request returns to the watcher at once.
void take_watch(thread_record& here, cell& c, envelope& e) noexcept;
/// Takes an `unwatch`.
void take_unwatch(thread_record& here, cell& c, envelope& e) noexcept;
/// Returns a `watch` request to its watcher: the watched actor has ended.
void return_to_watcher(thread_record& here, envelope& e, termination why) noexcept;
/// Returns: the cause of the actor's end, for its watchers. Context: the worker that runs it.
[[nodiscard]] inline termination end_of(const cell& c) noexcept {
  return c.failed ? termination::failed : termination::stopped;
}

/// The contents of a `terminated` system message, which `take_terminated` consumes.
struct terminated_notice {
  bool wanted = false;       // the actor is still watched
  envelope* told = nullptr;  // to handle instead, owned by the caller; null: `terminated`
  actor_ref<> who;
  termination why = termination::stopped;
};
[[nodiscard]] terminated_notice take_terminated(thread_record& here, cell& c, envelope& e) noexcept;

/// The actor has ended: tells its watchers, and ends its own watches.
void end_watches(thread_record& here, cell& c) noexcept;

}  // namespace internal
}  // namespace tactor::inline v0
