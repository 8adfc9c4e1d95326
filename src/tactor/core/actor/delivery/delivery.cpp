// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/delivery/delivery.hpp"

#include "tactor/core/actor/cell/mailbox_limits.hpp"
#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/actor/delivery/interrupt_delivery.hpp"
#include "tactor/core/actor/delivery/limited_delivery.hpp"
#include "tactor/core/actor/delivery/offer_rules.hpp"
#include "tactor/core/actor/delivery/tell_services.hpp"
#include "tactor/core/observe/worker_counters.hpp"

#include <cstddef>

namespace tactor::inline v0::internal {

void count_foreign_send(thread_record& here, const cell& to) noexcept {
  // relaxed: type-stable
  if (system_gate* const gate = to.gate.load(relaxed)) gate->count_send(&here);
}

envelope* allocate_slowly(thread_record& here, unsigned size_class) noexcept {
  program_memory.note(here);
  // A thread that runs no actors sends faster than the workers handle: before memory grows, they get
  // the processor, and the messages that they have handled meanwhile are used again.
  if constexpr (!port::has_interrupts) {
    if (here.services == nullptr && !program_memory.envelopes.any_free(size_class)) {
      if (const thread_waiting* const how = program_memory.waiting()) how->give_way();
    }
  }
  return program_memory.envelopes.allocate(here.envelopes, size_class);
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

void free_block(thread_record& here, void* block, std::size_t alignment) noexcept {
  std::byte* const start = static_cast<std::byte*>(block) - payload_offset(alignment);
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
    offered = wait_or_hold_back(here, *to, e);
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

tell_result send(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept {
  return deliver(
      here, to, generation, e, [&](const offer_result& why) { return refuse(here, to, e, why); },
      [&](mailbox_limits limits) { return send_with_care(here, *to, limits, e); });
}

void send_reserved(thread_record& here, cell* to, std::uint32_t generation, envelope& e) noexcept {
  e.generation = generation;
  e.from = here.sender;
  if (to == nullptr) return end_as_dead_letter(here, to, e, drop_reason::no_such_actor);
  const bool alive = to->generation() == generation;
  if (alive && is_traced()) [[unlikely]]
    note_kept_send(here, *to, e);
  if (alive && after_pushing(here, to->box.push(e), *to).result == tell_result::ok) return;
  end_as_dead_letter(here, to, e, drop_reason::stopped);
}

}  // namespace tactor::inline v0::internal
