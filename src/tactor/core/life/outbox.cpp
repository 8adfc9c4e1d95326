// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/outbox.hpp"

#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/send/offer_rules.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/waiting_producers.hpp"

#include <new>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

outboxes* outboxes_or_null(const cell& c) noexcept {
  return c.extended && c.parts->suspension != nullptr ? c.parts->suspension->outboxes : nullptr;
}
outboxes* outboxes_of(thread_record& here, cell& c) noexcept {
  suspension* const record = suspension_of(here, c);
  if (record == nullptr) return nullptr;
  if (record->outboxes == nullptr) {
    record->outboxes = new_record<outboxes>(here);
    if (record->outboxes == nullptr) return nullptr;
    record->outboxes->who = &c;
    record->outboxes->generation = c.tenant;
  }
  return record->outboxes;
}

std::uint64_t key_of(const cell& receiver, std::uint32_t generation) noexcept {
  return std::uint64_t{receiver.slot} << 32U | generation;
}
outbox* find(const cell& from, const cell& to, std::uint32_t generation) noexcept {
  const outboxes* const all = outboxes_or_null(from);
  if (all == nullptr) return nullptr;
  return static_cast<outbox*>(all->by_receiver.find(key_of(to, generation)));
}

void append(outbox& to, envelope& e) noexcept {
  to.messages.push(e);
  ++to.size;
}

waiting_actor& waiting_of(const outbox& box) noexcept {
  return *static_cast<waiting_actor*>(payload_of(*box.waiting));
}

/// The record with which the actor waits. Returns: false if there is no memory.
bool make_waiting(thread_record& here, cell& from, outbox& box) noexcept {
  box.waiting = new_envelope<waiting_actor>(here);
  if (box.waiting == nullptr) return false;
  auto& waiting = *::new (payload_of(*box.waiting)) waiting_actor;
  waiting.mailbox = box.to;
  waiting.mailbox_generation = box.generation;
  waiting.who = &from;
  waiting.who_generation = from.tenant;
  waiting.reason = suspend_reason::backpressure;
  waiting.takes_permit = true;
  return true;
}

void end_messages(thread_record& here, outbox& box, drop_reason why) noexcept {
  while (envelope* const e = box.messages.pop())
    end_as_dead_letter(here, box.to, *e, why);
  box.size = 0;
}

/// Sends what the outbox holds, a permit for each message. Returns: whether the outbox is empty
/// now; if not, the actor waits. Requires: it has just been served, or is not queued.
bool flush(thread_record& here, outbox& box) noexcept {
  waiting_actor& waiting = waiting_of(box);
  while (waiting.has_permit) {
    waiting.has_permit = false;
    --box.size;
    envelope* const e = box.messages.pop();
    const offer_result sent = push_with_permit(here, *box.to, *e);
    if (sent.result != tell_result::ok)
      end_as_dead_letter(here, box.to, *e, explained(sent, box.to, box.generation).why);
    if (box.size == 0) return true;
    waiting_producers::notified others;
    const auto next = program_memory.producers.enqueue(waiting, others);
    notify_capacity(std::move(others));
    if (next == waiting_producers::enqueued::waits) return false;
    if (next == waiting_producers::enqueued::no_memory) {
      end_messages(here, box, drop_reason::no_memory);
      return true;
    }
  }
  end_messages(here, box, closed_by(*box.to, box.generation).why);
  return true;
}

/// Requires: the outbox is empty, and the actor is not queued for it.
void free_outbox(thread_record& here, outbox& box) noexcept {
  if (box.waiting != nullptr) discard_envelope(here, *box.waiting);
  free_record(here, &box);
}

/// Reports a circle, unless its last message was refused a moment ago, too.
void report(system_services& services, outboxes& of, const outbox& to,
            const wait_circle& found) noexcept {
  if (of.reported.is_new(to.key, services.now_ns())) services.backpressure_circle(found);
}

}  // namespace

bool holds_back(const cell& from, const cell& to, std::uint32_t generation) noexcept {
  return find(from, to, generation) != nullptr;
}

offer_result hold_back(const turn_context& in, cell& to, envelope& e) noexcept {
  cell& from = in.actor;
  constexpr offer_result no_memory{.result = tell_result::full, .why = drop_reason::no_memory};
  if (outbox* const known = find(from, to, e.generation)) {
    if (known->size >= outbox::capacity)
      return {.result = tell_result::full, .why = drop_reason::full};
    append(*known, e);
    return {};
  }
  outboxes* const all = outboxes_of(in.thread, from);
  outbox* const box = all == nullptr ? nullptr : new_record<outbox>(in.thread);
  if (box == nullptr) return no_memory;
  box->to = &to;
  box->generation = e.generation;
  box->key = key_of(to, e.generation);
  if (!make_waiting(in.thread, from, *box)) {
    free_outbox(in.thread, *box);
    return no_memory;
  }
  wait_circle found;
  if (!program_memory.waits.add(*all, *box, found)) {
    report(in.system, *all, *box, found);
    free_outbox(in.thread, *box);
    return {.result = tell_result::would_deadlock, .why = drop_reason::would_deadlock};
  }
  waiting_producers::notified others;
  const auto result = program_memory.producers.enqueue(waiting_of(*box), others);
  notify_capacity(std::move(others));
  if (result == waiting_producers::enqueued::waits) {
    all->by_receiver.insert(*box);
    append(*box, e);
    suspend_for(in, suspend_reason::backpressure);
    return {};
  }
  const bool has_permit = waiting_of(*box).has_permit;
  program_memory.waits.remove(*all, *box);
  free_outbox(in.thread, *box);
  if (has_permit) return push_with_permit(in.thread, to, e);  // there is capacity by now
  if (result == waiting_producers::enqueued::no_memory) return no_memory;
  return {.result = tell_result::closed, .why = drop_reason::stopped};
}

void take_permit(const turn_context& in, envelope& e) noexcept {
  const auto& served = *static_cast<const waiting_actor*>(payload_of(e));
  outbox* const box = find(in.actor, *served.mailbox, served.mailbox_generation);
  if (box == nullptr || box->waiting != &e) return give_back_capacity(in.thread, e);
  if (!flush(in.thread, *box)) return;
  outboxes& all = *in.actor.parts->suspension->outboxes;
  all.by_receiver.erase(*box);
  program_memory.waits.remove(all, *box);
  free_outbox(in.thread, *box);
  if (all.first == nullptr) end_suspension(in, suspend_reason::backpressure);
}

void end_outboxes(thread_record& here, cell& c) noexcept {
  outboxes* const all = outboxes_or_null(c);
  if (all == nullptr) return;
  while (wait_edge* const first = all->first) {
    outbox& box = static_cast<outbox&>(*first);
    all->by_receiver.erase(box);
    program_memory.waits.remove(*all, box);
    waiting_producers::notified others;
    // Otherwise the notification is under way, and ends when it is taken.
    if (!program_memory.producers.cancel(waiting_of(box), others)) box.waiting = nullptr;
    notify_capacity(std::move(others));
    end_messages(here, box, drop_reason::sender_stopped);
    free_outbox(here, box);
  }
  free_record(here, std::exchange(c.parts->suspension->outboxes, nullptr));
}

const outbox_functions outbox_feature{.hold_back = hold_back,
                                      .holds_back = holds_back,
                                      .take_permit = take_permit,
                                      .end = end_outboxes};

}  // namespace tactor::inline v0::internal
