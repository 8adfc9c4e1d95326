// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/timer_envelope.hpp"

#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/send.hpp"

namespace tactor::inline v0::internal {
namespace {

/// A deadline travels with the system messages, because it concerns a suspended actor as well.
offer_result offer_deadline(cell& to, envelope& e) noexcept {
  const push_result pushed =
      to.generation() == e.generation ? to.box.push_system(e) : push_result::closed;
  if (pushed == push_result::make_ready) make_ready(to);
  return {.result = pushed == push_result::closed ? tell_result::closed : tell_result::ok,
          .why = drop_reason::stopped};
}

/// Ends the run of a message that will not be handled, and reports it unless it was cancelled.
/// Returns: whether it was cancelled.
bool discard(thread_record& here, cell* to, envelope& e, drop_reason why,
             acceptance by_mailbox) noexcept {
  // `e` may be freed then, its operations are not.
  const lost_message what = lost(to, e, nullptr, why, by_mailbox);
  const auto result = is_closed(why) ? post_result::closed : post_result::refused;
  const bool was_due = timer_envelope::of(e).job().discard(result);
  const bool is_deadline = &what.operations == &operations_of<deadline_due>;
  if (was_due && !is_deadline) report_lost(here, to, what);
  return !was_due && !is_deadline;
}

}  // namespace

post_result timer_envelope::post(timer_job& due) noexcept {
  job_ = &due;
  thread_record& here = this_thread();
  const offer_result offered = envelope_.operations == &operations_of<deadline_due>
                                   ? offer_deadline(*to_, envelope_)
                                   : offer_addressed(here, to_, envelope_);
  if (offered.result == tell_result::ok) return post_result::accepted;
  if (place_ == timer_place::keyed &&
      is_closed(offered.why)) {  // a drain does not wait for the actor's own timers
    (void)due.discard(post_result::closed);
    return post_result::settled;
  }
  (void)discard(here, to_, envelope_, offered.why, acceptance::refused);
  return post_result::settled;
}

void end_timer_as_dead_letter(thread_record& here, cell* to, envelope& e,
                              drop_reason why) noexcept {
  if (!discard(here, to, e, why, acceptance::accepted)) return;
  tell_services(here, to, [](system_services& services) noexcept {
    services.count(&worker_counters::messages_cancelled);
  });
}

void timer_envelope::let_go() noexcept {
  thread_record& here = this_thread();
  program_memory.note(here);  // the timer driver's thread may have taken none yet
  envelope_.operations = &block_;
  free_envelope(here, envelope_);
}

}  // namespace tactor::inline v0::internal
