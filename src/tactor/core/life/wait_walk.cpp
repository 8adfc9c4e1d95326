// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/wait_walk.hpp"

#include "tactor/core/cell/ask_slot.hpp"
#include "tactor/core/cell/system_reports.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_deadlines.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/actor_tasks.hpp"
#include "tactor/core/life/outbox.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"

#include <new>

namespace tactor::inline v0::internal {
namespace {

outboxes* outboxes_or_null(const cell& c) noexcept {
  return c.extended ? c.parts->outboxes : nullptr;
}

/// Tells whether nothing has ended that wait. Context: any thread.
bool still_waits(const wait_walk::link& waits) noexcept {
  if (waits.edge != 0) return program_memory.waits.has(waits.from, waits.edge);
  return program_memory.asks[waits.question.index()].peek().is_open_for(waits.question.generation);
}

/// Tells whether only this actor can end that wait: it handles the question, or the question waits
/// in its mailbox. Requires: the wait leads to this actor.
bool is_waited_for(const cell& c, const wait_walk::link& by) noexcept {
  if (!still_waits(by)) return false;
  if (by.edge != 0) return true;
  const actor_tasks* const tasks = tasks_of(c);
  if (tasks != nullptr && tasks->is_to_answer(by.question)) return true;
  return c.reader.any_of(c.box, [&](const envelope& e) { return e.from == by.question; });
}

void send_on(thread_record& here, const wait_walk& walk, cell& to,
             std::uint32_t generation) noexcept {
  envelope* const e = new_envelope<wait_walk>(here);
  if (e == nullptr) return;
  auto* const next = ::new (payload_of(*e)) wait_walk(walk);
  if (next->met.size == 1) next->first = next->last;
  if (!post_system_message(to, generation, *e, system_message_kind::wait_walk))
    discard_envelope(here, *e);
}

/// Ends the ask of the cycle that would time out first, and reports the cycle. Another walk may
/// have done so.
void end_cycle(const turn_context& in, const wait_walk& walk) noexcept {
  if (walk.weakest_deadline_ns == 0) return;
  if (!try_refuse_asker(in.thread, walk.weakest, ask_failure::would_deadlock)) return;
  if (in.system.reports == nullptr) return;
  stuck_wait found{walk.met};
  found.refused = walk.weakest_asker;
  in.system.reports->stuck(found);
}

/// The walk ends at an actor that awaits a signal.
void end_at_signal(const turn_context& in, const wait_walk& walk, std::uint64_t key) noexcept {
  if (in.system.reports == nullptr || walk.met.size == 1) return;
  if (!program_memory.waits.is_news(walk.met, in.system.now_ns())) return;
  stuck_wait found{walk.met};
  found.signal = key;
  in.system.reports->stuck(found);
}

/// Sends the walk on along all that this actor waits for.
void follow(const turn_context& in, wait_walk& walk) noexcept {
  const cell& c = in.actor;
  const actor_ref<> self{&in.actor, c.tenant};
  if (walk.met.size < wait_cycle::most) walk.met.actors[walk.met.size] = self;
  ++walk.met.size;
  const actor_tasks* const tasks = tasks_of(c);
  const sole_wait awaited = tasks == nullptr ? sole_wait{} : tasks->awaited_alone();
  const bool asks = awaited.what == sole_wait::kind::answer;
  const outboxes* const sends = outboxes_or_null(c);
  const wait_edge* const edges = sends == nullptr ? nullptr : sends->first;
  if (awaited.what == sole_wait::kind::signal) end_at_signal(in, walk, awaited.key.value);

  std::uint32_t branches = asks ? 1 : 0;
  for (const wait_edge* each = edges; each != nullptr; each = each->next)
    ++branches;
  if (branches == 0 || branches >= walk.steps_left) return;
  walk.steps_left = (walk.steps_left - 1) / branches;
  for (const wait_edge* each = edges; each != nullptr; each = each->next) {
    walk.last = {.from = self, .question = {}, .edge = each->number};
    send_on(in.thread, walk, *each->to, each->generation);
  }
  if (!asks) return;
  walk.last = {.from = self, .question = awaited.question};
  const bool is_weakest =
      walk.weakest_deadline_ns == 0 || awaited.deadline_ns < walk.weakest_deadline_ns;
  if (is_weakest) {
    walk.weakest = awaited.question;
    walk.weakest_asker = self;
    walk.weakest_deadline_ns = awaited.deadline_ns;
  }
  send_on(in.thread, walk, *awaited.target.slot(), awaited.target.generation());
}

}  // namespace

void begin_wait_walk(const turn_context& in) noexcept {
  wait_walk walk;
  follow(in, walk);
}

void go_on_with_wait_walk(const turn_context& in, envelope& e) noexcept {
  wait_walk walk = *static_cast<const wait_walk*>(payload_of(e));
  discard_envelope(in.thread, e);
  const cell& c = in.actor;
  if (!is_waited_for(c, walk.last)) return;
  if (walk.met.actors[0] != actor_ref<>{&in.actor, c.tenant}) return follow(in, walk);
  if (still_waits(walk.first)) end_cycle(in, walk);
}

void begin_looks(const turn_context& in) noexcept {
  actor_parts& parts = *in.actor.parts;
  parts.outboxes->looks = 0;
  if (parts.deadlines.is_set(deadline_of::long_wait)) return;
  const std::uint64_t now_ns = in.system.now_ns();
  if (parts.deadlines.set(in.system, in.actor, deadline_of::long_wait,
                          later(now_ns, long_wait_time), now_ns))
    parts.outboxes->looks = 1;
}

void look_at_wait(const turn_context& in, std::uint64_t now_ns) noexcept {
  outboxes& all = *in.actor.parts->outboxes;
  if (all.first == nullptr) return;
  const std::uint32_t looks = all.looks++;
  // If this wait is younger than the deadline, it is not known how old it is.
  if (looks != 0) begin_wait_walk(in);
  const duration pause = std::chrono::seconds{std::int64_t{1} << (looks < 12 ? looks : 12)};
  (void)in.actor.parts->deadlines.set(in.system, in.actor, deadline_of::long_wait,
                                      later(now_ns, pause), now_ns);
}

const wait_walk_functions wait_walk_feature{.begin = begin_wait_walk,
                                            .begin_looks = begin_looks,
                                            .look = look_at_wait,
                                            .go_on = go_on_with_wait_walk};

}  // namespace tactor::inline v0::internal
