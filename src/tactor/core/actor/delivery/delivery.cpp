// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/delivery/delivery.hpp"

#include "tactor/core/actor/cell/mailbox_limits.hpp"
#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/actor/delivery/interrupt_delivery.hpp"
#include "tactor/core/actor/delivery/offer_rules.hpp"
#include "tactor/core/actor/delivery/tell_services.hpp"
#include "tactor/core/observe/turn_times.hpp"
#include "tactor/core/observe/worker_counters.hpp"

#include <cstddef>
#include <cstring>

namespace tactor::inline v0::internal {

namespace {

/// The envelope that holds a `waiting_actor`.
envelope& envelope_around(capacity_waiter& waiting) noexcept {
  auto* const payload = reinterpret_cast<std::byte*>(&static_cast<waiting_actor&>(waiting));
  return *std::launder(
      reinterpret_cast<envelope*>(payload - payload_offset(alignof(waiting_actor))));
}

offer_result after(push_result pushed, cell& to) noexcept {
  if (pushed == push_result::closed) [[unlikely]]
    return gone;
  if (pushed == push_result::make_ready) make_ready(to);
  return {};
}

/// The same for a message of a user.
offer_result after(thread_record& here, push_result pushed, cell& to) noexcept {
  const offer_result result = after(pushed, to);
  if (result.result == tell_result::ok) count_send(here, to);
  return result;
}

/// Reports pressure if the message that made `waiting` of them reaches the level, once.
void note_filled(thread_record& here, cell& to, std::uint32_t generation,
                 std::uint32_t waiting) noexcept {
  const pressure_word now{to.pressure.load(relaxed)};  // relaxed: of this tenant or a dead one
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
  return after(here, to.box.note_side_queue(), to);
}

offer_result offer_evicting(thread_record& here, cell& to, locked_queue* side_queue,
                            envelope& e) noexcept {
  const std::uint32_t generation = e.generation;
  if (side_queue == nullptr) return gone;
  const locked_queue::outcome outcome =
      side_queue->push(&to, e, priority_in(*side_queue, e));  // checks the tenancy
  if (!outcome.accepted) return gone;
  (void)after(here, to.box.note_side_queue(), to);
  note_filled(here, to, generation, outcome.waiting);
  if (outcome.evicted != nullptr)
    end_as_dead_letter(here, &to, *outcome.evicted, drop_reason::dropped_oldest);
  return {};
}

/// The actor that runs on this thread, if its messages may wait in an outbox. Null: a callable, an actor
/// that stops, or no actor.
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
         here.services->holds_back(*from, to, generation);
}

offer_result offer_bounded(thread_record& here, cell& to, mailbox_limits limits,
                           envelope& e) noexcept {
  locked_queue* const side_queue = to.own_side_queue();
  if (e.operations->control && side_queue != nullptr && side_queue->has_priorities())
    return offer_control(here, to, *side_queue, e);
  if (limits.rule() == overflow_strategy::drop_oldest)
    return offer_evicting(here, to, side_queue, e);
  if (limits.rule() == overflow_strategy::block_producer && holds_back(here, to, e.generation))
    return refusal_by(limits.rule());
  const std::uint32_t waiting = try_acquire_permit(to.waiting, limits.capacity());
  if (waiting == 0) return refusal_by(limits.rule());
  const std::uint32_t generation = e.generation;
  const offer_result offered = push_with_permit(here, to, e);
  if (offered.result == tell_result::ok) note_filled(here, to, generation, waiting);
  return offered;
}

/// A message to a full mailbox with `block_producer`: the message of an actor waits in its outbox.
offer_result hold_back(thread_record& here, cell& to, envelope& e) noexcept {
  cell* const from = waiting_sender(here);
  const mailbox_limits limits{to.limits.load(relaxed)};  // relaxed: of this tenant or a dead one
  if (from == nullptr || limits.rule() != overflow_strategy::block_producer)
    return refusal_by(overflow_strategy::reject);
  return here.services->hold_back(here, *from, to, e);
}

/// A foreign thread waits for capacity. A worker or a timer never does: its message is refused.
offer_result wait_and_offer(thread_record& here, cell& to, std::uint32_t generation,
                            envelope& e) noexcept {
  const thread_waiting* const how = program_memory.waiting();
  const mailbox_limits limits{to.limits.load(relaxed)};  // relaxed: of this tenant or a dead one
  if (how == nullptr || limits.rule() != overflow_strategy::block_producer ||
      to.push_timeout_ms() == 0)
    return refusal_by(overflow_strategy::reject);
  switch (program_memory.producers.wait(to, generation, *how, here.push_timeout_ns)) {
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

/// Notes in one message of many when it is sent: in a turn that is measured, or on a thread outside.
void note_send_time(thread_record& here, cell& to, envelope& e) noexcept {
  constexpr std::uint32_t one_in = 256;  // messages of threads outside
  std::byte* const at = e.kind == envelope_kind::message ? free_space_in(e) : nullptr;
  if (at == nullptr) return;
  if (here.fast_limits == thread_record::measured) {
    turn_times* const times = times_of(here.counters);
    if (times == nullptr || !times->notes_send()) return;
    here.fast_limits = 0;
  } else if (here.sends % one_in != 0) {
    return;
  }
  std::uint64_t now_ns = 0;
  tell_services(here, &to,
                [&](const system_services& services) noexcept { now_ns = services.measured_ns(); });
  if (now_ns == 0) return;
  std::memcpy(at, &now_ns, sizeof now_ns);
  e.kind = envelope_kind::timed;
}

/// A message to an actor without limits, from a thread whose sends do not take the fast path.
offer_result offer_measured(thread_record& here, cell& to, envelope& e) noexcept {
  const push_result pushed = to.box.push(e);
  if (pushed == push_result::closed) return gone;
  if (pushed == push_result::make_ready) make_ready(here, to);
  count_send(here, to);
  return {};
}

void record_send(trace_recorder& by, const thread_record& here, const cell& to,
                 envelope& e) noexcept {
  by.sent(to, here.sender, e, here.services->now_ns());
}

/// While a trace runs, the message may become part of it. Returns: false if none runs here.
bool note_traced(thread_record& here, cell& to, envelope& e) noexcept {
  if (here.trace.recorder != nullptr) {
    record_send(*here.trace.recorder, here, to, e);
    return true;
  }
  // relaxed: the recorder is loaded inside of the gate
  if (here.fast_limits != thread_record::counted_elsewhere ||
      program_memory.traces.load(relaxed) == 0)
    return false;
  tell_services(here, &to, [&](const system_services& services) noexcept {
    // no mutant: the recorder was there before the system's threads, and has a lock
    trace_recorder* const by = services.outside_trace.load(acquire);  // pairs: trace.outside
    if (by != nullptr) by->sent(to, here.sender, e, services.now_ns());
  });
  return e.kind == envelope_kind::traced;
}

/// Slow path: the receiver has limits or is overloaded, or the thread does not count its sends.
[[gnu::noinline]] offer_result offer_with_care(thread_record& here, cell& to, mailbox_limits limits,
                                               envelope& e) noexcept {
  if constexpr (thread_record::counted_elsewhere != 0) {
    if (here.fast_limits != 0 && !note_traced(here, to, e)) note_send_time(here, to, e);
    if (limits.nothing()) return offer_measured(here, to, e);
  }
  if (limits.overloaded()) {
    here.overload_target = &to;
    here.overload_source = here.sender;
  }
  if (limits.bounded()) return offer_bounded(here, to, limits, e);
  return after(here, to.box.push(e), to);
}

}  // namespace

offer_result push_with_permit(thread_record& here, cell& to, envelope& e) noexcept {
  e.detail = holds_permit;
  const push_result pushed = push_to_queue(to, e);
  if (pushed == push_result::closed) {
    e.detail = 0;
    // There may be a next tenant by now, with threads that wait for this permit.
    notify_capacity(program_memory.producers.release(to));
  }
  return after(here, pushed, to);
}

void note_traced_signal(thread_record& here, const cell& to, envelope& e) noexcept {
  if (here.trace.recorder != nullptr) record_send(*here.trace.recorder, here, to, e);
}

std::byte* free_space_in(envelope& e) noexcept {
  if (e.size_class >= envelope_size_classes) return nullptr;
  const std::size_t used = payload_offset(e.operations->alignment) + e.operations->size;
  const std::size_t size = envelope_pool::block_size(e.size_class);
  if (used + sizeof(std::uint64_t) > size) return nullptr;
  return reinterpret_cast<std::byte*>(&e) + size - sizeof(std::uint64_t);
}

std::uint64_t take_send_time(envelope& e) noexcept {
  std::uint64_t sent_ns = 0;
  std::memcpy(&sent_ns, free_space_in(e), sizeof sent_ns);
  e.kind = envelope_kind::message;
  return sent_ns;
}

void count_foreign_send(thread_record& here, const cell& to) noexcept {
  // relaxed: type-stable
  if (system_gate* const gate = to.gate.load(relaxed)) gate->count_send(&here);
}

envelope* allocate_slowly(thread_record& here, unsigned size_class) noexcept {
  program_memory.note(here);
  // A thread that runs no actors sends faster than the workers handle: before memory grows, they get
  // the processor, and the messages that they have handled meanwhile are used again.
  if (here.services == nullptr && !program_memory.envelopes.any_free(size_class)) {
    if (const thread_waiting* const how = program_memory.waiting()) how->give_way();
  }
  return program_memory.envelopes.allocate(here.envelopes, size_class);
}

envelope* allocate_on_board(thread_record& here, unsigned size_class) noexcept {
  if constexpr (port::has_interrupts) {
    if (envelope* const taken = program_memory.envelopes.take_free(size_class)) return taken;
  }
  return allocate_slowly(here, size_class);
}

void* new_block(thread_record& here, const message_operations& what) noexcept {
  program_memory.note(here);
  const unsigned size_class = envelope_pool::size_class_for(what.size, what.alignment);
  envelope* const e = size_class == large_size_class
                          ? program_memory.envelopes.allocate_large(what.size, what.alignment)
                          : program_memory.envelopes.allocate(here.envelopes, size_class);
  if (e == nullptr) return nullptr;
  e->operations = &what;
  return payload_of(*e);
}

void free_block(thread_record& here, void* block, const message_operations& what) noexcept {
  std::byte* const start = static_cast<std::byte*>(block) - payload_offset(what.alignment);
  free_envelope(here, *std::launder(reinterpret_cast<envelope*>(start)));
}

namespace {

/// Fast path shared by `offer` and `send`; the callbacks `refused(why)` and `with_care(limits)` are
/// their slow paths, and provide the result.
template <class Refused, class WithCare>
// NOLINTNEXTLINE(readability-function-size): the fast path, and each branch leaves it
[[gnu::always_inline]] inline auto deliver(thread_record& here, cell* to, std::uint32_t generation,
                                           envelope& e, Refused refused,
                                           WithCare with_care) noexcept -> decltype(refused(gone)) {
  e.generation = generation;
  // Checking the generation avoids pushing most stale messages; the receiver's check decides.
  if (to == nullptr) [[unlikely]]
    return refused(no_actor);
  if (!accepts_mail(*to, generation)) [[unlikely]]
    return refused(gone);
  const mailbox_limits limits{to->limits.load(relaxed)};  // relaxed: of this tenant or a dead one
  if (limits.bits != here.fast_limits) [[unlikely]]
    return with_care(limits);
  ++here.sends;
  const push_result pushed = to->box.push(e);
  if (pushed == push_result::closed) [[unlikely]] {
    --here.sends;
    return refused(gone);
  }
  if (pushed == push_result::make_ready) make_ready(here, *to);
  return {};
}

}  // namespace

offer_result offer(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept {
  if (is_interrupt(here)) return offer_from_interrupt(to, generation, e);
  return deliver(
      here, to, generation, e,
      [&](const offer_result& why) { return explained(why, to, generation); },
      [&](mailbox_limits limits) { return offer_with_care(here, *to, limits, e); });
}

namespace {

// Out of line: off the fast path.

[[gnu::noinline]] tell_result refuse(thread_record& here, cell* to, envelope& e,
                                     offer_result offered) noexcept {
  if (offered.why == drop_reason::full) {
    offered = here.services == nullptr ? wait_and_offer(here, *to, e.generation, e)
                                       : hold_back(here, *to, e);
    if (offered.result == tell_result::ok) return tell_result::ok;
  }
  const drop_reason why = explained(offered, to, e.generation).why;
  end_as_dead_letter(here, to, e, why);
  return why == drop_reason::dead_letter_rule ? tell_result::ok : offered.result;
}

[[gnu::noinline]] tell_result send_with_care(thread_record& here, cell& to, mailbox_limits limits,
                                             envelope& e) noexcept {
  const offer_result offered = offer_with_care(here, to, limits, e);
  if (offered.result == tell_result::ok) return tell_result::ok;
  return refuse(here, &to, e, offered);
}

}  // namespace

namespace {

[[gnu::always_inline]] inline tell_result
send_from_thread(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept {
  return deliver(
      here, to, generation, e, [&](const offer_result& why) { return refuse(here, to, e, why); },
      [&](mailbox_limits limits) { return send_with_care(here, *to, limits, e); });
}

/// On a board: so that an interrupt, which does not come here, has no registers to save.
[[maybe_unused, gnu::noinline]] tell_result
send_out_of_line(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept {
  return send_from_thread(here, to, generation, e);
}

}  // namespace

tell_result send(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept {
  if constexpr (port::has_interrupts) {
    return is_interrupt(here) ? send_from_interrupt(to, generation, e)
                              : send_out_of_line(here, to, generation, e);
  } else {
    return send_from_thread(here, to, generation, e);
  }
}

void send_reserved(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept {
  e.generation = generation;
  e.from = here.sender;
  if (to == nullptr) return end_as_dead_letter(here, to, e, drop_reason::no_such_actor);
  const bool alive = to->generation() == generation;
  if (alive && after(here, to->box.push(e), *to).result == tell_result::ok) return;
  end_as_dead_letter(here, to, e, drop_reason::stopped);
}

tell_result post_system_reserved(cell& to, std::uint32_t generation, envelope& e) noexcept {
  if (to.generation() != generation) return tell_result::closed;
  const std::uint32_t limit = to.system_limit.load(relaxed);  // relaxed: like the other limits
  // Counted also where there is no limit: the slot's next tenant may have one. Unlimited: 0 - 1.
  if (try_acquire_permit(to.system_waiting, limit - 1) == 0) {
    tell_services(this_thread(), &to, [&](system_services& services) noexcept {
      services.system_reserve_used_up(actor_ref<>{&to, generation});
    });
    return tell_result::full;
  }
  e.kind = envelope_kind::system;
  e.detail = std::to_underlying(system_message_kind::message);
  e.generation = generation;
  note_traced_signal(this_thread(), to, e);
  const push_result pushed = to.box.push_system(e);
  if (pushed == push_result::closed) to.system_waiting.fetch_sub(1, relaxed);  // relaxed: a number
  return after(pushed, to).result;
}

bool post_system_message(cell& to, std::uint32_t generation, envelope& e,
                         system_message_kind what) noexcept {
  e.kind = envelope_kind::system;
  e.detail = std::to_underlying(what);
  e.generation = generation;
  if (to.generation() != generation) return false;
  // A terminated actor is not handled as it is sent.
  if (what != system_message_kind::terminated) note_traced_signal(this_thread(), to, e);
  return after(to.box.push_system(e), to).result == tell_result::ok;
}

void notify_actors(waiting_producers::notified actors) noexcept {
  while (capacity_waiter* const each = actors.pop_front()) {
    const auto& waiting = static_cast<const waiting_actor&>(*each);
    envelope& e = envelope_around(*each);
    if (post_system_message(*waiting.who, waiting.who_generation, e,
                            system_message_kind::capacity_available))
      continue;
    waiting_producers::notified others = program_memory.producers.give_back(waiting);
    discard_envelope(this_thread(), e);
    while (capacity_waiter* const other = others.pop_front())
      actors.push_back(*other);
  }
}

void give_back_capacity(thread_record& here, envelope& e) noexcept {
  waiting_producers::notified others =
      program_memory.producers.give_back(*static_cast<waiting_actor*>(payload_of(e)));
  discard_envelope(here, e);
  notify_capacity(std::move(others));
}

void give_back_used_capacity(thread_record& here) noexcept {
  while (envelope* const e = here.capacity_used) {
    here.capacity_used = e->next.get();
    give_back_capacity(here, *e);
  }
}

}  // namespace tactor::inline v0::internal
