// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/delivery/timer_envelope.hpp"

#include "tactor/core/actor/runtime/runtime_memory.hpp"

namespace tactor::inline v0::internal {
namespace {

// A board links with it:
[[gnu::used]] void (*const needs_timers)() noexcept = link_timers;

/// A deadline travels with the system messages, because it concerns a suspended actor as well.
offer_result offer_deadline(cell& to, envelope& e) noexcept {
  const push_result pushed =
      to.generation() == e.generation ? to.box.push_system(e) : push_result::closed;
  if (pushed == push_result::make_ready) make_ready(to);
  return {.result = pushed == push_result::closed ? tell_result::closed : tell_result::ok,
          .why = drop_reason::stopped};
}

}  // namespace

post_result timer_envelope::post(timer_job& due) noexcept {
  job_ = &due;
  thread_record& here = this_thread();
  const offer_result offered = envelope_.operations == &operations_of<deadline_due>
                                   ? offer_deadline(*to_, envelope_)
                                   : offer(here, to_, envelope_.generation, envelope_);
  if (offered.result == tell_result::ok) return post_result::accepted;
  end_as_dead_letter(here, to_, envelope_, offered.why);
  return post_result::settled;
}

bool discard_timer(envelope& e, bool closed) noexcept {
  const message_operations* const what = e.operations;  // `e` may be freed
  const auto why = closed ? post_result::closed : post_result::refused;
  return timer_envelope::of(e).job().discard(why) && what != &operations_of<deadline_due>;
}

void timer_envelope::let_go() noexcept {
  thread_record& here = this_thread();
  program_memory.note(here);  // the timer driver's thread may have taken none yet
  envelope_.operations = &block_;
  free_envelope(here, envelope_);
}

}  // namespace tactor::inline v0::internal
