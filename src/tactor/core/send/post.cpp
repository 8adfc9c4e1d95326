// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/post.hpp"

#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/traced_messages.hpp"

#include <utility>

namespace tactor::inline v0::internal {
namespace {

/// Pushes a system message, and makes an idle cell ready. Returns: false if the tenancy has ended.
bool push_system(cell& to, envelope& e) noexcept {
  const push_result pushed = to.box.push_system(e);
  if (pushed == push_result::make_ready) make_ready(to);
  return pushed != push_result::closed;
}

void address(envelope& e, std::uint32_t generation, system_message_kind what) noexcept {
  e.kind = envelope_kind::system;
  e.set_state(std::to_underlying(what));
  e.generation = generation;
}

}  // namespace

bool post_system_message(cell& to, std::uint32_t generation, envelope& e,
                         system_message_kind what) noexcept {
  address(e, generation, what);
  if (to.generation() != generation) return false;
  // A terminated actor is not handled as it is sent.
  thread_record& here = this_thread();
  if (may_trace(here) && what != system_message_kind::terminated) trace_send(here, to, e);
  return push_system(to, e);
}

tell_result post_system_reserved(cell& to, std::uint32_t generation, envelope& e) noexcept {
  if (to.generation() != generation) return tell_result::closed;
  thread_record& here = this_thread();
  const std::uint32_t limit = to.system_limit.load(relaxed);  // relaxed: like the other limits
  // Counted also where there is no limit: the slot's next tenant may have one. Unlimited: 0 - 1.
  if (try_acquire_permit(to.system_waiting, limit - 1) == 0) {
    tell_services(here, &to, [&](system_services& services) noexcept {
      if (services.reports != nullptr)
        services.reports->reserve_used_up(actor_ref<>{&to, generation});
    });
    return tell_result::full;
  }
  address(e, generation, system_message_kind::message);
  if (may_trace(here)) trace_send(here, to, e);
  if (push_system(to, e)) return tell_result::ok;
  to.system_waiting.fetch_sub(1, relaxed);  // relaxed: a number
  return tell_result::closed;
}

// News of capacity.

void notify_actors(waiting_producers::notified actors) noexcept {
  while (capacity_waiter* const each = actors.pop_front()) {
    const auto& waiting = static_cast<const waiting_actor&>(*each);
    const auto what = waiting.takes_permit ? system_message_kind::permit
                                           : system_message_kind::capacity_available;
    if (post_system_message(*waiting.who, waiting.who_generation, *waiting.news, what)) continue;
    waiting_producers::notified others = program_memory.producers.give_back(waiting);
    discard_envelope(this_thread(), *waiting.news);
    while (capacity_waiter* const other = others.pop_front())
      actors.push_back(*other);
  }
}

void give_back_capacity(thread_record& here, const waiting_actor& unused) noexcept {
  waiting_producers::notified others = program_memory.producers.give_back(unused);
  discard_envelope(here, *unused.news);
  notify_capacity(std::move(others));
}

}  // namespace tactor::inline v0::internal
