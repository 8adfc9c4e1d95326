// SPDX-License-Identifier: BSL-1.0
// Timers and deadlines: nothing is scheduled. See absent_features.hpp.
#include "tactor/bare/absent_features.hpp"
#include "tactor/base/text_sink.hpp"
#include "tactor/core/actor/delivery/timer_envelope.hpp"
#include "tactor/core/actor/lifecycle/extras/keyed_timers.hpp"
#include "tactor/core/actor/lifecycle/extras/own_timers.hpp"
#include "tactor/core/actor/lifecycle/extras/receive_timeout.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"
#include "tactor/core/scheduler/dump.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/report/diagnostics.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_storage.hpp"
#include "tactor/core/system/loop/job_queue.hpp"

#include <chrono>

namespace tactor::inline v0 {

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
TACTOR_ABSENT void scheduler::settle_claim(std::size_t) noexcept {}
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

TACTOR_ABSENT std::size_t job_queue::run_waiting() noexcept {
  return 0;
}
TACTOR_ABSENT void job_queue::add(timer_job&) noexcept {}
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
TACTOR_ABSENT void end_timer_as_dead_letter(thread_record&, cell*, envelope&,
                                            drop_reason) noexcept {}
TACTOR_ABSENT turn_step slow_path::handle_timer(envelope&) noexcept {
  return step::continue_turn;
}

// Deadlines, and timers of an actor: there are none.
TACTOR_ABSENT void slow_path::handle_deadline_envelope(envelope&) noexcept {}
TACTOR_ABSENT own_timer_slot::own_timer_slot(const actor_ref<>&, origin) noexcept {}
TACTOR_ABSENT own_timer_slot::~own_timer_slot() {}
TACTOR_ABSENT void own_timer_slot::remember(const cancellable&) noexcept {}
TACTOR_ABSENT void forget_own_timers(thread_record&, own_timer*) noexcept {}
TACTOR_ABSENT void cancel_own_timers(thread_record&, cell&) noexcept {}
TACTOR_ABSENT void end_keyed_timers(thread_record&, cell&) noexcept {}

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

}  // namespace internal

namespace bare::internal {
void absent_timers() noexcept {}
}  // namespace bare::internal

}  // namespace tactor::inline v0
