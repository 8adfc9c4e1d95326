// SPDX-License-Identifier: BSL-1.0
// The slow path of actors with middleware: what is called before and after a handler. A board without any does not link it.
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/delivery/offer_rules.hpp"
#include "tactor/core/actor/delivery/timer_envelope.hpp"
#include "tactor/core/actor/lifecycle/actor_tasks.hpp"
#include "tactor/core/actor/lifecycle/extras/actor_extras.hpp"
#include "tactor/core/actor/lifecycle/extras/rare_lists.hpp"
#include "tactor/core/actor/lifecycle/suspension.hpp"
#include "tactor/core/actor/runtime/runtime_memory.hpp"
#include "tactor/core/actor/turn/middleware.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <span>

namespace tactor::inline v0::internal {
namespace {

using list = std::span<middleware* const>;

list of_system(const system_services& services) noexcept {
  return services.constants->middleware == nullptr ? list{} : services.constants->middleware->list;
}
list of_actor(const cell& c) noexcept {
  const rare_lists* const lists = c.extended ? c.extras->rare : nullptr;
  return lists == nullptr || lists->middleware == nullptr ? list{} : lists->middleware->list;
}

invocation describe(cell& c, envelope& e, bool has_message) noexcept {
  const actor_ref<> sender =
      e.from.what() == origin::kind::actor
          ? actor_ref<>{program_memory.cells.at(e.from.index()), e.from.generation}
          : actor_ref<>{};
  return {actor_ref<>{&c, c.tenant}, sender, *e.operations, has_message ? payload_of(e) : nullptr};
}

void tell_after(const system_services& services, cell& c, envelope& e, bool has_message,
                invoke_outcome how) noexcept {
  const invocation handled = describe(c, e, has_message);
  for (const list each : {of_actor(c), of_system(services)}) {
    for (auto one = each.rbegin(); one != each.rend(); ++one)
      (*one)->after_invoke(handled, how);
  }
}

/// Whether it is a timer's message that was cancelled in the mailbox: then it will not be handled.
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

// A board links with it:
[[gnu::used]] void (*const middleware_needs_options)() noexcept = link_spawn_options;

}  // namespace

void link_middleware() noexcept {}

bool give_middleware(thread_record& here, cell& to, const middleware_chain& what) noexcept {
  rare_lists* const lists = rare_lists_of(here, to);
  if (lists == nullptr) return false;
  lists->middleware = &what;
  return true;
}

/// Asks the middlewares whether `e` may be handled. Suspends the actor if one of them holds it.
slow_path::admission slow_path::admit(envelope& e) noexcept {
  const invocation next = describe(cell_, e, e.kind != envelope_kind::timer);
  for (const list each : {of_system(services_), of_actor(cell_)}) {
    for (middleware* const one : each) {
      const invoke_decision said = one->before_invoke(next);
      if (said.what == invoke_decision::kind::drop) return admission::drop;
      if (said.what == invoke_decision::kind::proceed) continue;
      if (internal::suspend(services_, here_, cell_, said.reason, said.until))
        return admission::hold;
      services_.misused(cell_, "a middleware returned `hold` with an invalid reason or condition: "
                               "the message was handled instead");
    }
  }
  return admission::proceed;
}

/// The handler of `e` has returned.
void slow_path::tell_middleware(envelope& e, call_result said, bool has_message) noexcept {
  const invoke_outcome how = said == call_result::done     ? invoke_outcome::done
                             : said == call_result::failed ? invoke_outcome::failed
                                                           : invoke_outcome::unhandled;
  tell_after(services_, cell_, e, has_message, how);
}

void tell_destroyed(const system_services& services, cell& c, envelope& message) noexcept {
  tell_after(services, c, message, false, invoke_outcome::destroyed);
}

/// A message of an actor with middleware. A held message stays where it is, or goes back into the side queue, where it counts
/// against the capacity and can be evicted.
turn_step slow_path::process_filtered(envelope& e) noexcept {
  const bool is_own = e.kind != envelope_kind::answer && e.generation == cell_.tenant;
  const bool asked = is_own && !is_cancelled(e);
  const admission said = asked ? admit(e) : admission::proceed;
  if (said == admission::hold) {
    put_back(here_, cell_, e);
    return step::continue_turn;
  }
  if (said == admission::proceed) return process_envelope(e);
  ++result_.handled;
  ++here_.unhandled;
  release_permit(cell_, e);
  return reject(e, drop_reason::middleware);
}

}  // namespace tactor::inline v0::internal
