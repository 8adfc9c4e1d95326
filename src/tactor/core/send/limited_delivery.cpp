// SPDX-License-Identifier: BSL-1.0
// Sends that respect limits: of mailboxes with a capacity, pressure or priorities, and of actors
// that are overloaded. Also those of threads that do not count their sends.
#include "tactor/core/send/limited_delivery.hpp"

#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/turn_context.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/message/locked_queue.hpp"
#include "tactor/core/send/delivery.hpp"
#include "tactor/core/send/interrupt_delivery.hpp"
#include "tactor/core/send/offer_rules.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/send_times.hpp"
#include "tactor/core/send/tell_services.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

namespace {

/// Reports pressure, once, when the number of waiting messages has reached the level.
void note_filled(thread_record& here, cell& to, std::uint32_t generation,
                 std::uint32_t waiting) noexcept {
  const pressure_word now{
      to.pressure.load(relaxed)};  // relaxed: may be another tenant's: a report too many
  if (!now.is_reached(waiting)) return;
  // relaxed: one of the senders sees the bit
  const pressure_word before{to.pressure.fetch_and(~pressure_word::armed_bit, relaxed)};
  if (!before.is_reached(waiting)) return;
  tell_services(here, &to, [&](system_services& services) noexcept {
    services.mailbox_filled(actor_ref<>{&to, generation}, waiting);
  });
}

/// Offers a control message to a mailbox with priorities: no limit applies.
offer_result offer_control(thread_record& here, cell& to, locked_queue& side_queue,
                           envelope& e) noexcept {
  if (!side_queue.push_control(&to, e).accepted) return gone;
  return after_pushing(here, to.box.note_side_queue(), to);
}

offer_result offer_evicting(thread_record& here, cell& to, locked_queue* side_queue,
                            envelope& e) noexcept {
  const std::uint32_t generation = e.generation;
  if (side_queue == nullptr) return gone;
  const locked_queue::outcome outcome =
      side_queue->push(&to, e, priority_in(*side_queue, e));  // checks the tenancy
  if (!outcome.accepted) return gone;
  (void)after_pushing(here, to.box.note_side_queue(), to);
  note_filled(here, to, generation, outcome.waiting);
  if (outcome.evicted != nullptr)
    end_as_dead_letter(here, &to, *outcome.evicted, drop_reason::dropped_oldest);
  return {};
}

/// The actor that runs on this thread, if its messages may wait in an outbox. Null: a callable, an
/// actor that stops, or no actor.
cell* waiting_sender(const thread_record& here) noexcept {
  if (here.services == nullptr || here.sender.what() != origin::kind::actor) return nullptr;
  cell* const runs = program_memory.cells.find(
      {.slot = here.sender.index(), .generation = here.sender.generation});
  const bool may_wait = runs != nullptr && !runs->unlisted &&
                        runs->stage != lifecycle_stage::stopping &&
                        runs->stage != lifecycle_stage::stopped;
  return may_wait ? runs : nullptr;
}

/// Whether older messages of the actor that runs here wait for this mailbox.
bool holds_back(const thread_record& here, const cell& to, std::uint32_t generation) noexcept {
  const cell* const from = waiting_sender(here);
  return from != nullptr && from->reasons.has(suspend_reason::backpressure) &&
         linked().outboxes->holds_back(*from, to, generation);
}

offer_result push_with_own_permit(thread_record& here, cell& to, envelope& e) noexcept {
  e.set_state(holds_permit);
  const push_result pushed = push_to_queue(to, e);
  if (pushed == push_result::closed) {
    e.set_state(0);
    // There may be a next tenant by now, with threads that wait for this permit.
    notify_capacity(program_memory.producers.release(to));
  }
  return after_pushing(here, pushed, to);
}

offer_result offer_bounded(thread_record& here, cell& to, mailbox_limits limits,
                           envelope& e) noexcept {
  locked_queue* const side_queue = to.own_side_queue();
  if (e.operations->control && side_queue != nullptr && side_queue->has_priorities())
    return offer_control(here, to, *side_queue, e);
  if (limits.strategy() == overflow_strategy::drop_oldest)
    return offer_evicting(here, to, side_queue, e);
  if (limits.strategy() == overflow_strategy::block_producer && holds_back(here, to, e.generation))
    return refusal_by(limits.strategy());
  const std::uint32_t waiting = try_acquire_permit(to.permits_taken, limits.capacity());
  if (waiting == 0) return refusal_by(limits.strategy());
  const std::uint32_t generation = e.generation;
  const offer_result offered = push_with_own_permit(here, to, e);
  if (offered.result == tell_result::ok) note_filled(here, to, generation, waiting);
  return offered;
}

/// A message to a full mailbox with `block_producer`: the message of an actor waits in its outbox.
offer_result hold_back(thread_record& here, cell& to, envelope& e) noexcept {
  cell* const from = waiting_sender(here);
  const mailbox_limits limits{
      to.limits.load(relaxed)};  // relaxed: may be another tenant's; the receiver checks
  const outbox_functions* const outboxes = linked().outboxes;
  if (outboxes == nullptr || from == nullptr ||
      limits.strategy() != overflow_strategy::block_producer)
    return refusal_by(overflow_strategy::reject);
  return outboxes->hold_back({*here.services, here, *from}, to, e);
}

/// A foreign thread waits for capacity. A worker or a timer never does: its message is refused.
offer_result wait_and_offer(thread_record& here, cell& to, std::uint32_t generation,
                            envelope& e) noexcept {
  const thread_waiting* const how = program_memory.waiting();
  const mailbox_limits limits{
      to.limits.load(relaxed)};  // relaxed: may be another tenant's; the receiver checks
  if (how == nullptr || limits.strategy() != overflow_strategy::block_producer ||
      to.push_timeout_ms.load(relaxed) == 0)  // relaxed: like the limits
    return refusal_by(overflow_strategy::reject);
  switch (
      program_memory.producers.wait(to, generation, *how, here.push_timeout_ns, notify_capacity)) {
  case waiting_producers::outcome::has_permit:
    return push_with_permit(here, to, e);
  case waiting_producers::outcome::closed:
    return gone;
  case waiting_producers::outcome::no_memory:
    return {.result = tell_result::full, .why = drop_reason::no_memory};
  case waiting_producers::outcome::waits:
  case waiting_producers::outcome::timed_out:
    break;
  }
  return {.result = tell_result::full, .why = drop_reason::wait_timed_out};
}

/// A message to an actor without limits, from a thread whose sends do not take the fast path.
offer_result offer_measured(thread_record& here, cell& to, envelope& e) noexcept {
  const push_result pushed = to.box.push(e);
  if (pushed == push_result::closed) return gone;
  if (pushed == push_result::make_ready) make_ready(here, to);
  count_send(here, to);
  return {};
}

offer_result offer_noted(thread_record& here, cell& to, mailbox_limits limits,
                         envelope& e) noexcept {
  if (thread_record::counted_elsewhere != 0 && limits.nothing()) return offer_measured(here, to, e);
  if (limits.overloaded()) here.overload = {.target = &to, .source = here.sender};
  if (limits.bounded()) return offer_bounded(here, to, limits, e);
  return after_pushing(here, to.box.push(e), to);
}

}  // namespace

/// Slow path: the receiver has limits or is overloaded, or the sends of this thread are measured or
/// traced.
offer_result offer_with_care(thread_record& here, cell& to, mailbox_limits limits,
                             envelope& e) noexcept {
  if constexpr (thread_record::counted_elsewhere != 0) {
    if (may_trace(here) && e.kind == envelope_kind::message) trace_send(here, to, e);
    if (here.fast_limits != 0) note_send_time(here, to, e);
    const offer_result offered = offer_noted(here, to, limits, e);
    // Then it is still the caller's.
    if (offered.result != tell_result::ok && e.has(envelope::has_time)) (void)take_send_time(to, e);
    return offered;
  }
  return offer_noted(here, to, limits, e);
}

offer_result wait_or_hold_back(thread_record& here, cell& to, envelope& e) noexcept {
  return here.services == nullptr ? wait_and_offer(here, to, e.generation, e)
                                  : hold_back(here, to, e);
}

offer_result push_with_permit(thread_record& here, cell& to, envelope& e) noexcept {
  const std::uint32_t generation = e.generation;
  const offer_result offered = push_with_own_permit(here, to, e);
  // The permit is that of a message that has left, so this thread has not counted: it reads the
  // number.
  const std::uint32_t taken = to.permits_taken.load(relaxed);  // relaxed: a number
  if (offered.result == tell_result::ok) note_filled(here, to, generation, taken & ~awaited_bit);
  return offered;
}

// What a turn gives back.

void release_held_permit(cell& c, envelope& e) noexcept {
  e.set_state(0);
  notify_capacity(program_memory.producers.release(c));
  note_emptied(c, c.permits_taken.load(relaxed) & ~awaited_bit);  // relaxed: a number
}

void release_in_turn(thread_record& here, cell& c, envelope& e) noexcept {
  if (here.may_block) return release_held_permit(c, e);
  e.set_state(0);
  bool kept = false;
  notify_capacity(program_memory.producers.release_in_turn(c, kept));
  if (kept) {
    here.keeps_permits = &c;
    return;
  }
  note_emptied(c, c.permits_taken.load(relaxed) & ~awaited_bit);  // relaxed: a number
}

void settle_permits(thread_record& here) noexcept {
  cell& c =
      *std::exchange(here.keeps_permits, nullptr);  // it may have ended, and have a next tenant
  notify_capacity(program_memory.producers.settle(c));
  note_emptied(c, c.permits_taken.load(relaxed) & ~awaited_bit);  // relaxed: a number
}

/// The mailbox closes: whoever waits for its capacity is refused. Requires: it is closed.
void refuse_producers(cell& c) noexcept {
  notify_capacity(program_memory.producers.close(c));
}

// Of an interrupt.

namespace {

/// Of a mailbox with `drop_oldest`.
offer_result evict_in_interrupt(cell& to, locked_queue* side_queue, envelope& e) noexcept {
  if (side_queue == nullptr) return gone;
  const locked_queue::outcome outcome = side_queue->push(&to, e, priority_in(*side_queue, e));
  if (!outcome.accepted) return gone;
  (void)after_pushing(to.box.note_side_queue(), to);
  if (outcome.evicted == nullptr) return {};
  count_refused(&to, drop_reason::dropped_oldest);
  discard_envelope(this_sender(), *outcome.evicted);
  return {};
}

}  // namespace

offer_result offer_limited_in_interrupt(cell& to, mailbox_limits limits, envelope& e) noexcept {
  locked_queue* const side_queue = to.own_side_queue();
  if (e.operations->control && side_queue != nullptr && side_queue->has_priorities()) {
    if (!side_queue->push_control(&to, e).accepted) return gone;
    return after_pushing(to.box.note_side_queue(), to);
  }
  if (limits.strategy() == overflow_strategy::drop_oldest)
    return evict_in_interrupt(to, side_queue, e);
  if (try_acquire_permit(to.permits_taken, limits.capacity()) == 0)
    return refusal_by(limits.strategy());
  e.set_state(holds_permit);
  const offer_result offered = after_pushing(push_to_queue(to, e), to);
  if (offered.result != tell_result::ok)
    to.permits_taken.fetch_sub(1, relaxed);  // relaxed: a number
  return offered;
}

// What a cell needs for it.

namespace {

bool give_side_queue(cell& to, const mailbox_options& mail) noexcept {
  locked_queue* const side_queue = program_memory.side_queues.take();
  if (side_queue == nullptr) return false;
  locked_queue::settings with;
  if (mail.overflow == overflow_strategy::drop_oldest) with.capacity = mail.capacity;
  if (mail.order == mailbox_order::priority) with.levels = program_memory.levels.take();
  side_queue->open(&to, to.tenant, with);
  to.side_queue.store(side_queue, relaxed);  // relaxed: opening the mailbox publishes it
  return mail.order != mailbox_order::priority || with.levels != nullptr;
}

}  // namespace

bool give_limits(cell& to, const mailbox_options& mail, std::uint32_t push_timeout_ms) noexcept {
  if (mail.overflow == overflow_strategy::block_producer)
    to.push_timeout_ms.store(push_timeout_ms,
                             relaxed);  // relaxed: opening the mailbox publishes it
  if (mail.overflow == overflow_strategy::drop_oldest || mail.order == mailbox_order::priority)
    return give_side_queue(to, mail);
  return true;
}

void end_limits(cell& c) noexcept {
  locked_queue* const side_queue = c.take_side_queue();
  if (side_queue == nullptr) return;
  side_queue->close();
  program_memory.give_back(*side_queue);
}

}  // namespace tactor::inline v0::internal
