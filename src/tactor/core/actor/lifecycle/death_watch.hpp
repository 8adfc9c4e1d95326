// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_fifo.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/delivery/actor_ref.hpp"
#include "tactor/core/actor/lifecycle/watch_tree.hpp"
#include "tactor/core/message/envelope.hpp"

#include <cstdint>
#include <expected>

namespace tactor::inline v0 {

// Who wants to know when an actor ends, and how it learns of it: exactly once. Context: whoever runs
// the cell. docs/design/supervision.md holds the protocol.
//
// A watch is two envelopes. One goes to the actor that is watched, waits there, and comes home when
// that actor ends: so a death needs no memory. The other stays with the watcher, and is what it sends
// if it loses interest.

/// An actor that this one watches has ended: stopped, after its `post_stop`, with all its children.
/// Its watcher gets it in its handler `receive(context&, const tactor::terminated&)`, which is not in
/// its list: nobody can send it.
struct terminated {
  static constexpr const char* type_name = "tactor::terminated";
  actor_ref<> who;
};

/// Why an actor is not watched.
enum class watch_error : std::uint8_t {
  oneself,
  no_memory,
};
/// What to do about it, in one sentence.
[[nodiscard]] constexpr const char* to_text(watch_error why) noexcept {
  switch (why) {
  case watch_error::oneself:
    return "an actor cannot watch itself: it would be gone. Use post_stop, or let its parent watch";
  case watch_error::no_memory:
    return "there is no memory for one more watch";
  }
  return "";
}

/// What an actor keeps that watches or is watched.
struct watch_lists {
  watch_tree watching;                // whom it watches
  envelope* watchers = nullptr;       // the letters of those who watch it
  intrusive_fifo<envelope> deferred;  // what it is to be told when it runs again
};

namespace internal {

/// What lies in the letter that goes to the one who is watched. In `envelope::from`: that one.
struct watch_request {
  static constexpr const char* type_name = "watch";
  cell* watcher;
  std::uint32_t watcher_generation;
  envelope* previous;  // in the list of watchers
};

/// What the watcher keeps, and sends as `unwatch`.
struct watch_entry : watch_node {
  static constexpr const char* type_name = "unwatch";
  envelope* own;      // in which this lies
  envelope* request;  // the letter that went out
  cell* target;
  envelope* told;  // null: `terminated`
};

/// The lists of an actor, made if there are none. Returns: null if there is no memory.
[[nodiscard]] watch_lists* watches_of(thread_record& here, cell& c) noexcept;

/// Begins to watch. `told` is a message that is handled instead of `terminated`, or null; it is taken
/// in any case. Nothing happens if it watches already, but that the message is the new one.
std::expected<void, watch_error> watch(thread_record& here, cell& watcher, const actor_ref<>& whom,
                                       envelope* told) noexcept;
/// Ends a watch, also if the actor has ended and its watcher does not know yet. Returns: false if
/// there was none.
bool unwatch(thread_record& here, cell& watcher, const actor_ref<>& whom) noexcept;
/// The same for all children.
void unwatch_children(thread_record& here, cell& watcher) noexcept;

/// A letter `watch` has come. If it is too late, it goes home at once.
void take_watch(thread_record& here, cell& c, envelope& e) noexcept;
/// A letter `unwatch` has come.
void take_unwatch(thread_record& here, cell& c, envelope& e) noexcept;
/// A letter `watch` was meant for an actor that is gone.
void return_to_watcher(thread_record& here, envelope& e) noexcept;

/// What a letter `terminated` says, which ends here.
struct death_notice {
  bool wanted = false;       // it is still watched
  envelope* told = nullptr;  // the message to handle instead, the caller's; null: `terminated`
  actor_ref<> who;
};
[[nodiscard]] death_notice take_terminated(thread_record& here, cell& c, envelope& e) noexcept;

/// The actor has ended: tells who wants to know, and those whom it watched.
void end_watches(thread_record& here, cell& c) noexcept;

}  // namespace internal
}  // namespace tactor::inline v0
