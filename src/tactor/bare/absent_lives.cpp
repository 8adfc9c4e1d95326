// SPDX-License-Identifier: BSL-1.0
// How actors fail, restart, wait and end, and their options: they only live. See absent_features.hpp.
#include "tactor/bare/absent_features.hpp"
#include "tactor/core/actor/lifecycle/extras/actor_extras.hpp"
#include "tactor/core/actor/lifecycle/fault_handling.hpp"
#include "tactor/core/actor/lifecycle/lifecycle.hpp"
#include "tactor/core/actor/lifecycle/suspension.hpp"
#include "tactor/core/actor/runtime/waiting_producers.hpp"
#include "tactor/core/actor/turn/middleware.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"
#include "tactor/core/system/system_core.hpp"

namespace tactor::inline v0 {

namespace internal {

// What few actors need: none has it.
TACTOR_ABSENT void end_extras(thread_record&, cell&) noexcept {}

// Ends: no actor fails, and none stops. Instances fit into their slots.
TACTOR_ABSENT thread_failures& failures_of_board() noexcept {
  return reinterpret_cast<thread_failures&>(current_thread_record);  // neither read nor written
}
TACTOR_ABSENT void* new_instance(thread_record&, const message_operations&, failure&) noexcept {
  return nullptr;
}
TACTOR_ABSENT void fail(system_services&, thread_record&, cell&, const message_operations*, origin,
                        const failure&) noexcept {}
TACTOR_ABSENT void fail_to_start(system_services&, thread_record&, cell&, const cell*,
                                 const failure&) noexcept {}
TACTOR_ABSENT lifecycle_step handle_requests(system_services&, thread_record&, cell&) noexcept {
  return lifecycle_step::goes_on;
}
TACTOR_ABSENT lifecycle_step begin_stop(system_services&, thread_record&, cell&,
                                        envelope*) noexcept {
  return lifecycle_step::goes_on;
}
TACTOR_ABSENT lifecycle_step end_drained(system_services&, thread_record&, cell&) noexcept {
  return lifecycle_step::goes_on;
}
TACTOR_ABSENT bool slow_path::has_to_wait() noexcept {
  return true;
}
TACTOR_ABSENT void system_core::ended(cell&) noexcept {}
TACTOR_ABSENT void system_core::last_child_left() noexcept {}
TACTOR_ABSENT void system_core::failed(cell&, const message_operations*, const failure&,
                                       const verdict&) noexcept {}
TACTOR_ABSENT void system_core::escalated(cell&, const message_operations*,
                                          const failure&) noexcept {}
TACTOR_ABSENT void system_core::restarted(cell&) noexcept {}
TACTOR_ABSENT std::uint64_t system_core::next_random() noexcept {
  return 0;
}

// Options: every actor is plain, without arguments, and others are refused.
TACTOR_ABSENT bool system_core::give_arguments(cell&, const spawn_request&) noexcept {
  return false;
}
TACTOR_ABSENT void system_core::release_parts(cell&) noexcept {}
TACTOR_ABSENT std::optional<spawn_error> system_core::refuses(const spawn_options&) const noexcept {
  return spawn_error::no_memory;
}
TACTOR_ABSENT bool system_core::give_parts(cell&, const spawn_options&) noexcept {
  return false;
}
TACTOR_ABSENT void system_core::set_limits(cell&, const mailbox_options&) noexcept {}
TACTOR_ABSENT std::expected<actor_ref<>, spawn_error>
system_core::inspect_and_spawn(const spawn_request&, cell*) noexcept {
  return std::unexpected{spawn_error::refused};
}
TACTOR_ABSENT void system_core::mailbox_filled(const actor_ref<>&, std::uint32_t) noexcept {}

// Strategies: an actor that fails stops.
TACTOR_ABSENT bool is_valid_strategy(const supervision&) noexcept {
  return true;  // and refused
}
TACTOR_ABSENT bool give_strategy(thread_record&, cell&, const supervision&) noexcept {
  return false;
}
TACTOR_ABSENT verdict judge_by_strategy(system_services&, supervision_state&,
                                        const failure&) noexcept {
  return {};
}
TACTOR_ABSENT void wait_for_directive(system_services&, thread_record&, cell&,
                                      const message_operations*, const verdict&) noexcept {}
TACTOR_ABSENT bool follow_directives(system_services&, thread_record&, cell&,
                                     lifecycle_word) noexcept {
  return true;
}
TACTOR_ABSENT void handle_child_failure(system_services&, thread_record& here, cell&,
                                        envelope& e) noexcept {
  discard_envelope(here, e);
}
TACTOR_ABSENT void continue_restart(system_services&, thread_record&, cell&) noexcept {}

// Suspension: no actor is suspended, and none waits for capacity.
TACTOR_ABSENT void apply_suspension_command(system_services&, thread_record&, cell&,
                                            const suspension_command&) noexcept {}
TACTOR_ABSENT void take_capacity_available(system_services&, thread_record&, cell&,
                                           envelope&) noexcept {}
TACTOR_ABSENT void resume_in_time(system_services&, thread_record&, cell&,
                                  suspend_reason) noexcept {}
TACTOR_ABSENT suspended_for first_reason_of(const cell&) noexcept {
  return {suspend_reason::user_defined, resume_on::resume};
}
TACTOR_ABSENT void cancel_capacity_waits(thread_record&, cell&) noexcept {}
TACTOR_ABSENT waiting_producers::outcome waiting_producers::queue_thread(capacity_waiter&,
                                                                         notified&) noexcept {
  return outcome::timed_out;
}
TACTOR_ABSENT waiting_producers::outcome waiting_producers::await_permit(capacity_waiter&,
                                                                         std::uint64_t) noexcept {
  return outcome::timed_out;
}
TACTOR_ABSENT waiting_producers::notified
waiting_producers::give_back(const waiting_actor&) noexcept {
  return {};
}
TACTOR_ABSENT waiting_producers::notified waiting_producers::release_awaited(cell&) noexcept {
  return {};
}
TACTOR_ABSENT waiting_producers::notified waiting_producers::release_or_keep(cell&,
                                                                             bool&) noexcept {
  return {};
}
TACTOR_ABSENT waiting_producers::notified waiting_producers::settle(cell&) noexcept {
  return {};
}
TACTOR_ABSENT waiting_producers::notified waiting_producers::close(cell&) noexcept {
  return {};
}

// Middleware: no actor has any.
TACTOR_ABSENT bool give_middleware(thread_record&, cell&, const middleware_chain&) noexcept {
  return false;
}
TACTOR_ABSENT slow_path::admission slow_path::admit(envelope&) noexcept {
  return admission::proceed;
}
TACTOR_ABSENT turn_step slow_path::process_filtered(envelope& e) noexcept {
  return process_envelope(e);
}
TACTOR_ABSENT void slow_path::tell_middleware(envelope&, call_result, bool) noexcept {}
TACTOR_ABSENT void tell_destroyed(const system_services&, cell&, envelope&) noexcept {}

}  // namespace internal

namespace bare::internal {
void absent_lives() noexcept {}
}  // namespace bare::internal

}  // namespace tactor::inline v0
