// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/full.hpp"

#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/timer_envelope.hpp"
#include "tactor/port/port.hpp"

#include <utility>

namespace tactor::inline v0::internal {

// The strategies.

namespace {

/// Refuses a message of a full mailbox.
offer_result refusal_by(overflow_strategy strategy) noexcept {
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

/// Reports pressure, once, when the number of waiting messages has reached the level.
void report_pressure(thread_record& here, cell& to, std::uint32_t generation,
                     std::uint32_t waiting) noexcept {
  const pressure_word now{
      to.pressure.load(relaxed)};  // relaxed: may be another tenant's: a report too many
  if (!now.is_reached(waiting) || port::in_interrupt()) return;
  // relaxed: one of the senders sees the bit
  const pressure_word before{to.pressure.fetch_and(~pressure_word::armed_bit, relaxed)};
  if (!before.is_reached(waiting)) return;
  tell_services(here, &to, [&](system_services& services) noexcept {
    services.count(&worker_counters::mailbox_pressure);
    if (services.reports != nullptr)
      services.reports->pressure(actor_ref<>{&to, generation}, waiting);
  });
}

/// Offers a control message to a mailbox with priorities: no limit applies.
offer_result offer_control(thread_record& here, cell& to, locked_queue& side_queue,
                           envelope& e) noexcept {
  if (!side_queue.push_control(&to, e).accepted) return actor_gone;
  return after_pushing(here, to.box.mark_side_queue(), to);
}

/// Offers a message to a mailbox with `drop_oldest`: another one may have to go.
offer_result offer_evicting(thread_record& here, cell& to, locked_queue* side_queue,
                            envelope& e) noexcept {
  const std::uint32_t generation = e.generation;
  if (side_queue == nullptr) return actor_gone;
  const locked_queue::outcome outcome =
      side_queue->push(&to, e, priority_in(*side_queue, e));  // checks the tenancy
  if (!outcome.accepted) return actor_gone;
  (void)after_pushing(here, to.box.mark_side_queue(), to);
  report_pressure(here, to, generation, outcome.waiting);
  if (outcome.evicted != nullptr)
    end_as_dead_letter(here, &to, *outcome.evicted, drop_reason::dropped_oldest);
  return {};
}

/// Tells whether it is the message of a timer of the receiver to itself. Its place is outside of
/// the capacity: the actor could not know that it was refused, and a full mailbox is no reason to
/// miss a time.
bool has_own_place(envelope& e) noexcept {
  return e.kind == envelope_kind::timer && timer_envelope::of(e).place() != timer_place::of_mailbox;
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

/// Pushes to the side queue of a mailbox that has one.
push_result push_to_queue(cell& to, envelope& e) noexcept {
  locked_queue* const side_queue = to.own_side_queue();
  if (side_queue == nullptr) return to.box.push(e);
  if (!side_queue->push(&to, e, priority_in(*side_queue, e)).accepted) return push_result::closed;
  return to.box.mark_side_queue();
}

/// A thread outside waits for capacity.
offer_result wait_for_permit(thread_record& here, cell& to, envelope& e) noexcept {
  const thread_waiting* const how = program_memory.waiting();
  if (how == nullptr || to.push_timeout_ms.load(relaxed) == 0)  // relaxed: like the limits
    return refusal_by(overflow_strategy::block_producer);
  switch (program_memory.producers.wait(to, e.generation, *how, here.push_timeout_ns,
                                        notify_capacity)) {
  case waiting_producers::outcome::has_permit:
    return push_with_permit(here, to, e, permits_taken_of(to));
  case waiting_producers::outcome::closed:
    return actor_gone;
  case waiting_producers::outcome::no_memory:
    return {.result = tell_result::full, .why = drop_reason::no_memory};
  case waiting_producers::outcome::waits:
  case waiting_producers::outcome::timed_out:
    break;
  }
  return {.result = tell_result::full, .why = drop_reason::wait_timed_out};
}

/// Offers a message to a mailbox with `block_producer`. An actor's newer message does not overtake
/// those that wait in its outbox.
offer_result offer_blocking(thread_record& here, cell& to, mailbox_limits limits, envelope& e,
                            when_full then) noexcept {
  cell* const from = waiting_sender(here);
  const bool has_outboxes = from != nullptr && from->reasons.has(suspend_reason::backpressure);
  if (!has_outboxes || !program_features().outboxes->holds_back(*from, to, e.generation)) {
    const std::uint32_t taken = try_acquire_permit(to.permits_taken, limits.capacity());
    if (taken != 0) return push_with_permit(here, to, e, taken);
  }
  if (then == when_full::refuse) return refusal_by(overflow_strategy::block_producer);
  if (here.services == nullptr) return wait_for_permit(here, to, e);
  // A worker never waits: the messages of a callable are refused.
  if (from == nullptr || program_features().outboxes == nullptr)
    return refusal_by(overflow_strategy::block_producer);
  return program_features().outboxes->hold_back({*here.services, here, *from}, to, e);
}

}  // namespace

offer_result offer_limited(thread_record& here, cell& to, mailbox_limits limits, envelope& e,
                           when_full then) noexcept {
  locked_queue* const side_queue = to.own_side_queue();
  if (e.operations->control && side_queue != nullptr && side_queue->has_priorities())
    return offer_control(here, to, *side_queue, e);
  const overflow_strategy strategy = limits.strategy();
  if (has_own_place(e)) [[unlikely]] {
    const bool may_be_evicted = strategy == overflow_strategy::drop_oldest;
    return after_pushing(here, may_be_evicted ? to.box.push(e) : push_to_queue(to, e), to);
  }
  if (strategy == overflow_strategy::drop_oldest) return offer_evicting(here, to, side_queue, e);
  if (strategy == overflow_strategy::block_producer)
    return offer_blocking(here, to, limits, e, then);
  const std::uint32_t taken = try_acquire_permit(to.permits_taken, limits.capacity());
  return taken == 0 ? refusal_by(strategy) : push_with_permit(here, to, e, taken);
}

offer_result push_with_permit(thread_record& here, cell& to, envelope& e,
                              std::uint32_t taken) noexcept {
  const std::uint32_t generation = e.generation;
  e.set_state(holds_permit);
  const push_result pushed = push_to_queue(to, e);
  if (pushed == push_result::closed) {
    e.set_state(0);
    // There may be a next tenant by now, with threads and actors that wait for this permit; on a
    // board, they are served when another one is released.
    if (port::in_interrupt()) {
      to.permits_taken.fetch_sub(1, relaxed);  // relaxed: a number
    } else {
      notify_capacity(program_memory.producers.release(to));
    }
    return actor_gone;
  }
  (void)after_pushing(here, pushed, to);
  report_pressure(here, to, generation, taken);
  return {};
}

std::uint8_t priority_in(const locked_queue& side_queue, envelope& e) noexcept {
  if (!side_queue.has_priorities()) return 0;
  const message_operations& what = *e.operations;
  // A timer makes its message when it is handled.
  const bool asked = what.priority_of != nullptr && e.kind == envelope_kind::message;
  return asked ? what.priority_of(payload_of(e)) : what.priority;
}

// What a turn gives back.

void release_permits(cell& c, std::uint32_t count) noexcept {
  notify_capacity(program_memory.producers.release(c, count));
  rearm_pressure(c, permits_taken_of(c));
}

void release_in_turn(thread_record& here, cell& c, envelope& e) noexcept {
  e.set_state(0);
  const std::uint32_t left = std::exchange(here.kept_permits, 0) + 1;
  // relaxed: constant while a worker runs the cell, but for a hint
  const mailbox_limits limits{c.limits.load(relaxed)};
  const bool keeps =
      !here.may_block && left < limits.capacity() / 2 && waiting_producers::only_outboxes_wait(c);
  if (!keeps) return release_permits(c, left);
  here.kept_permits = left;
}

void refuse_producers(cell& c) noexcept {
  notify_capacity(program_memory.producers.close(c));
}

void rearm_pressure(cell& c, std::uint32_t waiting) noexcept {
  const pressure_word now{c.pressure.load(relaxed)};  // relaxed: a sender clears one bit
  if (now.is_over(waiting))
    c.pressure.fetch_or(pressure_word::armed_bit, relaxed);  // relaxed: a hint
}

// The memory that the limits of a cell need.

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
