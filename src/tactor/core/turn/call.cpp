// SPDX-License-Identifier: BSL-1.0
// The call of a handler, and what is called around it.
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/actor_tasks.hpp"
#include "tactor/core/life/failure.hpp"
#include "tactor/core/life/stash.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/observe/turn_times.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/full.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/send_times.hpp"
#include "tactor/core/send/sender.hpp"
#include "tactor/core/send/timer_envelope.hpp"
#include "tactor/core/send/traced_messages.hpp"
#include "tactor/core/turn/middleware.hpp"
#include "tactor/core/turn/turn.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::inline v0::internal {

// The call of a handler, with everything around it: a span, a measurement, middleware, the outcome.

/// Returns: `awaiting` if a coroutine that awaits something has taken over the message.
call_result turn::receive(envelope& e) noexcept {
  called_ = true;
  actor.current = &e;
  thread.handling.store(e.operations, relaxed);  // relaxed: a hint
  failure& why = thread.failures.why;
  call_span span{thread, actor, e};
  const call_result said = call(e, why);
  span.set_failed(said == call_result::failed);
  if (actor.filtered && e.kind != envelope_kind::system && said != call_result::awaiting)
    program_features().middleware->tell(*this, e, said, true);
  if (said != call_result::done) {
    settle(said, e, why);
  } else if (e.kind != envelope_kind::system && counts_as_activity(e)) {
    actor.active = true;
  }
  return said;
}

/// Handles a message that has left its queue, and ends it unless a coroutine has taken it over.
void turn::receive_taken(envelope& e) noexcept {
  if (receive(e) != call_result::awaiting) discard_envelope(thread, e);
}

/// A coroutine may outlive a notification that stands on the stack.
void turn::receive_notification(envelope& on_stack) noexcept {
  if (receive(on_stack) == call_result::awaiting) tasks_of(actor)->copy_message(thread);
}

/// Calls the handler, and measures it if this turn is measured.
call_result turn::call(envelope& e, failure& why) noexcept {
  turn_times* const times = times_of(thread.counters);
  if (times != nullptr && times->measuring && e.kind != envelope_kind::system) [[unlikely]]
    return program_features().measuring->call(*this, *times, e, why);
  return running_type(actor).receive(actor.object, context_of(actor), e, why);
}

/// The first handler of the turn. Its sends were measured, too.
call_result turn::call_measured(turn_times& times, envelope& e, failure& why) noexcept {
  times.measuring = false;
  const std::uint64_t begun_ns = system.now_ns();
  const call_result said = running_type(actor).receive(actor.object, context_of(actor), e, why);
  times.record_duration(actor.slot, actor.tenant, system.now_ns() - begun_ns);
  thread.fast_limits = 0;
  return said;
}

const measuring_functions measuring_feature{.call = call_member<&turn::call_measured>};

/// Records how long ago the message was sent.
void turn::record_latency(envelope& e) noexcept {
  const std::uint64_t sent_ns = take_send_time(actor, e);
  turn_times* const times = times_of(thread.counters);
  if (times == nullptr) return;
  const std::uint64_t now_ns = system.now_ns();
  if (now_ns >= sent_ns) times->record_latency(actor.slot, actor.tenant, now_ns - sent_ns);
}

/// A handler failed, or awaits, or there is none.
void turn::settle(call_result said, envelope& e, const failure& why) noexcept {
  if (said ==
      call_result::awaiting) {  // a re-entrant handler: the actor is not suspended meanwhile
    actor.active = actor.active || (e.kind != envelope_kind::system && counts_as_activity(e));
    return;
  }
  if (said == call_result::failed) return fail(e.operations, e.from, why);
  if (e.kind != envelope_kind::system) ++thread.unhandled;
  report_unhandled(system, actor, e);
  internal::refuse_answer(thread, e.from, ask_failure::no_reply);
}

void turn::fail(const message_operations* message, origin asker, const failure& why) noexcept {
  failed_ = true;
  internal::fail(*this, message, asker, why);
}

namespace {

using chain = std::span<middleware* const>;

chain of_system(const system_services& services) noexcept {
  return services.constants.middleware == nullptr ? chain{} : services.constants.middleware->list;
}
chain of_actor(const cell& c) noexcept {
  const actor_parts* const parts = parts_or_null(c);
  return parts == nullptr || parts->middleware == nullptr ? chain{} : parts->middleware->list;
}

invocation describe(cell& c, envelope& e, bool has_message) noexcept {
  return {actor_ref<>{&c, c.tenant}, sending_actor(e.from), *e.operations,
          has_message ? payload_of(e) : nullptr};
}

invoke_outcome outcome_of(const envelope& handled, call_result said) noexcept {
  if (said == call_result::failed) return invoke_outcome::failed;
  if (said != call_result::done) return invoke_outcome::unhandled;
  return handled.state() == is_stashed ? invoke_outcome::stashed : invoke_outcome::done;
}

/// Tells the first `count` middlewares, those of the system before those of the actor, in reverse
/// order.
void tell_after(const system_services& services, const cell& c, const invocation& ended,
                invoke_outcome how, std::size_t count) noexcept {
  const chain outer = of_system(services);
  const chain inner = of_actor(c);
  while (count-- > 0) {
    middleware* const one = count < outer.size() ? outer[count] : inner[count - outer.size()];
    one->after_invoke(ended, how);
  }
}
void tell_all_after(const system_services& services, cell& c, envelope& e, bool has_message,
                    invoke_outcome how) noexcept {
  tell_after(services, c, describe(c, e, has_message), how,
             of_system(services).size() + of_actor(c).size());
}

/// Gives an actor its middleware. Returns: false if there is no memory.
bool give_middleware(thread_record& here, cell& to, const middleware_chain& what) noexcept {
  actor_parts* const parts = parts_of(here, to);
  if (parts == nullptr) return false;
  parts->middleware = &what;
  return true;
}

/// Tells the middleware that `message`, or the coroutine that handled it, was destroyed.
void tell_destroyed(const system_services& services, cell& c, envelope& message) noexcept {
  tell_all_after(services, c, message, false, invoke_outcome::destroyed);
}

/// Tells whether it is a timer's message that was cancelled in the mailbox: then it will not be
/// handled.
bool is_cancelled(envelope& e) noexcept {
  return e.kind == envelope_kind::timer && timer_envelope::of(e).job().is_cancelled();
}

/// Puts a message that is held back into the side queue, if it comes from there.
void put_back(thread_record& here, cell& c, envelope& e) noexcept {
  locked_queue* const side_queue = c.own_side_queue();
  if (side_queue == nullptr) return;
  envelope* const evicted = c.reader.put_back(c.box, *side_queue, priority_in(*side_queue, e));
  if (evicted != nullptr) end_as_dead_letter(here, &c, *evicted, drop_reason::dropped_oldest);
}

}  // namespace

// Middleware: what is called before and after a handler.

admittance turn::admit(envelope& e) noexcept {
  proceeded_ = false;
  if (is_cancelled(e)) return admittance::proceed;
  const invocation next = describe(actor, e, e.kind != envelope_kind::timer);
  std::size_t entered = 0;
  for (const chain each : {of_system(system), of_actor(actor)}) {
    for (middleware* const one : each) {
      const invoke_decision said = one->before_invoke(next);
      if (said.what == invoke_decision::kind::drop) {
        tell_after(system, actor, next, invoke_outcome::dropped, entered);
        return admittance::drop;
      }
      if (said.what == invoke_decision::kind::hold) {
        if (internal::suspend(*this, said.reason, said.until)) {
          tell_after(system, actor, next, invoke_outcome::held, entered);
          return admittance::hold;
        }
        system.misused(actor, "a middleware returned `hold` with an invalid reason or "
                              "condition: the message was handled instead");
      }
      ++entered;
    }
  }
  proceeded_ = true;
  return admittance::proceed;
}

void turn::tell_middleware(envelope& e, call_result said, bool has_message) noexcept {
  tell_all_after(system, actor, e, has_message, outcome_of(e, said));
}

/// A held message stays where it is, or goes back into the side queue, where it counts against the
/// capacity and can be evicted.
turn_step turn::handle_filtered(envelope& e) noexcept {
  const bool asked = e.kind != envelope_kind::answer && e.generation == actor.tenant;
  const admittance said = asked ? admit(e) : admittance::proceed;
  if (said == admittance::hold) {
    put_back(thread, actor, e);
    return turn_step::continue_turn;
  }
  if (said == admittance::proceed) return handle_admitted(e);
  ++handled_;
  ++thread.unhandled;
  release_permit(actor, e);
  return reject(e, drop_reason::middleware);
}

const middleware_functions middleware_feature{.give = give_middleware,
                                              .filter = call_member<&turn::handle_filtered>,
                                              .admit = call_member<&turn::admit>,
                                              .tell = call_member<&turn::tell_middleware>,
                                              .tell_destroyed = tell_destroyed};

}  // namespace tactor::inline v0::internal
