// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/assert.hpp"
#include "tactor/base/duration.hpp"
#include "tactor/base/mpsc_queue.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/observe/scheduler_metrics.hpp"
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/scheduler/close_task.hpp"
#include "tactor/core/scheduler/job/small_task.hpp"
#include "tactor/core/scheduler/job/timer_payload.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/report/diagnostics.hpp"
#include "tactor/core/scheduler/report/drift_monitor.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"
#include "tactor/core/scheduler/scheduler_config.hpp"
#include "tactor/core/timing/deadline.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/timing/overflow_queue.hpp"
#include "tactor/core/timing/timer_wheel.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

namespace panics {
inline constexpr port::panic_code timer_options{
    .module = 4,
    .id = 3,
    .advice =
        "priority, at_shutdown and missed_runs of a timer must be enumerators of their types"};
}  // namespace panics

namespace internal {
class actor_deadlines;
}  // namespace internal

/// Lets a call poll at once, when it finds no capacity and ended jobs should be removed first.
/// Host: takes the driver's lock and polls. Single-threaded: polls.
class timer_poller {
public:
  /// Context: any thread that may schedule, but not from within a poll.
  virtual void poll_now() noexcept = 0;
  /// Calls `call(with)` while no poll runs. Requires: it does not block. Context: any thread, also
  /// within a poll.
  virtual void run_exclusively(void (*call)(void* with), void* with) noexcept { call(with); }
  /// Waits until the jobs that have been found are handed out. Context: any thread.
  virtual void await_hand_out() noexcept {}

protected:
  ~timer_poller() = default;
};

/// Says when to poll again.
struct poll_result {
  std::optional<tick> next_deadline;  // nothing: when a new timer is scheduled
  bool housekeeping = false;          // also after one tick: there may be more ended jobs to remove
  bool again = false;                 // also after one tick: commands have come meanwhile
};

/// Runs callables and sends messages after a delay, at a fixed rate or with a fixed delay in
/// between. Pekko's scheduler with exact cancellation; docs/design/scheduler.md has the state
/// machine.
///
/// It has two sides. Any thread may schedule and cancel, without a lock. One owner (a driver
/// thread, a test, a loop) calls `poll` and the functions next to it, one at a time. The two sides
/// meet in the `timer_store`.
class scheduler {
  friend class internal::actor_deadlines;

public:
  /// The memory and the collaborators of a scheduler. They outlive it.
  struct parts {
    timer_wheel::storage wheel;
    internal::timer_store& store;
    std::span<close_task> close_tasks;
    const monotonic_clock& clock;
    job_dispatcher& dispatcher;  // of jobs that name none
    timer_poller* driver = nullptr;
    // A board's program may leave these out. Without `periodic` there are no plans, which such
    // timers need.
    const internal::periodic_functions* periodic = &internal::periodic_feature;
    const internal::timer_report_functions* reports = &internal::timer_report_feature;
  };

  /// See `parts::periodic`.
  static consteval internal::periodic_functions periodic_row() noexcept;
  /// See `parts::reports`.
  static consteval internal::timer_report_functions report_row() noexcept;

  /// Requires: `check(config)` holds; the overflow storage is as large as the store's; no other
  /// scheduler uses the store.
  scheduler(const scheduler_config& config, const parts& with) noexcept;
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;
  /// Closes the scheduler if it is not closed.
  ~scheduler();

  // Any thread.

  /// Calls `callable` once, on its dispatcher, when `delay` is over. It takes nothing or an
  /// `execution_batch`, and returns nothing or an `expected` whose error ends the job.
  template <class Callable>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_once(duration delay, Callable&& callable, once_options options = {}) {
    return schedule_callable({.mode = job_mode::once, .first = delay, .period = {}},
                             std::forward<Callable>(callable), options);
  }

  /// Sends `message` to `receiver` once, when `delay` is over.
  template <class Message>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_once(duration delay, sink_ref receiver, Message message, once_options options = {}) {
    return schedule_message({.mode = job_mode::once, .first = delay, .period = {}}, receiver,
                            std::move(message), options);
  }

  /// Calls `callable` at `initial` and then every `interval`, on a grid without drift.
  template <class Callable>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_at_fixed_rate(duration initial, duration interval, Callable&& callable,
                         periodic_options options = {}) {
    return schedule_callable({.mode = job_mode::fixed_rate, .first = initial, .period = interval},
                             std::forward<Callable>(callable), options);
  }

  /// Sends a copy of `message` (or, if it is a factory, its result for the `execution_batch`) at
  /// `initial` and then every `interval`. At most one of them waits at the receiver.
  template <class Message>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_at_fixed_rate(duration initial, duration interval, sink_ref receiver, Message message,
                         periodic_options options = {}) {
    return schedule_message({.mode = job_mode::fixed_rate, .first = initial, .period = interval},
                            receiver, std::move(message), options);
  }

  /// Calls `callable` at `initial`, and again `delay` after each run has ended.
  template <class Callable>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_with_fixed_delay(duration initial, duration delay, Callable&& callable,
                            periodic_options options = {}) {
    return schedule_callable({.mode = job_mode::fixed_delay, .first = initial, .period = delay},
                             std::forward<Callable>(callable), options);
  }

  /// Sends a copy of `message` (or the result of a factory) at `initial`, and again `delay` after
  /// each was handled.
  template <class Message>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_with_fixed_delay(duration initial, duration delay, sink_ref receiver, Message message,
                            periodic_options options = {}) {
    return schedule_message({.mode = job_mode::fixed_delay, .first = initial, .period = delay},
                            receiver, std::move(message), options);
  }

  /// Calls `callable`, as the mode says. `Options` are `once_options` or `periodic_options`.
  template <class Callable, class Options>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_callable(const timer_times& when, Callable&& callable, Options& options) {
    return schedule(when, std::nullopt, internal::payloads::of_callable<Callable>(),
                    internal::payloads::stored(std::forward<Callable>(callable)), options);
  }
  /// Sends `message`, or a copy or result of it for each run of a periodic job. `Options` are
  /// `once_options` or `periodic_options`, as the mode says.
  template <class Message, class Options>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_message(const timer_times& when, sink_ref receiver, Message message, Options& options) {
    if constexpr (std::is_same_v<Options, once_options>) {
      return schedule(when, receiver, internal::payloads::message_operations<Message>,
                      std::move(message), options);
    } else {
      return schedule(when, receiver, internal::payloads::of_repeated<Message>(),
                      std::move(message), options);
    }
  }

  /// Registers a task that runs when the scheduler closes.
  [[nodiscard]] std::expected<void, close_task_error> on_close(close_priority priority,
                                                               small_task task) noexcept;

  /// The current counters. Also checks for a stalled driver.
  [[nodiscard]] scheduler_metrics metrics() noexcept;
  /// The stream of events; see `diagnostics_subscription`.
  [[nodiscard]] diagnostics& events() noexcept { return store_.events; }
  /// The highest rate at which a periodic job can run, in hertz.
  [[nodiscard]] double max_frequency() const noexcept { return config_.timing.max_frequency(); }
  /// Removes ended jobs, where that can be done at once: for a caller that found no capacity.
  void clear_away() noexcept {
    if (driver_ != nullptr) driver_->poll_now();
  }
  /// For a caller that has no memory for its message. Returns: the first error of such a call, in
  /// the order of `scheduler_error`. It is counted.
  [[nodiscard]] std::unexpected<scheduler_error>
  refuse_without_memory(const timer_times& when) noexcept;
  /// Reports a driver whose poll is long overdue. Every schedule call, `metrics`, and a worker that
  /// is about to sleep check it, too.
  void check_for_stall() noexcept;

  // The owner, one call at a time.

  /// Fires all due jobs and applies pending schedules and cancels. Requires: the caller holds no
  /// lock.
  poll_result poll() noexcept;
  /// The part of `poll` that needs the owner, and runs no user code. What it finds is to be handed
  /// out.
  poll_result collect() noexcept;
  /// Takes what the owner's functions have found, in order: due jobs, and jobs that they have
  /// ended. Empty from then on until `end_hand_out`, so that one thread at a time hands out, and
  /// the order stays.
  [[nodiscard]] internal::mpsc_chain<timer_job> begin_hand_out() noexcept;
  /// Passes jobs to dispatchers, receivers and destructors: user code. Context: the thread that
  /// took them; it holds no lock.
  void hand_out(internal::mpsc_chain<timer_job>& found) noexcept;
  /// Requires: what `begin_hand_out` returned was not empty, and has been handed out.
  void end_hand_out() noexcept;
  /// Returns true if a job is being handed out, or waits for `begin_hand_out`.
  [[nodiscard]] bool is_handing_out() const noexcept { return handing_out_ || has_found(); }
  /// Returns true if something waits for `begin_hand_out`.
  [[nodiscard]] bool has_found() const noexcept { return !found_.empty(); }
  /// The earliest deadline, commands on their way included. Requires: as for `poll`.
  [[nodiscard]] std::optional<tick> next_deadline() noexcept;
  /// The part of `next_deadline` that needs the owner, and runs no user code. What it finds is to
  /// be handed out.
  [[nodiscard]] std::optional<tick> find_next_deadline() noexcept;
  /// The first reading of the clock that is in the tick `at`.
  [[nodiscard]] std::uint64_t first_reading_at(tick at) const noexcept;

  /// Returns true if commands wait, for a driver that was woken or is about to sleep.
  [[nodiscard]] bool has_commands() const noexcept { return !store_.commands.empty(); }

  /// Refuses new timers and cancels waiting ones; timers with `on_shutdown::run` become tasks.
  /// Returns: how many were cancelled. A second call does nothing. Requires: as for `poll`.
  std::size_t close() noexcept;
  /// The part of `close` that needs the owner, and runs no user code. What it ends is to be handed
  /// out.
  std::size_t end_all() noexcept;
  /// The next close task in order, or nothing. Requires: closed. Context: any thread.
  [[nodiscard]] std::optional<close_task> next_close_task() noexcept;
  /// Cancels and reports a close task that has not begun.
  void give_up(const close_task& task) noexcept;
  /// Cancels and reports all close tasks that are left. Returns: how many. Requires: closed.
  std::size_t give_up_close_tasks() noexcept;
  /// Reports a close task that failed or did not return in time. Context: any thread.
  void report_failed(const close_task& task) noexcept;
  /// Publishes that the driver's thread has ended.
  void report_driver_end() noexcept;

  /// Calls `call()` while no poll runs. Requires: it does not block. Context: any thread.
  template <class Call>
  void exclusively(Call call) noexcept {
    if (driver_ == nullptr) return call();
    driver_->run_exclusively([](void* with) { (*static_cast<Call*>(with))(); }, &call);
  }
  /// Waits until no thread is about to call a dispatcher for a job that has been cancelled: then
  /// the dispatcher may end. Context: any thread.
  void await_hand_out() noexcept {
    if (driver_ != nullptr) driver_->await_hand_out();
  }
  /// Context: the owner, or `exclusively`.
  [[nodiscard]] const timer_wheel& wheel() const noexcept { return wheel_; }
  /// The part that all threads access, for dumps and checks.
  [[nodiscard]] internal::timer_store& store() noexcept { return store_; }
  [[nodiscard]] const scheduler_config& config() const noexcept { return config_; }

private:
  struct request : timer_times {
    timer_priority priority = timer_priority::normal;
    missed missed_runs = missed::fold;
    std::uint32_t backlog_limit = periodic_options::no_backlog_limit;
    on_shutdown at_shutdown = on_shutdown::cancel;
    internal::timer_owner owner = internal::timer_owner::user;
  };
  /// Everything that a job needs, taken for it, and the first word of the job.
  struct admission {
    internal::timer_record* record;
    internal::timer_word word;
  };

  /// Sends `message` to `receiver` once, for the runtime: outside of the quota and the capacity of
  /// the overflow. Refused only after shutdown and for want of memory, with `capacity_exceeded`.
  template <class Message>
  [[nodiscard]] std::expected<cancellable, scheduler_error>
  schedule_for_runtime(duration delay, sink_ref receiver, Message message) {
    once_options options;
    request wanted = requested({.mode = job_mode::once, .first = delay, .period = {}}, options);
    wanted.owner = internal::timer_owner::runtime;
    return schedule(wanted, receiver, internal::payloads::message_operations<Message>,
                    std::move(message), options);
  }

  static request requested(const timer_times& when, const once_options& options) noexcept;
  static request requested(const timer_times& when, const periodic_options& options) noexcept;

  /// `receiver`: of a message; nothing: a callable.
  template <class Payload, class Options>
  std::expected<cancellable, scheduler_error>
  schedule(const timer_times& when, std::optional<sink_ref> receiver,
           const internal::payload_operations& operations, Payload&& payload,
           Options& options) noexcept {
    return schedule(requested(when, options), receiver, operations, std::forward<Payload>(payload),
                    options);
  }
  template <class Payload, class Options>
  std::expected<cancellable, scheduler_error>
  schedule(const request& wanted, std::optional<sink_ref> receiver,
           const internal::payload_operations& operations, Payload&& payload,
           Options& options) noexcept {
    const auto admitted = admit(wanted, operations, static_cast<bool>(options.on_cancelled));
    if (!admitted) return std::unexpected{admitted.error()};
    admitted->record->payload.construct(std::forward<Payload>(payload));
    return publish(*admitted, receiver, options.dispatcher, options.on_cancelled);
  }

  std::expected<tick, scheduler_error> check_call(const request& wanted,
                                                  const internal::split_instant& now) noexcept;
  std::expected<admission, scheduler_error>
  admit(const request& wanted, const internal::payload_operations& payload, bool has_hook) noexcept;
  bool take_back(internal::timer_record& record) noexcept;
  std::expected<cancellable, scheduler_error> publish(const admission& admitted,
                                                      std::optional<sink_ref> receiver,
                                                      job_dispatcher* dispatcher,
                                                      small_task& on_cancelled) noexcept;
  std::unexpected<scheduler_error> refuse(scheduler_error why) noexcept;
  std::unexpected<scheduler_error> refuse_over_quota(tick now) noexcept;
  std::expected<void, scheduler_error> enter(const internal::timer_record& record,
                                             internal::timer_word word) noexcept;
  bool overflow_is_full_for(std::size_t rank) noexcept;
  static void fill(internal::timer_record& record, const request& wanted, tick deadline) noexcept;
  void check_for_stall(tick now) noexcept;
  void end_stall(tick now) noexcept;
  void warn_of_quota(tick now) noexcept;

  // The driver's side.
  void hand_out_all() noexcept;
  void expect_poll(std::uintptr_t at) noexcept;
  void take_commands(tick present) noexcept;
  void warn_if_nearly_full(tick present) noexcept;
  /// The entries of the overflow that its capacity limits.
  [[nodiscard]] std::size_t overflow_of_users() const noexcept {
    return wheel_.overflow_size() - wheel_.overflow_size(internal::runtime_rank);
  }
  void apply(internal::timer_record& record) noexcept;
  void relieve_overflow(tick present) noexcept;
  void evict(internal::timer_record& record, tick present) noexcept;
  void count_waiting() noexcept;
  internal::timer_record::change end(internal::timer_record& record,
                                     internal::timer_totals_member how,
                                     std::uint64_t least_due = 0) noexcept;
  void drop(internal::timer_record& record) noexcept;
  void note_lateness(timer_instant now) noexcept;
  void fire(internal::timer_record& record, tick now) noexcept;
  void fire_once(internal::timer_record& record) noexcept;
  void fire_periodic(internal::timer_record& record, internal::timer_plan& plan, tick now) noexcept;
  void fire_at_rate(internal::timer_record& record, internal::timer_plan& plan, tick now) noexcept;
  bool over_backlog(internal::timer_record& record, std::uint64_t due, tick now) noexcept;
  void warn_of_burst(internal::timer_record& record, std::uint64_t waiting, tick now) noexcept;
  void claim_for_close(internal::timer_record& record) noexcept;
  bool cancel_for_close(internal::timer_record& record) noexcept;
  internal::timer_record* take_from_dispatcher() noexcept;
  close_task* find_close_task(close_task& timer) noexcept;

  scheduler_config config_;
  internal::timer_store& store_;
  timer_poller* driver_;
  timer_wheel wheel_;
  internal::drift_monitor drift_;
  std::span<close_task> close_tasks_;

  // owner only
  bool near_capacity_warned_ = false;
  internal::mpsc_chain<timer_job> found_;  // not handed out yet
  bool handing_out_ = false;
  std::uintptr_t unfinished_since_ =
      internal::timer_store::never;  // tick of the first poll that is not over, hand-out included

  // Written by: the owner. Read by: metrics. Publishes: nothing. Saturates.
  port::atomic<std::uintptr_t> drift_last_ns_;
  port::atomic<std::uintptr_t> drift_worst_ns_;

  port::mutex close_mutex_;
  // protected by close_mutex_
  std::size_t close_task_count_ = 0;
  std::uint64_t close_tasks_given_out_ = 0;
  std::size_t close_position_ = 0;  // records before it have been checked for posted timers
  internal::mpsc_chain<timer_job> close_timers_;

  // Written by: schedule calls, the owner. Read by: both. Publishes: nothing; set: has warned.
  port::atomic<bool> quota_warned_;
  port::atomic<bool> stall_warned_;
};

}  // namespace tactor::inline v0
