// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/outbox.hpp"

#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/full.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/sender.hpp"

#include <utility>

namespace tactor::inline v0::internal {
namespace {

constexpr offer_result no_memory{.result = tell_result::full, .why = drop_reason::no_memory};

/// The outboxes of an actor, made if there are none. Returns: null if there is no memory.
outboxes* outboxes_of(const turn_context& in) noexcept {
  actor_parts* const parts = parts_of(in.thread, in.actor);
  if (parts == nullptr || parts->outboxes != nullptr)
    return parts == nullptr ? nullptr : parts->outboxes;
  auto* const made = new_record<outboxes>(in.thread);
  if (made == nullptr) return nullptr;
  made->who = &in.actor;
  made->generation = in.actor.tenant;
  return parts->outboxes = made;
}

outbox* find(const outboxes& all, const cell& to, std::uint32_t generation) noexcept {
  const mailbox_index receiver{.slot = to.slot, .generation = generation};
  return static_cast<outbox*>(all.by_receiver.find(receiver.key()));
}

/// Stands in line for a permit.
waiting_producers::enqueued wait_in_line(outbox& box) noexcept {
  waiting_producers::notified others;
  const auto result = program_memory.producers.enqueue(box, others);
  notify_capacity(std::move(others));
  return result;
}

void append(outbox& to, envelope& e) noexcept {
  to.messages.push(e);
  ++to.size;
}

/// The first message of an outbox: the actor begins to wait for `to`. Requires: `all` has no outbox
/// for `to`.
offer_result begin_outbox(const turn_context& in, outboxes& all, cell& to, envelope& e) noexcept {
  auto* const box = new_waiting_actor<outbox>(in.thread, in.actor, {&to, e.generation});
  if (box == nullptr) return no_memory;
  box->takes_permit = true;
  box->key = mailbox_index{.slot = to.slot, .generation = e.generation}.key();
  box->to = &to;
  box->generation = e.generation;
  wait_cycle found;
  if (!program_memory.waits.add(all, *box, found)) {
    if (in.system.reports != nullptr && program_memory.waits.is_news(found, in.system.now_ns()))
      in.system.reports->cycle(found);
    discard_envelope(in.thread, *box->news);
    return {.result = tell_result::would_deadlock, .why = drop_reason::would_deadlock};
  }
  const auto begun = wait_in_line(*box);
  if (begun == waiting_producers::enqueued::waits) {
    const bool is_first = all.by_receiver.empty();
    all.by_receiver.insert(*box);
    append(*box, e);
    suspend_for(in, suspend_reason::backpressure);
    if (is_first && program_features().wait_walks != nullptr)
      program_features().wait_walks->begin_looks(in);
    return {};
  }
  const bool has_permit = box->has_permit;
  program_memory.waits.remove(all, *box);
  discard_envelope(in.thread, *box->news);
  if (has_permit)  // there is capacity by now
    return push_with_permit(in.thread, to, e, permits_taken_of(to));
  return begun == waiting_producers::enqueued::no_memory ? no_memory : actor_gone;
}

void end_messages(thread_record& here, outbox& box, drop_reason why) noexcept {
  while (envelope* const e = box.messages.pop())
    end_refused(here, box.to, *e, why);
  box.size = 0;
}

/// Sends what the outbox holds, a permit for each message. Returns: whether the outbox is empty
/// now; if not, it stands in line. Requires: it does not yet.
bool flush(thread_record& here, outbox& box) noexcept {
  while (std::exchange(box.has_permit, false)) {
    --box.size;
    envelope* const e = box.messages.pop();
    const offer_result sent = push_with_permit(here, *box.to, *e, permits_taken_of(*box.to));
    if (!sent.is_ok()) end_refused(here, box.to, *e, explained(sent, box.to, box.generation).why);
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

/// Removes an outbox from the others and from the wait graph.
void remove(outboxes& from, outbox& box) noexcept {
  from.by_receiver.erase(box);
  program_memory.waits.remove(from, box);
}

/// An outbox that is empty, and may stand in line, is over.
void leave_line(thread_record& here, outbox& box) noexcept {
  waiting_producers::notified others;
  box.is_over = true;
  // Otherwise it is on its way back: another thread may have it, and may free it.
  if (program_memory.producers.cancel(box, others)) discard_envelope(here, *box.news);
  notify_capacity(std::move(others));
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

}  // namespace

bool holds_back(const cell& from, const cell& to, std::uint32_t generation) noexcept {
  return find(*from.parts->outboxes, to, generation) != nullptr;
}

offer_result hold_back(const turn_context& in, cell& to, envelope& e) noexcept {
  outboxes* const all = outboxes_of(in);
  if (all == nullptr) return no_memory;
  outbox* const known = find(*all, to, e.generation);
  if (known == nullptr) return begin_outbox(in, *all, to, e);
  if (known->size < outbox::capacity) {
    append(*known, e);
    return {};
  }
  if (!std::exchange(known->is_full, true))
    in.system.misused(in.actor,
                      "more than 64 messages of one handler wait for one mailbox, and the "
                      "others are refused: ask ctx.outbox_room(ref) how many fit, and "
                      "send the rest in a later message");
  return {.result = tell_result::full, .why = drop_reason::full};
}

std::uint32_t outbox_room(const cell& from, const actor_ref<>& to) noexcept {
  const outboxes* const all = from.extended ? from.parts->outboxes : nullptr;
  const outbox* const known =
      all == nullptr || !to ? nullptr : find(*all, *to.slot(), to.generation());
  return outbox::capacity - (known == nullptr ? 0 : known->size);
}

void take_permit(const turn_context& in, envelope& e) noexcept {
  outbox& box = *static_cast<outbox*>(payload_of(e));
  if (box.is_over) return give_back_capacity(in.thread, box);
  if (!flush(in.thread, box)) return;
  outboxes& all = *in.actor.parts->outboxes;
  remove(all, box);
  discard_envelope(in.thread, e);
  if (all.first == nullptr) end_suspension(in, suspend_reason::backpressure);
}

bool withdraw(const turn_context& from, const actor_ref<>& to, origin question) noexcept {
  if (!to) return false;
  outboxes& all = *from.actor.parts->outboxes;
  outbox* const box = find(all, *to.slot(), to.generation());
  envelope* const e = box == nullptr ? nullptr : take_question(*box, question);
  if (e == nullptr) return false;
  e->from = origin::of_actor(from.actor.slot, from.actor.tenant);  // nobody waits for an answer
  if (box->size == 0) {
    remove(all, *box);
    leave_line(from.thread, *box);
  }
  end_refused(from.thread, to.slot(), *e, drop_reason::wait_timed_out);
  if (all.first == nullptr) end_suspension(from, suspend_reason::backpressure);
  return true;
}

void end_outboxes(thread_record& here, cell& c) noexcept {
  outboxes& all = *c.parts->outboxes;
  const origin as_sender = origin::of_actor(c.slot, c.tenant);
  while (wait_edge* const first = all.first) {
    outbox& box = static_cast<outbox&>(*first);
    remove(all, box);
    for (envelope* e = box.messages.front(); e != nullptr; e = e->next.get())
      if (is_ended_ask(e->from)) e->from = as_sender;
    end_messages(here, box, drop_reason::sender_stopped);
    leave_line(here, box);
  }
}

namespace {

void give_back(thread_record& here, envelope& permit) noexcept {
  give_back_capacity(here, *static_cast<const outbox*>(payload_of(permit)));
}

}  // namespace

const outbox_functions outbox_feature{.hold_back = hold_back,
                                      .holds_back = holds_back,
                                      .room = outbox_room,
                                      .take_permit = take_permit,
                                      .give_back = give_back,
                                      .withdraw = withdraw,
                                      .end = end_outboxes};

}  // namespace tactor::inline v0::internal
