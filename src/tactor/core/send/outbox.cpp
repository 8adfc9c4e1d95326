// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/outbox.hpp"

#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/full.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/sender.hpp"
#include "tactor/core/send/waiting_producers.hpp"

#include <new>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

constexpr offer_result no_memory{.result = tell_result::full, .why = drop_reason::no_memory};

/// The outboxes of the actor that runs here; null: none of its messages waits.
outboxes* outboxes_of(thread_record& here, const cell& c) noexcept {
  if (!c.reasons.has(suspend_reason::backpressure)) return nullptr;
  if (here.own_outboxes == nullptr)
    here.own_outboxes = static_cast<outboxes*>(program_memory.waits.find(c, c.tenant));
  return here.own_outboxes;
}

std::uint64_t key_of(const cell& receiver, std::uint32_t generation) noexcept {
  return std::uint64_t{receiver.slot} << 32U | generation;
}
outbox* find(thread_record& here, const cell& from, const cell& to,
             std::uint32_t generation) noexcept {
  const outboxes* const all = outboxes_of(here, from);
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

/// Requires: the outbox is empty, and the actor is not queued for it.
void free_outbox(thread_record& here, outbox& box) noexcept {
  if (box.waiting != nullptr) discard_envelope(here, *box.waiting);
  free_record(here, &box);
}

/// An empty outbox, and the record with which its actor waits. Returns: null if there is no memory.
outbox* make_outbox(thread_record& here, cell& from, cell& to, std::uint32_t generation) noexcept {
  auto* const box = new_record<outbox>(here);
  if (box == nullptr) return nullptr;
  box->to = &to;
  box->generation = generation;
  box->key = key_of(to, generation);
  box->waiting = new_envelope<waiting_actor>(here);
  if (box->waiting == nullptr) {
    free_outbox(here, *box);
    return nullptr;
  }
  auto& waiting = *::new (payload_of(*box->waiting)) waiting_actor;
  waiting.mailbox = &to;
  waiting.mailbox_generation = generation;
  waiting.who = &from;
  waiting.who_generation = from.tenant;
  waiting.reason = suspend_reason::backpressure;
  waiting.takes_permit = true;
  return box;
}

/// The actor waits in line for a permit.
waiting_producers::enqueued wait_in_line(const outbox& box) noexcept {
  waiting_producers::notified others;
  const auto result = program_memory.producers.enqueue(waiting_of(box), others);
  notify_capacity(std::move(others));
  return result;
}

/// The first message of an outbox: the actor begins to wait for `to`. Requires: `all` has no outbox
/// for `to`.
offer_result begin_outbox(const turn_context& in, outboxes& all, cell& to, envelope& e) noexcept {
  thread_record& here = in.thread;
  outbox* const box = make_outbox(here, in.actor, to, e.generation);
  if (box == nullptr) return no_memory;
  wait_circle found;
  if (!program_memory.waits.add(all, *box, found)) {
    if (program_memory.waits.is_news(found, in.system.now_ns()))
      in.system.backpressure_circle(found);
    free_outbox(here, *box);
    return {.result = tell_result::would_deadlock, .why = drop_reason::would_deadlock};
  }
  const auto result = wait_in_line(*box);
  if (result == waiting_producers::enqueued::waits) {
    all.by_receiver.insert(*box);
    append(*box, e);
    return {};
  }
  const bool has_permit = waiting_of(*box).has_permit;
  program_memory.waits.remove(all, *box);
  free_outbox(here, *box);
  if (has_permit)  // there is capacity by now
    return push_with_permit(here, to, e, permits_taken_of(to));
  return result == waiting_producers::enqueued::no_memory ? no_memory : actor_gone;
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
    const offer_result sent = push_with_permit(here, *box.to, *e, permits_taken_of(*box.to));
    if (!sent.is_ok())
      end_as_dead_letter(here, box.to, *e, explained(sent, box.to, box.generation).why);
    if (box.size == 0) return true;
    const auto next = wait_in_line(box);
    if (next == waiting_producers::enqueued::waits) return false;
    if (next == waiting_producers::enqueued::no_memory) {
      end_messages(here, box, drop_reason::no_memory);
      return true;
    }
  }
  end_messages(here, box, closed_by(*box.to, box.generation).why);
  return true;
}

/// The actor does not wait in line for this outbox any more.
void leave_line(outbox& box) noexcept {
  waiting_producers::notified others;
  // Otherwise the notification is under way, and ends when it is taken.
  if (!program_memory.producers.cancel(waiting_of(box), others)) box.waiting = nullptr;
  notify_capacity(std::move(others));
}

/// Removes an outbox from the others and from the wait graph.
void remove(outboxes& from, outbox& box) noexcept {
  from.by_receiver.erase(box);
  program_memory.waits.remove(from, box);
}

/// Takes the message of an ask out of an outbox. Returns: null if it does not wait there.
envelope* take_question(outbox& from, origin question) noexcept {
  envelope* before = nullptr;
  envelope* e = from.messages.front();
  while (e != nullptr && e->from != question)
    before = std::exchange(e, e->next.get());
  if (e == nullptr) return nullptr;
  from.messages.erase_after(before, *e);
  --from.size;
  return e;
}

void free_outboxes(thread_record& here, outboxes& all) noexcept {
  here.own_outboxes = nullptr;
  free_record(here, &all);
}

}  // namespace

bool holds_back(thread_record& here, const cell& from, const cell& to,
                std::uint32_t generation) noexcept {
  return find(here, from, to, generation) != nullptr;
}

offer_result hold_back(const turn_context& in, cell& to, envelope& e) noexcept {
  thread_record& here = in.thread;
  cell& from = in.actor;
  if (outbox* const known = find(here, from, to, e.generation)) {
    if (known->size >= outbox::capacity)
      return {.result = tell_result::full, .why = drop_reason::full};
    append(*known, e);
    return {};
  }
  if (outboxes* const all = outboxes_of(here, from)) return begin_outbox(in, *all, to, e);
  auto* const first = new_record<outboxes>(here);
  if (first == nullptr) return no_memory;
  first->who = &from;
  first->generation = from.tenant;
  const offer_result result = begin_outbox(in, *first, to, e);
  if (first->first == nullptr) {
    free_outboxes(here, *first);
    return result;
  }
  here.own_outboxes = first;
  from.reasons.add(suspend_reason::backpressure);
  (void)from.box.give_notice();  // `turn::step` announces the reason; the cell is running
  return result;
}

bool take_permit(const turn_context& in, envelope& e) noexcept {
  thread_record& here = in.thread;
  const cell& c = in.actor;
  const auto& served = *static_cast<const waiting_actor*>(payload_of(e));
  outbox* const box = find(here, c, *served.mailbox, served.mailbox_generation);
  if (box == nullptr || box->waiting != &e) {
    give_back_capacity(here, e);
    return false;
  }
  if (!flush(here, *box)) return false;
  outboxes& all = *outboxes_of(here, c);
  remove(all, *box);
  free_outbox(here, *box);
  if (all.first != nullptr) return false;
  free_outboxes(here, all);
  return true;
}

withdrawal withdraw(thread_record& here, cell& from, const actor_ref<>& to,
                    origin question) noexcept {
  if (!to) return withdrawal::nothing;
  outbox* const box = find(here, from, *to.slot(), to.generation());
  envelope* const e = box == nullptr ? nullptr : take_question(*box, question);
  if (e == nullptr) return withdrawal::nothing;
  e->from = origin::of_actor(from.slot, from.tenant);  // nobody waits for an answer
  outboxes& all = *outboxes_of(here, from);
  if (box->size == 0) {
    remove(all, *box);
    leave_line(*box);
    free_outbox(here, *box);
  }
  const bool was_last = all.first == nullptr;
  if (was_last) free_outboxes(here, all);
  end_as_dead_letter(here, to.slot(), *e, drop_reason::wait_timed_out);
  return was_last ? withdrawal::the_last : withdrawal::one_of_many;
}

void end_outboxes(thread_record& here, cell& c) noexcept {
  outboxes* const all = outboxes_of(here, c);
  if (all == nullptr) return;
  const origin as_sender = origin::of_actor(c.slot, c.tenant);
  while (wait_edge* const first = all->first) {
    outbox& box = static_cast<outbox&>(*first);
    remove(*all, box);
    leave_line(box);
    for (envelope* e = box.messages.front(); e != nullptr; e = e->next.get())
      if (is_ended_ask(e->from)) e->from = as_sender;
    end_messages(here, box, drop_reason::sender_stopped);
    free_outbox(here, box);
  }
  free_outboxes(here, *all);
}

const outbox_functions outbox_feature{.hold_back = hold_back,
                                      .holds_back = holds_back,
                                      .take_permit = take_permit,
                                      .withdraw = withdraw,
                                      .end = end_outboxes};

}  // namespace tactor::inline v0::internal
