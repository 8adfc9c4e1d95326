// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/system/shutdown_report.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/callable_actor.hpp"
#include "tactor/host/metrics/metrics_history.hpp"
#include "tactor/host/metrics/metrics_report.hpp"
#include "tactor/host/metrics/recent_incidents.hpp"
#include "tactor/host/metrics/worker_hub.hpp"
#include "tactor/host/os/process_threads.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/system_setup.hpp"
#include "tactor/host/timers/close_runner.hpp"
#include "tactor/host/timers/scheduler_memory.hpp"
#include "tactor/host/timers/timer_driver.hpp"
#include "tactor/host/timers/warning_reporter.hpp"
#include "tactor/host/trace/trace_hub.hpp"
#include "tactor/host/workers/blocked_worker_watch.hpp"
#include "tactor/host/workers/host_dispatchers.hpp"
#include "tactor/host/workers/pool_settings.hpp"
#include "tactor/host/workers/pool_sizer.hpp"
#include "tactor/host/workers/work_stealing_coordinator.hpp"
#include "tactor/host/workers/worker_state.hpp"
#include "tactor/host/workers/worker_threads.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

namespace tactor::inline v0 {

/// The parts of a system, destroyed in reverse order. Its threads share ownership, so that a late
/// thread finds all parts alive.
///
/// inv 1  A shutdown that has begun reaches `phase::over`: no step after `begin` throws.
class actor_system::running final : public internal::system_observer,
                                    public std::enable_shared_from_this<running> {
public:
  using time_point = std::chrono::steady_clock::time_point;

  running(const system_config& config, std::uint32_t workers, internal::scheduler_memory memory)
      : memory_(std::move(memory)),
        clock_(internal::clock_of(config)),
        blocked_after_(config.dispatch.blocked_after),
        pin_workers_(config.dispatchers.pin_workers),
        workers_(workers, internal::pool_kind::computing, "worker", 0,
                 internal::work_stealing_coordinator::most_workers),
        dispatchers_(config.dispatchers.blocking_threads, callables(dispatcher::pinned),
                     callables(dispatcher::blocking)),
        timers_(config.scheduler, memory_.parts(clock_, callables(dispatcher::pool), &driver_)),
        reports_(internal::with_defaults(config).log, config.name, clock_, &timers_, warnings()),
        core_(internal::with_defaults(config), {.clock = clock_,
                                                .timers = &timers_,
                                                .coordinator = workers_.coordinator(),
                                                .others = &dispatchers_,
                                                .observer = this,
                                                .reports = &reports_.out,
                                                .ended_counts = &ended_counts_}) {
    driver_.attach(timers_);
    for (internal::callable_actors& each : callables_)
      each.attach(core_);
  }
  running(const running&) = delete;
  running& operator=(const running&) = delete;
  /// Runs on the last thread to end, or on the owner's.
  ~running() {
    driver_.stop();  // it may have shut the system down by itself
    run_what_is_left();
  }

  /// Starts all threads. Throws: std::system_error if the system cannot start them all,
  /// std::bad_alloc if there is no memory.
  void start();

  /// Wakes the threads that wait for the end of the last actor. Context: any thread.
  void all_stopped() noexcept override;

  // These keep incidents for snapshots. Context: any thread.

  /// See `system_observer::lost`.
  void lost(const dead_letter& what) noexcept override { incidents_.add(core_, what); }
  /// See `system_observer::failed`.
  void failed(const actor_failed& what) noexcept override { incidents_.add(core_.now_ns(), what); }
  /// See `system_observer::restarted`.
  void restarted(const actor_restarted& what) noexcept override {
    incidents_.count_restarts(what.who.index(), what.restarts);
  }

  /// Ends the system; see `actor_system::shutdown`.
  shutdown_report shutdown(time_point until);

  /// Returns: true if the last actor has ended.
  [[nodiscard]] bool has_stopped() {
    const std::scoped_lock lock{mutex_};
    return stopped_;
  }

  /// Waits for late close tasks, then ends the owner's share. Afterwards only late threads own it.
  void let_go() noexcept {
    const std::shared_ptr<running> last = std::move(self_);
    if (!is_inside()) closing_.wait_for_late_tasks();
  }

  /// Returns: the number of turns of all threads.
  [[nodiscard]] std::uint64_t turns() {
    std::uint64_t all = workers_.turns();
    dispatchers_.for_each([&](const internal::worker_threads& each) { all += each.turns(); });
    return all;
  }
  /// Returns: true if no thread has work. It checks twice, because a sleeping worker may be handed
  /// work between the two checks.
  [[nodiscard]] bool is_idle() {
    const std::uint64_t before = turns();
    return all_idle() && reporter_.is_idle() && all_idle() && turns() == before;
  }

  /// Returns: all figures. Throws: std::bad_alloc.
  [[nodiscard]] metrics_report report();
  /// Returns: all figures, and the messages that the workers handle now.
  [[nodiscard]] metrics_report full_report() {
    metrics_report all = report();
    add_handling(all);
    return all;
  }
  /// Adds the messages that the workers handle at this moment.
  void add_handling(metrics_report& to);
  /// See `actor_system::resize`.
  std::expected<void, resize_error> resize(std::uint32_t workers);
  /// See `actor_system::adapt`.
  std::expected<void, resize_error> adapt(const adaptive_workers& how);
  [[nodiscard]] worker_counts workers() const noexcept { return workers_.counts(); }

  /// Returns: the figures of the last quarter of an hour.
  internal::metrics_history& history() noexcept { return history_; }

  /// Returns: the newest incidents.
  [[nodiscard]] const internal::recent_incidents& incidents() const noexcept { return incidents_; }
  /// Returns: the traces of the system.
  internal::trace_hub& traces() noexcept { return traces_; }

  /// Returns: the system without its threads.
  internal::system_core& core() noexcept { return core_; }
  /// Returns: the thread of the timers.
  internal::timer_driver& driver() noexcept { return driver_; }
  /// Returns: the dispatcher that runs callables of timers there.
  job_dispatcher& callables(dispatcher where) noexcept {
    return callables_[std::to_underlying(where)];
  }

private:
  enum class phase : std::uint8_t { open, closing, over };

  /// Returns: true if the calling thread would wait for itself.
  [[nodiscard]] bool is_inside() const noexcept {
    return internal::this_thread().services == &core_ || internal::thread_mark::stands_for(this);
  }
  [[nodiscard]] shutdown_report lost_by_fork() const noexcept {
    shutdown_report report;
    report.left = core_.live();
    return report;
  }

  [[nodiscard]] std::span<scheduler_event> warnings() noexcept {
    return {reinterpret_cast<scheduler_event*>(warnings_), most_warnings};
  }

  [[nodiscard]] bool is_closing() {
    const std::scoped_lock lock{mutex_};
    return phase_ != phase::open;
  }

  [[nodiscard]] std::optional<resize_error> refuses(std::uint32_t workers) const noexcept;
  /// Requires: `resizing_` is held.
  std::expected<void, resize_error> change_workers(std::uint32_t workers);

  using wait_time = std::optional<std::chrono::nanoseconds>;
  static wait_time sooner(wait_time a, wait_time b) noexcept {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
  }
  /// Changes the number of workers as `sizer_` advises. `workers_wake_it`: the calling thread
  /// otherwise sleeps without a timeout until a worker wakes it. Returns: the time until the next
  /// call; nothing: after a worker has woken it. Context: the thread that reports.
  wait_time adapt_now(bool workers_wake_it) noexcept;

  /// Begins the shutdown. Returns: true if the caller performs it, false if it has begun before.
  bool begin(time_point until) {
    const std::scoped_lock lock{mutex_};
    if (phase_ != phase::open) return false;
    phase_ = phase::closing;
    until_ = until;
    began_ = std::chrono::steady_clock::now();
    return true;
  }

  /// Moves the deadline of a shutdown that another call has begun: the earliest of all calls
  /// counts.
  void end_sooner(time_point until) noexcept;
  [[nodiscard]] time_point deadline() noexcept {
    const std::scoped_lock lock{mutex_};
    return until_;
  }

  /// Performs the shutdown on a new thread. Returns: false if no thread can be started.
  bool finish_elsewhere();

  /// Performs the shutdown. It allocates nothing, and keeps inv 1.
  void finish() noexcept;

  /// Waits until the last actor has ended, and samples the workers from time to time, to find late
  /// actors. `until` is read under the lock, and may become earlier meanwhile. Returns: false if
  /// the time has passed before.
  bool wait_until_stopped(const time_point& until) noexcept;
  void sample_all(time_point now) noexcept;

  [[nodiscard]] bool all_idle() {
    bool all = workers_.is_idle();
    dispatchers_.for_each(
        [&](const internal::worker_threads& each) { all = all && each.is_idle(); });
    return all;
  }
  void report_late_actors() noexcept {
    report_busy();
    report_suspended();
  }
  void report_busy() noexcept;
  void report_suspended() noexcept;
  void add_to_report(const late_actor& who) noexcept {
    const std::scoped_lock lock{mutex_};
    report_.add(who);
  }

  void close_timers() noexcept;

  void end_threads() noexcept;

  /// Runs actors that are ready although their threads have ended: a late actor may have made its
  /// parent or children ready, and an interrupted sender may be about to make its receiver ready.
  void run_what_is_left() noexcept;

  internal::scheduler_memory memory_;
  const monotonic_clock& clock_;
  const std::optional<duration> blocked_after_;
  const bool pin_workers_;
  internal::worker_threads workers_;
  std::array<internal::callable_actors, 3> callables_{
      internal::callable_actors{dispatcher::pool}, internal::callable_actors{dispatcher::pinned},
      internal::callable_actors{dispatcher::blocking}};
  internal::host_dispatchers dispatchers_;
  internal::timer_driver driver_;
  scheduler timers_;
  // Uninitialised, so that the start does not touch its pages: each event is written before it is
  // read.
  static constexpr std::size_t most_warnings = 256;
  metrics_snapshot ended_counts_;
  alignas(scheduler_event) std::byte warnings_[most_warnings * sizeof(scheduler_event)];
  internal::recent_incidents incidents_;
  internal::trace_hub traces_{core_, "outside"};  // threads inside of `core_` use it
  internal::reporter_of_shutdown reports_;
  internal::system_core core_;
  internal::worker_hub hub_;
  internal::metrics_history history_;
  internal::warning_reporter reporter_;
  internal::close_runner closing_;
  internal::blocked_worker_watch watch_{workers_, reporter_.signal()};

  std::mutex resizing_;  // before `mutex_`: held while the number of workers changes
  // protected by resizing_
  std::optional<internal::pool_sizer> sizer_;  // nothing: the number of workers is constant

  std::mutex mutex_;
  std::condition_variable changed_;
  // protected by mutex_
  bool stopped_ = false;
  phase phase_ = phase::open;
  time_point began_;
  time_point until_;  // the deadline of the shutdown
  shutdown_report report_;

  std::shared_ptr<running> self_;  // the owner's share
  internal::process_threads threads_;
};

}  // namespace tactor::inline v0
