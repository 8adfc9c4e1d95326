// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/send.hpp"

#include "tactor/core/cell/lifecycle_word.hpp"
#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/send_times.hpp"
#include "tactor/core/send/traced_messages.hpp"
#include "tactor/port/port.hpp"

namespace tactor::inline v0::internal {
namespace {

/// The mailbox has limits or its actor is overloaded, or the sends of this thread are counted
/// elsewhere, measured or traced.
[[gnu::noinline]] offer_result offer_with_care(thread_record& here, cell& to, mailbox_limits limits,
                                               envelope& e, when_full then) noexcept {
  if (!port::in_interrupt()) {
    if (may_trace(here) && e.kind == envelope_kind::message) trace_send(here, to, e);
    if (port::observes_messages && here.fast_limits != 0) note_send_time(here, to, e);
    if (limits.overloaded()) here.overload = {.target = &to, .source = here.sender};
  }
  const offer_result offered = limits.bounded()
                                   ? program_features().limits->offer(here, to, limits, e, then)
                                   : after_pushing(here, to.box.push(e), to);
  // A refused message is the caller's, and does not wait.
  if (!offered.is_ok() && e.has(envelope::has_time)) (void)take_send_time(to, e);
  return offered;
}

/// The fast path of all sends: an unlimited mailbox, and a thread that counts its own sends.
[[gnu::always_inline]] inline offer_result try_send(thread_record& here, cell* to,
                                                    std::uint32_t generation, envelope& e,
                                                    when_full then) noexcept {
  if (to == nullptr) [[unlikely]]
    return no_such_actor;
  // Checking the generation avoids pushing most stale messages; the receiver's check decides.
  if (!to->accepts_mail(generation)) [[unlikely]]
    return actor_gone;
  // relaxed: may be another tenant's; the receiver checks
  const mailbox_limits limits{to->limits.load(relaxed)};
  if (limits.bits != here.fast_limits) [[unlikely]]
    return offer_with_care(here, *to, limits, e, then);
  ++here.sends;
  const push_result pushed = to->box.push(e);
  if (pushed == push_result::closed) [[unlikely]] {
    --here.sends;
    return actor_gone;
  }
  if (pushed == push_result::make_ready) make_ready(here, *to);
  return {};
}

/// The message becomes a dead letter.
[[gnu::noinline]] tell_result refuse(thread_record& here, cell* to, envelope& e,
                                     offer_result offered) noexcept {
  const drop_reason why = explained(offered, to, e.generation).why;
  end_refused(here, to, e, why);
  return why == drop_reason::dead_letter_rule ? tell_result::ok : offered.result;
}

}  // namespace

tell_result send(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept {
  e.generation = generation;
  const offer_result offered = try_send(here, to, generation, e, when_full::wait);
  if (!offered.is_ok()) [[unlikely]]
    return refuse(here, to, e, offered);
  return tell_result::ok;
}

offer_result offer(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept {
  e.generation = generation;
  return offer_addressed(here, to, e);
}

offer_result offer_addressed(thread_record& here, cell* to, envelope& e) noexcept {
  const offer_result offered = try_send(here, to, e.generation, e, when_full::refuse);
  if (!offered.is_ok()) [[unlikely]]
    return explained(offered, to, e.generation);
  return {};
}

void send_reserved(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept {
  e.generation = generation;
  e.from = here.sender;
  if (to == nullptr) return end_refused(here, to, e, drop_reason::no_such_actor);
  if (to->generation() == generation) {
    if (after_pushing(here, to->box.push(e), *to).is_ok()) return;
    // The actor drains, and queues the message itself; or it ends.
    if (after_pushing(here, to->box.push_system(e), *to).is_ok()) return;
  }
  end_refused(here, to, e, drop_reason::stopped);
}

void count_foreign_send(thread_record& here, const cell& to) noexcept {
  if (!port::in_interrupt()) ++here.sends;  // says which send is measured
  // relaxed: type-stable
  if (system_gate* const gate = to.gate.load(relaxed)) gate->count_send(&here);
}

offer_result after_pushing(thread_record& here, push_result pushed, cell& to) noexcept {
  if (pushed == push_result::closed) [[unlikely]]
    return actor_gone;
  if (pushed == push_result::make_ready) make_ready(to);
  count_send(here, to);
  return {};
}

// Why a message is refused.

offer_result closed_by(const cell& to, std::uint32_t generation) noexcept {
  const lifecycle_word lifecycle{to.lifecycle.load(relaxed)};  // relaxed: for the report only
  const bool on_its_way = lifecycle.generation() == generation && lifecycle.drain_requested();
  return {.result = tell_result::closed,
          .why = on_its_way ? drop_reason::draining : drop_reason::stopped};
}

offer_result refusal_without_memory(const cell* to, std::uint32_t generation) noexcept {
  if (to == nullptr) return no_such_actor;
  if (!to->accepts_mail(generation) || !to->box.peek().open()) return closed_by(*to, generation);
  return {.result = tell_result::full, .why = drop_reason::no_memory};
}

}  // namespace tactor::inline v0::internal
