// SPDX-License-Identifier: BSL-1.0

// What the core calls of features that a program does not use: nothing. These definitions are weak. Each feature has a source of its own,
// which the linker takes out of the library only if the program calls one of its other functions (`ctx.ask`, `ctx.stash`, `ctx.watch`, …);
// its definitions replace these then. On the host all features are linked.
#include "tactor/bare/absent_features.hpp"

#include "tactor/base/text_sink.hpp"
#include "tactor/core/actor/cell/waiting_producers.hpp"
#include "tactor/core/actor/delivery/answer.hpp"
#include "tactor/core/actor/delivery/limited_delivery.hpp"
#include "tactor/core/actor/delivery/timer_envelope.hpp"
#include "tactor/core/actor/event_stream.hpp"
#include "tactor/core/actor/lifecycle/actor_extras.hpp"
#include "tactor/core/actor/lifecycle/death_watch.hpp"
#include "tactor/core/actor/lifecycle/fault_handling.hpp"
#include "tactor/core/actor/lifecycle/keyed_timers.hpp"
#include "tactor/core/actor/lifecycle/lifecycle.hpp"
#include "tactor/core/actor/lifecycle/outbox.hpp"
#include "tactor/core/actor/lifecycle/own_timers.hpp"
#include "tactor/core/actor/lifecycle/pending_asks.hpp"
#include "tactor/core/actor/lifecycle/receive_timeout.hpp"
#include "tactor/core/actor/lifecycle/stash.hpp"
#include "tactor/core/actor/lifecycle/suspension.hpp"
#include "tactor/core/actor/turn/middleware.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"
#include "tactor/core/scheduler/dump.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/report/diagnostics.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_storage.hpp"
#include "tactor/core/system/name_table.hpp"
#include "tactor/core/system/system_core.hpp"

#include <chrono>
#include <utility>

#define TACTOR_ABSENT [[gnu::weak]]  // only here

namespace tactor::inline v0 {

// Events: there are no subscriptions.
TACTOR_ABSENT event_stream::~event_stream() {}
TACTOR_ABSENT std::size_t event_stream::remove(const type_identity*, const actor_ref<>&) noexcept {
  return 0;
}
TACTOR_ABSENT std::size_t event_stream::publish(const type_identity&, const void*,
                                                deliver_function) {
  return 0;
}

// Timers: nothing is scheduled.
TACTOR_ABSENT poll_result scheduler::poll() noexcept {
  return {};
}
TACTOR_ABSENT std::uint64_t scheduler::first_reading_at(tick) const noexcept {
  return ~std::uint64_t{0};
}
TACTOR_ABSENT std::optional<tick> scheduler::next_deadline() noexcept {
  return std::nullopt;
}
TACTOR_ABSENT void scheduler::check_for_stall() noexcept {}
TACTOR_ABSENT void scheduler::check_for_stall(tick) noexcept {}
TACTOR_ABSENT void scheduler::note_lateness(timer_instant) noexcept {}
TACTOR_ABSENT void scheduler::warn_if_nearly_full(tick) noexcept {}
TACTOR_ABSENT bool scheduler::take_back(internal::timer_record&) noexcept {
  return false;
}
TACTOR_ABSENT internal::admission scheduler::enter_with_claim(internal::timer_record&) noexcept {
  return internal::admission::over_capacity;  // never: the overflow has room for all timers
}
TACTOR_ABSENT void scheduler::settle_claim(const internal::timer_record&) noexcept {}
TACTOR_ABSENT bool scheduler::has_open_claim(std::size_t) noexcept {
  return false;
}
TACTOR_ABSENT void scheduler::evict(internal::timer_record&) noexcept {}
TACTOR_ABSENT void diagnostics::publish_to_all(const scheduler_event&) noexcept {}
TACTOR_ABSENT scheduler_metrics scheduler::metrics() noexcept {
  return {};
}
TACTOR_ABSENT void scheduler::take_commands(tick) noexcept {}
TACTOR_ABSENT void scheduler::fire_periodic(internal::timer_record&, internal::timer_extras&,
                                            tick) noexcept {}
TACTOR_ABSENT void scheduler::hand_out_all() noexcept {}
TACTOR_ABSENT void timer_job::run() noexcept {}
TACTOR_ABSENT std::optional<execution_batch> timer_job::begin() noexcept {
  return std::nullopt;
}
TACTOR_ABSENT void timer_job::finish(run_result) noexcept {}
TACTOR_ABSENT bool timer_job::discard(post_result) noexcept {
  return false;
}
TACTOR_ABSENT void timer_job::hold() noexcept {}
TACTOR_ABSENT void timer_job::let_go() noexcept {}

// A dump of the system says nothing of timers.
TACTOR_ABSENT void dump(scheduler&, dump_format format, text_sink& to, dump_limits) noexcept {
  to.write(format == dump_format::json ? "{}" : "");
}

namespace internal {

TACTOR_ABSENT scheduler& make_scheduler(const scheduler_config&,
                                        const board_timers& with) noexcept {
  return *reinterpret_cast<scheduler*>(with.driver);  // none of its members is used
}
TACTOR_ABSENT diagnostics* events_or_null(scheduler&) noexcept {
  return nullptr;
}
TACTOR_ABSENT void timer_store::publish(scheduler_event_kind, const timer_record&) noexcept {}
TACTOR_ABSENT void timer_store::warn(const scheduler_event&) noexcept {}
TACTOR_ABSENT bool timer_record::cancel() noexcept {
  return false;
}
TACTOR_ABSENT void timer_record::let_go() noexcept {}
TACTOR_ABSENT bool continue_periodic(timer_record&, timer_state) noexcept {
  return false;
}
TACTOR_ABSENT bool discard_timer(envelope&, bool) noexcept {
  return false;
}
TACTOR_ABSENT turn_step slow_path::handle_timer(envelope&) noexcept {
  return step::continue_turn;
}

// Metrics: nothing is counted.
TACTOR_ABSENT worker_counters* system_core::board_counters() noexcept {
  return nullptr;
}
TACTOR_ABSENT void system_core::start_metrics() noexcept {}
TACTOR_ABSENT void system_core::count_loop(const loop_counts&, std::uint32_t,
                                           std::int32_t) noexcept {}

// The log, and events of the runtime: there is neither.
TACTOR_ABSENT void system_core::start_reports(const system_config&,
                                              std::span<scheduler_event>) noexcept {}
TACTOR_ABSENT void system_core::flush_log() noexcept {}
TACTOR_ABSENT void system_core::report_timer_warnings() noexcept {}
TACTOR_ABSENT void system_core::report_refusal(const spawn_request&, const cell*,
                                               spawn_error) noexcept {}
TACTOR_ABSENT void system_core::report_other_name(const cell&, const name_changed&) noexcept {}
TACTOR_ABSENT void system_core::report_dead_letter(const lost_message&, drop_reason) noexcept {}
TACTOR_ABSENT void system_core::report_pressure(const actor_ref<>&, std::uint32_t) noexcept {}
TACTOR_ABSENT void system_core::report_failure(cell&, const message_operations*, const failure&,
                                               const verdict&) noexcept {}
TACTOR_ABSENT void system_core::report_cause(cell&, const message_operations*,
                                             const failure&) noexcept {}
TACTOR_ABSENT void system_core::report_restart(cell&) noexcept {}
TACTOR_ABSENT void system_core::system_reserve_used_up(const actor_ref<>&) noexcept {}
TACTOR_ABSENT void system_core::backpressure_circle(const wait_circle&) noexcept {}
TACTOR_ABSENT void system_core::suspended(cell&) noexcept {}
TACTOR_ABSENT void system_core::resumed(cell&, std::optional<duration>) noexcept {}
TACTOR_ABSENT void system_core::misused(cell&, const char*) noexcept {}
TACTOR_ABSENT void system_core::log(const cell&, log_level, std::string_view) noexcept {}

// Names: no actor has one.
TACTOR_ABSENT void system_core::start_names() noexcept {}
TACTOR_ABSENT void system_core::erase_name(cell&) noexcept {}
TACTOR_ABSENT std::expected<void, spawn_error> system_core::give_name(const spawn_request& wanted,
                                                                      cell&) noexcept {
  if (wanted.options.name.empty()) return {};
  return std::unexpected{spawn_error::no_memory};
}
TACTOR_ABSENT actor_ref<> system_core::find(std::string_view,
                                            std::span<const message_operations* const>) noexcept {
  return {};
}
TACTOR_ABSENT void system_core::write_path(event_text&, const cell&) const noexcept {}

// Large messages: there is no memory for them.
TACTOR_ABSENT envelope* envelope_pool::allocate_large(std::size_t, std::size_t) noexcept {
  return nullptr;
}
TACTOR_ABSENT void envelope_pool::release_large(envelope&) noexcept {}

// What few actors need: none has it.
TACTOR_ABSENT void end_extras(thread_record&, cell&) noexcept {}

// Ends: no actor fails, and none stops.
TACTOR_ABSENT void fail(system_services&, thread_record&, cell&, const message_operations*,
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

// Options: every actor is plain, and others are refused.
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
TACTOR_ABSENT resume_on condition_of(const cell&) noexcept {
  return resume_on::resume;
}
TACTOR_ABSENT void cancel_capacity_waits(thread_record&, cell&) noexcept {}
TACTOR_ABSENT waiting_producers::outcome
waiting_producers::wait(cell&, std::uint32_t, const thread_waiting&, std::uint64_t) noexcept {
  return outcome::timed_out;
}
TACTOR_ABSENT waiting_producers::notified
waiting_producers::give_back(const waiting_actor&) noexcept {
  return {};
}
TACTOR_ABSENT waiting_producers::notified waiting_producers::release_awaited(cell&) noexcept {
  return {};
}
TACTOR_ABSENT waiting_producers::notified waiting_producers::leave_awaited(cell&) noexcept {
  return {};
}
TACTOR_ABSENT waiting_producers::notified waiting_producers::close(cell&) noexcept {
  return {};
}

// Deadlines, and timers of an actor: there are none.
TACTOR_ABSENT void slow_path::handle_deadline_envelope(envelope&) noexcept {}
TACTOR_ABSENT own_timer_slot::own_timer_slot(const actor_ref<>&, origin) noexcept {}
TACTOR_ABSENT own_timer_slot::~own_timer_slot() {}
TACTOR_ABSENT void own_timer_slot::remember(const cancellable&) noexcept {}
TACTOR_ABSENT void forget_own_timers(thread_record&, own_timer*) noexcept {}
TACTOR_ABSENT void cancel_own_timers(thread_record&, cell&) noexcept {}
TACTOR_ABSENT void end_keyed_timers(thread_record&, cell&) noexcept {}

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

// Mailboxes with limits: there is none, and none is made.
TACTOR_ABSENT bool give_limits(cell&, const mailbox_options&, std::uint32_t) noexcept {
  return false;
}
TACTOR_ABSENT void end_limits(cell&) noexcept {}
TACTOR_ABSENT offer_result offer_with_care(thread_record&, cell&, mailbox_limits,
                                           envelope&) noexcept {
  return {.result = tell_result::full, .why = drop_reason::full};
}
TACTOR_ABSENT offer_result wait_or_hold_back(thread_record&, cell&, envelope&) noexcept {
  return {.result = tell_result::full, .why = drop_reason::full};
}
TACTOR_ABSENT offer_result offer_limited_in_interrupt(cell&, mailbox_limits, envelope&) noexcept {
  return {.result = tell_result::full, .why = drop_reason::full};
}
TACTOR_ABSENT void release_held_permit(cell&, envelope&) noexcept {}
TACTOR_ABSENT void end_side_queue(thread_record&, cell&) noexcept {}
TACTOR_ABSENT turn_step slow_path::process_side_queue() noexcept {
  return step::continue_turn;
}
TACTOR_ABSENT bool slow_path::waits_in_side_queue() noexcept {
  return false;
}
TACTOR_ABSENT turn_step slow_path::leave_side_queue() noexcept {
  return step::continue_turn;
}
TACTOR_ABSENT void slow_path::tidy_up() noexcept {}

// System messages: none is sent.
TACTOR_ABSENT turn_step slow_path::process_system_messages() noexcept {
  return step::continue_turn;
}
TACTOR_ABSENT void end_system_mail(thread_record&, cell& c) noexcept {
  (void)c.reader.close_system(c.box);
}
TACTOR_ABSENT void notify_actors(waiting_producers::notified) noexcept {}
TACTOR_ABSENT void give_back_used_capacity(thread_record&) noexcept {}

// Coroutines: none waits.
TACTOR_ABSENT turn_step slow_path::continue_task(actor_tasks&) noexcept {
  return step::continue_turn;
}

// Asks of actors: none is pending.
TACTOR_ABSENT bool slow_path::continue_ask(envelope&) noexcept {
  return false;
}
TACTOR_ABSENT void slow_path::expire_asks(std::uint64_t) noexcept {}
TACTOR_ABSENT void refuse_answer(thread_record&, origin, ask_failure) noexcept {}
TACTOR_ABSENT void end_late_answer(thread_record& here, envelope& answer) noexcept {
  discard_envelope(here, answer);
}
TACTOR_ABSENT bool note_overdue_asks(thread_record&, cell&) noexcept {
  return false;
}
TACTOR_ABSENT bool is_overdue_note(const cell&, const envelope&) noexcept {
  return false;
}
TACTOR_ABSENT void take_overdue_note(cell&) noexcept {}
TACTOR_ABSENT call_result take_answer(thread_record&, system_services&, cell&, envelope&,
                                      failure&) noexcept {
  return call_result::unhandled;
}
TACTOR_ABSENT bool has_due_ask(const cell&, std::uint64_t) noexcept {
  return false;
}
TACTOR_ABSENT call_result fail_first_ask(thread_record&, cell&, ask_failure, std::uint64_t,
                                         failure&) noexcept {
  return call_result::done;
}
TACTOR_ABSENT bool set_next_deadline(system_services&, cell&, std::uint64_t) noexcept {
  return true;
}
TACTOR_ABSENT bool set_deadline_of_awaits(system_services&, thread_record&, cell&,
                                          std::uint64_t) noexcept {
  return true;
}
TACTOR_ABSENT void end_asks(thread_record&, cell&) noexcept {}

// The stash: it is empty.
TACTOR_ABSENT void replay_after_restart(cell&) noexcept {}
TACTOR_ABSENT envelope* next_replayed(const cell&) noexcept {
  return nullptr;
}
TACTOR_ABSENT turn_step slow_path::replay(envelope&) noexcept {
  return step::continue_turn;
}
TACTOR_ABSENT envelope& take_replayed(cell&) noexcept {
  std::unreachable();
}
TACTOR_ABSENT void end_replayed(thread_record&, cell&) noexcept {}
TACTOR_ABSENT void drop_replayed(thread_record&, cell&, drop_reason) noexcept {}
TACTOR_ABSENT void end_stash(thread_record&, cell&) noexcept {}

// Watches: there is none.
TACTOR_ABSENT bool unwatch(thread_record&, cell&, const actor_ref<>&) noexcept {
  return false;
}
TACTOR_ABSENT void unwatch_children(thread_record&, cell&) noexcept {}
TACTOR_ABSENT void take_watch(thread_record&, cell&, envelope&) noexcept {}
TACTOR_ABSENT void take_unwatch(thread_record&, cell&, envelope&) noexcept {}
TACTOR_ABSENT void return_to_watcher(thread_record&, envelope&, termination) noexcept {}
TACTOR_ABSENT terminated_notice take_terminated(thread_record&, cell&, envelope&) noexcept {
  return {};
}
TACTOR_ABSENT void end_watches(thread_record&, cell&) noexcept {}
TACTOR_ABSENT bool slow_path::defer_system_messages(envelope_chain) noexcept {
  return false;
}
TACTOR_ABSENT void slow_path::note_flood() noexcept {}
TACTOR_ABSENT void slow_path::deliver_terminated(envelope& e) noexcept {
  discard_envelope(here_, e);
}
TACTOR_ABSENT void slow_path::deliver_deferred_terminated() noexcept {}

// Receive timeouts: there is none.
TACTOR_ABSENT void cancel_receive_timeout(cell&) noexcept {}
TACTOR_ABSENT void note_activity(system_services&, cell&) noexcept {}
TACTOR_ABSENT std::optional<duration> check_receive_timeout(system_services&, cell&,
                                                            std::uint64_t) noexcept {
  return std::nullopt;
}
TACTOR_ABSENT void repeat_receive_timeout(system_services&, cell&) noexcept {}
TACTOR_ABSENT void defer_receive_timeout(cell&) noexcept {}
TACTOR_ABSENT void pause_receive_timeout(cell&) noexcept {}
TACTOR_ABSENT void continue_receive_timeout(system_services&, cell&) noexcept {}

// Outboxes: messages to a full mailbox with `block_producer` do not wait.
TACTOR_ABSENT offer_result hold_back(system_services&, thread_record&, cell&, cell&,
                                     envelope&) noexcept {
  return {.result = tell_result::full, .why = drop_reason::full};
}
TACTOR_ABSENT bool holds_back(const cell&, const cell&, std::uint32_t) noexcept {
  return false;
}
TACTOR_ABSENT void take_permit(system_services&, thread_record&, cell&, envelope&) noexcept {}
TACTOR_ABSENT void end_outboxes(thread_record&, cell&) noexcept {}

}  // namespace internal

namespace bare::internal {
void absent_features() noexcept {}
}  // namespace bare::internal

}  // namespace tactor::inline v0
