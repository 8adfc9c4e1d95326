// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/lifecycle_word.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/locked_queue.hpp"
#include "tactor/core/message/mailbox.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/delivery.hpp"
#include "tactor/core/send/tell_result.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

// When a message is refused, and why. For threads and interrupts.

inline constexpr offer_result gone{.result = tell_result::closed, .why = drop_reason::stopped};
inline constexpr offer_result no_actor{.result = tell_result::closed,
                                       .why = drop_reason::no_such_actor};

/// Of a full mailbox.
[[nodiscard]] inline offer_result refusal_by(overflow_strategy strategy) noexcept {
  switch (strategy) {
  case overflow_strategy::drop_newest:
    return {.result = tell_result::dropped, .why = drop_reason::dropped_newest};
  case overflow_strategy::dead_letter:
    return {.result = tell_result::dropped, .why = drop_reason::dead_letter_rule};
  case overflow_strategy::drop_oldest:
  case overflow_strategy::reject:
  case overflow_strategy::block_producer:
    break;
  }
  return {.result = tell_result::full, .why = drop_reason::full};
}

/// Why a mailbox is closed: its actor has stopped, or is draining.
[[nodiscard]] inline offer_result closed_by(const cell& to, std::uint32_t generation) noexcept {
  const lifecycle_word lifecycle{to.lifecycle.load(relaxed)};  // relaxed: for the report only
  const bool on_its_way = lifecycle.generation() == generation && lifecycle.drain_requested();
  return {.result = tell_result::closed,
          .why = on_its_way ? drop_reason::draining : drop_reason::stopped};
}

/// Whether a message was refused because its actor accepts nothing any more.
[[nodiscard]] inline bool is_closed(drop_reason why) noexcept {
  return why == drop_reason::stopped || why == drop_reason::no_such_actor ||
         why == drop_reason::draining;
}

/// Whether `generation` is the tenant, and was not asked to drain: its mailbox closes only in its
/// turn, and it may be in a handler for long.
[[nodiscard]] inline bool accepts_mail(const cell& to, std::uint32_t generation) noexcept {
  const lifecycle_word now{to.lifecycle.load(relaxed)};  // relaxed: the receiver checks again
  return now.accepts_mail_for(generation);
}

/// The result of a push; an idle actor becomes ready.
inline offer_result after_pushing(push_result pushed, cell& to) noexcept {
  if (pushed == push_result::closed) [[unlikely]]
    return gone;
  if (pushed == push_result::make_ready) make_ready(to);
  return {};
}
/// The result of a push of a user message; counts it.
inline offer_result after_pushing(thread_record& here, push_result pushed, cell& to) noexcept {
  const offer_result result = after_pushing(pushed, to);
  if (result.result == tell_result::ok) count_send(here, to);
  return result;
}

/// Why a message is refused for which there is no memory: what a send checks first comes first.
[[nodiscard]] inline offer_result refusal_without_memory(const cell* to,
                                                         std::uint32_t generation) noexcept {
  if (to == nullptr) return no_actor;
  const lifecycle_word lifecycle{to->lifecycle.load(relaxed)};  // relaxed: as in a send
  const bool open = lifecycle.accepts_mail_for(generation) && to->box.peek().open();
  if (!open) return closed_by(*to, generation);
  return {.result = tell_result::full, .why = drop_reason::no_memory};
}

/// A refusal with the exact reason.
[[nodiscard]] inline offer_result explained(const offer_result& refused, const cell* to,
                                            std::uint32_t generation) noexcept {
  return refused.why == drop_reason::stopped ? closed_by(*to, generation) : refused;
}

/// The priority of `e` in that queue. Asks the message, outside of the lock.
inline std::uint8_t priority_in(const locked_queue& side_queue, envelope& e) noexcept {
  if (!side_queue.has_priorities()) return 0;
  const message_operations& what = *e.operations;
  // A timer makes its message when it is handled.
  const bool asked = what.priority_of != nullptr && e.kind == envelope_kind::message;
  return asked ? what.priority_of(payload_of(e)) : what.priority;
}

/// Pushes to the side queue of a mailbox that has one.
inline push_result push_to_queue(cell& to, envelope& e) noexcept {
  locked_queue* const side_queue = to.own_side_queue();
  if (side_queue == nullptr) return to.box.push(e);
  if (!side_queue->push(&to, e, priority_in(*side_queue, e)).accepted) return push_result::closed;
  return to.box.note_side_queue();
}

}  // namespace tactor::inline v0::internal
