// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/life/death_watch.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/send/full.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/waiting_producers.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

// How an actor starts and ends. Context: the worker that runs the cell, unless stated otherwise.
// docs/design/actor.md holds the state diagram.

/// Tells whether the actor still exists.
enum class [[nodiscard]] lifecycle_step : std::uint8_t { goes_on, ended };

/// Tells whether an instance is stored in the cell itself.
[[nodiscard]] inline bool fits_in_slot(const message_operations& instance) noexcept {
  return instance.size <= cell::storage_size && instance.alignment <= cell::storage_alignment;
}

/// Builds the first instance. If that fails, the actor fails.
void start(const turn_context& in) noexcept;
/// Builds an instance and calls `pre_start`, or `post_restart` if `because` is the failure that
/// caused a restart and the actor has started before. If a hook fails, the instance exists
/// nevertheless.
call_result start_instance(thread_record& here, cell& c, const failure* because,
                           failure& why) noexcept;
/// Ends what the instance waits for: asks, coroutines, timers. There is no current message from
/// then on.
void cancel_pending(thread_record& here, cell& c) noexcept;
/// Destroys the instance, if there is one.
void release_object(thread_record& here, cell& c) noexcept;

/// Handles what other threads requested: stop, drain, a directive, suspension by the parent.
/// Removes children that have ended. A drain ends an actor that failed, unless it is resumed.
lifecycle_step handle_requests(const turn_context& in) noexcept;

/// Gives back the slots of children that have ended.
void remove_ended_children(thread_record& here, cell& c) noexcept;

/// The mailbox takes no more messages of users; the actor handles what is queued, then stops.
void begin_drain(cell& c) noexcept;

/// Stops the actor: its queued messages become dead letters (except `handled`, the message that was
/// just handled), its children are stopped, and when none is left the actor ends.
lifecycle_step begin_stop(const turn_context& in, envelope* handled) noexcept;

/// Ends a draining actor that has handled what was queued: its children drain, and when none is
/// left the actor ends.
lifecycle_step end_drained(const turn_context& in) noexcept;

/// Enters the next stage of the life cycle.
inline void enter_stage(cell& c, lifecycle_stage next) noexcept {
  c.stage = next;
  // relaxed: constant while a worker runs the cell, but for a hint
  const bool limited = mailbox_limits{c.limits.load(relaxed)}.bounded() || c.timed || c.filtered;
  c.ordinary = next == lifecycle_stage::running && !limited;
}

/// Resets what the previous tenant may have left in the cell while it ended.
inline void enter_first_stage(cell& c) noexcept {
  c.children_stopped = false;
  c.first_child = nullptr;
  c.wanted = {};
  c.reasons = suspend_reasons{};
  c.started = false;
  c.active = false;
  c.failed = false;
  enter_stage(c, lifecycle_stage::starting);
}

/// Tells whether the actor starts in its next turn. An actor that failed to start waits for its
/// directive.
[[nodiscard]] inline bool must_start(const cell& c) noexcept {
  return c.stage == lifecycle_stage::starting && !c.reasons.failed_itself();
}

/// Ends the messages in the side queue of an actor that stops. Requires: it has one.
void end_side_queue(thread_record& here, cell& c) noexcept;

/// Tells whether `e` counts in `cell::commands_waiting`.
[[nodiscard]] inline bool is_counted_command(envelope& e) noexcept {
  return kind_of(e) == system_message_kind::suspension_command ||
         (kind_of(e) == system_message_kind::unwatch &&
          static_cast<const watch_entry*>(payload_of(e))->holds_permit);
}
/// `e` has left the queue of system messages: releases its permit, if it holds one.
inline void release_system_permit(cell& c, envelope& e) noexcept {
  if (e.kind != envelope_kind::system) return;
  if (kind_of(e) == system_message_kind::message) {
    c.system_waiting.fetch_sub(1, relaxed);  // relaxed: a number
  } else if (is_counted_command(e)) {
    c.commands_waiting.fetch_sub(1, relaxed);  // relaxed: a number
  }
}
/// Closes the queue of system messages of `c`; each that is queued ends as its kind demands.
void end_system_mail(thread_record& here, cell& c) noexcept;
/// Ends a system message for an actor that has ended.
void end_system_message(thread_record& here, cell& c, envelope& e) noexcept;

/// Asks an actor to stop. No effect if the actor has ended. Context: any thread.
void request_stop(cell& c, std::uint32_t generation) noexcept;
/// Asks an actor to handle what is queued, and then stop. No effect if the actor has ended.
/// Context: any thread.
void request_drain(cell& c, std::uint32_t generation) noexcept;

// The list of an actor's children belongs to the worker that runs the actor. A guardian has no
// turns: the lock of its system's family protects its children.

/// Makes `child` one of `parent`'s children.
void adopt(cell& parent, cell& child) noexcept;
/// Asks all children to stop, once.
void stop_children(cell& parent) noexcept;
/// Asks all children to handle what is queued, and then stop.
void drain_children(cell& parent) noexcept;

}  // namespace tactor::inline v0::internal
