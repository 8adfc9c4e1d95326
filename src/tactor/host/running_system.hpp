// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/callable_actor.hpp"
#include "tactor/host/metrics/metrics_history.hpp"
#include "tactor/host/metrics/metrics_report.hpp"
#include "tactor/host/metrics/recent_incidents.hpp"
#include "tactor/host/metrics/worker_hub.hpp"
#include "tactor/host/os/interrupt_wait.hpp"
#include "tactor/host/os/process_threads.hpp"
#include "tactor/host/os/thread_mark.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/host/system_setup.hpp"
#include "tactor/host/timers/close_runner.hpp"
#include "tactor/host/timers/scheduler_memory.hpp"
#include "tactor/host/timers/timer_driver.hpp"
#include "tactor/host/timers/warning_reporter.hpp"
#include "tactor/host/workers/blocked_worker_watch.hpp"
#include "tactor/host/workers/busy_worker_sampler.hpp"
#include "tactor/host/workers/host_dispatchers.hpp"
#include "tactor/host/workers/worker_decision.hpp"
#include "tactor/host/workers/worker_threads.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <expected>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

namespace tactor::inline v0 {

/// The parts of a system, destroyed in reverse order. Its threads share ownership, so that a late
/// thread finds all parts alive.
///
/// inv 1  A shutdown that has begun reaches `phase::over`: no step after `begin` throws.
class actor_system::running final : public internal::system_watcher,
                                    public std::enable_shared_from_this<running> {
public:
  using time_point = std::chrono::steady_clock::time_point;

  running(const system_config& config, std::uint32_t workers, internal::scheduler_memory memory)
      : memory_(std::move(memory)),
        clock_(internal::clock_of(config)),
        workers_(workers, internal::pool_kind::computing, "worker", 0,
                 internal::work_stealing_coordinator::most_workers),
        dispatchers_(config.dispatchers.blocking_threads),
        timers_(config.scheduler, memory_.parts(clock_, callables_[0], &driver_)),
        core_(internal::completed(config), {.clock = clock_,
                                            .timers = timers_,
                                            .coordinator = workers_.coordinator(),
                                            .others = &dispatchers_,
                                            .watcher = this,
                                            .warnings = warnings_}) {
    driver_.attach(timers_, clock_);
    for (internal::callable_actors& each : callables_)
      each.attach(core_);
  }
  running(const running&) = delete;
  running& operator=(const running&) = delete;
  /// Runs on the last thread to end, or on the owner's.
  ~running() { run_what_is_left(); }

  /// Starts all threads. Throws: std::system_error if the system cannot start them all,
  /// std::bad_alloc if there is no memory.
  void start() {
    const std::shared_ptr<running> self = shared_from_this();
    self_ = self;
    try {
      if (!core_.usable()) throw std::bad_alloc{};
      const auto& blocked_after = core_.config().dispatch.blocked_after;
      const bool realtime = clock_.kind() == clock_kind::realtime;
      if (realtime && blocked_after) {
        workers_.watch_with(watch_);
        watch_.start(*blocked_after);
      }
      workers_.start(core_, hub_, self, internal::signal_mask(),
                     core_.config().dispatchers.pin_workers);
      dispatchers_.open(core_, hub_, self);
      const auto report = [this] {
        core_.report_timer_warnings();
        const auto again = sooner(watch_.sample(core_), adapt_now());
        if (core_.hub().level() != metrics_level::off)
          history_.poll(core_.now_ns(), [this] { return this->report(); });
        return again;
      };
      reporter_.start(timers_.events(), report, self, this);
      if (clock_.kind() == clock_kind::realtime) driver_.start(this);
    } catch (...) {
      (void)shutdown(std::chrono::steady_clock::now());
      self_.reset();
      throw;
    }
  }

  /// The last actor has ended. Context: any thread.
  void all_stopped() noexcept override {
    {
      const std::scoped_lock lock{mutex_};
      stopped_ = true;
      changed_.notify_all();
    }
    internal::end_signal_wait();
  }
  // They are kept for snapshots. Context: any thread.
  void lost(const dead_letter& what) noexcept override { incidents_.add(core_, what); }
  void failed(const actor_failed& what) noexcept override { incidents_.add(core_.now_ns(), what); }
  void restarted(const actor_restarted& what) noexcept override {
    incidents_.count_restarts(what.who.index(), what.restarts);
  }

  /// Ends the system; see `actor_system::shutdown`.
  shutdown_report shutdown(time_point until) {
    if (!threads_.exist()) return lost_by_fork();
    const bool from_inside = is_inside();
    if (begin()) {
      {
        const std::scoped_lock resize_is_over{resizing_};
      }
      core_.begin_drain();
      if (!from_inside || !finish_elsewhere(until)) finish(until);
    }
    std::unique_lock lock{mutex_};
    if (!from_inside) changed_.wait(lock, [this] { return phase_ == phase::over; });
    return report_;
  }

  /// Whether the last actor has ended.
  [[nodiscard]] bool has_stopped() {
    const std::scoped_lock lock{mutex_};
    return stopped_;
  }

  /// Waits for late close tasks, then ends the owner's share. Afterwards only late threads own it.
  void let_go() noexcept {
    const std::shared_ptr<running> last = std::move(self_);
    if (!is_inside()) closing_.wait_for_late_tasks();
  }

  /// Check twice: a sleeping worker may be handed work between the two checks.
  [[nodiscard]] bool is_idle() {
    const std::uint64_t before = turns();
    return all_idle() && reporter_.is_idle() && all_idle() && turns() == before;
  }

  /// All figures. Throws: std::bad_alloc.
  [[nodiscard]] metrics_report report() {
    metrics_report all{
        .time_ns = core_.now_ns(), .level = core_.hub().level(), .sums = core_.metrics()};
    if (all.level != metrics_level::off) hub_.add_to(all, all.time_ns);
    if (all.level >= metrics_level::actor) internal::add_actors(all, core_);
    return all;
  }
  /// The same, with what the workers handle now.
  [[nodiscard]] metrics_report full_report() {
    metrics_report all = report();
    add_handling(all);
    return all;
  }
  /// Adds what the workers handle at this moment.
  void add_handling(metrics_report& to) {
    std::uint32_t number = 0;
    const auto add = [&](const internal::worker_threads& group) {
      for (std::size_t i = 0; i < group.size(); ++i, ++number) {
        const internal::worker_activity in = group.activity(i);
        if (in.who.generation == 0) continue;
        to.handling.push_back(
            {.actor = std::string{core_.path_for_log(in.who).view()},
             .message = in.what == nullptr ? std::string_view{} : in.what->type.name,
             .turn = in.turn,
             .worker = number,
             .on_pool = &group == &workers_});
      }
    };
    add(workers_);
    dispatchers_.for_each(add);
  }
  /// See `actor_system::resize`.
  std::expected<void, resize_error> resize(std::uint32_t workers) {
    if (const auto wrong = refuses(workers)) return std::unexpected{*wrong};
    const std::scoped_lock alone{resizing_};
    adaptive_.reset();
    return change_workers(workers);
  }
  /// See `actor_system::adapt`.
  std::expected<void, resize_error> adapt(const adaptive_workers& how) {
    for (const std::uint32_t each : {how.least, how.most})
      if (const auto wrong = refuses(each)) return std::unexpected{*wrong};
    if (how.least > how.most || how.every <= duration{} || how.long_wait <= duration{})
      return std::unexpected{resize_error::no_range};
    {
      const std::scoped_lock alone{resizing_};
      if (is_closing()) return std::unexpected{resize_error::stopping};
      if (clock_.kind() != clock_kind::realtime) return {};
      adaptive_ = how;
      workers_.watch_with(watch_);
    }
    reporter_.signal().worker_woke();
    return {};
  }
  [[nodiscard]] worker_counts workers() const noexcept { return workers_.counts(); }

  /// The figures of the last quarter of an hour.
  internal::metrics_history& history() noexcept { return history_; }

  /// What went wrong lately.
  [[nodiscard]] const internal::recent_incidents& incidents() const noexcept { return incidents_; }

  /// The system without its threads.
  internal::system_core& core() noexcept { return core_; }
  /// The thread of the timers.
  internal::timer_driver& driver() noexcept { return driver_; }
  /// Where callables of timers run.
  job_dispatcher& callables(dispatcher where) noexcept {
    return callables_[std::to_underlying(where)];
  }

private:
  enum class phase : std::uint8_t { open, closing, over };

  /// Whether the calling thread would wait for itself.
  [[nodiscard]] bool is_inside() const noexcept {
    return internal::this_thread().services == &core_ || internal::thread_mark::stands_for(this);
  }
  [[nodiscard]] shutdown_report lost_by_fork() const noexcept {
    shutdown_report report;
    report.left = core_.live();
    return report;
  }

  [[nodiscard]] bool is_closing() {
    const std::scoped_lock lock{mutex_};
    return phase_ != phase::open;
  }

  [[nodiscard]] std::optional<resize_error> refuses(std::uint32_t workers) const noexcept {
    if (workers == 0) return resize_error::zero_workers;
    if (workers > workers_.most()) return resize_error::too_many;
    return std::nullopt;
  }
  /// Requires: `resizing_` is held.
  std::expected<void, resize_error> change_workers(std::uint32_t workers) {
    if (is_closing() || !threads_.exist()) return std::unexpected{resize_error::stopping};
    if (!workers_.resize(workers, shared_from_this()))
      return std::unexpected{resize_error::no_threads};
    return {};
  }

  using wait_time = std::optional<std::chrono::nanoseconds>;
  static wait_time sooner(wait_time a, wait_time b) noexcept {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
  }
  /// Changes the number of workers by what is queued. Returns: when to call it again; nothing: after a
  /// worker has woken. Context: the thread that reports.
  wait_time adapt_now() noexcept {
    const std::scoped_lock alone{resizing_};
    if (!adaptive_ || is_closing()) return std::nullopt;
    const adaptive_workers& how = *adaptive_;
    const std::chrono::nanoseconds every{how.every.nanoseconds()};
    const time_point now = std::chrono::steady_clock::now();
    const std::chrono::nanoseconds interval = now - sampled_;
    if (interval < every) return every - interval;
    sampled_ = now;
    const std::uint64_t turns = workers_.turns();
    const std::uint64_t done = turns - std::exchange(turns_seen_, turns);
    const std::uint64_t queued = workers_.coordinator().usage().cells;
    const std::uint64_t wait_ns =
        internal::expected_wait_ns(queued, done, static_cast<std::uint64_t>(interval.count()));
    const internal::pool_decision what = internal::decide_workers(
        {.workers = workers_.wanted(), .queued = queued, .wait_ns = wait_ns, .quiet = quiet_}, how);
    quiet_ = what.quiet;
    if (what.workers != workers_.wanted()) (void)change_workers(what.workers);
    if (what.workers == how.least && workers_.is_idle()) return std::nullopt;
    return every;
  }

  /// Returns: whether the caller performs the shutdown.
  bool begin() {
    const std::scoped_lock lock{mutex_};
    if (phase_ != phase::open) return false;
    phase_ = phase::closing;
    began_ = std::chrono::steady_clock::now();
    return true;
  }

  /// Returns: false if no thread can be started.
  bool finish_elsewhere(time_point until) {
    try {
      std::thread{[self = shared_from_this(), until] {
        internal::set_up_thread("end");
        self->finish(until);
      }}.detach();
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  /// Allocates nothing. Keeps inv 1.
  void finish(time_point until) noexcept {
    const bool in_time = wait_until_stopped(until);
    if (!in_time) {
      report_late_actors();
      core_.begin_stop();
      if (!wait_until_stopped(std::chrono::steady_clock::now() + internal::time_to_leave)) {
        const std::scoped_lock lock{mutex_};
        report_.left = core_.live();
      }
    }
    close_timers(until);
    end_threads();
    const std::scoped_lock lock{mutex_};
    report_.complete = in_time;
    report_.cause = core_.cause();
    report_.took = std::chrono::nanoseconds{std::chrono::steady_clock::now() - began_};
    phase_ = phase::over;
    changed_.notify_all();
  }

  /// Returns: whether the last actor has ended. Samples the workers from time to time, to find late
  /// actors.
  bool wait_until_stopped(time_point until) noexcept {
    std::chrono::milliseconds pause{1};
    while (true) {
      const time_point now = std::chrono::steady_clock::now();
      sample_all(now);
      std::unique_lock lock{mutex_};
      if (changed_.wait_until(lock, std::min(until, now + pause), [this] { return stopped_; }))
        return true;
      if (now >= until) return false;
      pause = std::min(2 * pause, std::chrono::milliseconds{100});
    }
  }
  void sample_all(time_point now) noexcept {
    workers_.sample(now);
    dispatchers_.for_each([&](internal::worker_threads& each) { each.sample(now); });
  }

  [[nodiscard]] bool all_idle() {
    bool all = workers_.is_idle();
    dispatchers_.for_each(
        [&](const internal::worker_threads& each) { all = all && each.is_idle(); });
    return all;
  }
  [[nodiscard]] std::uint64_t turns() {
    std::uint64_t all = workers_.turns();
    dispatchers_.for_each([&](const internal::worker_threads& each) { all += each.turns(); });
    return all;
  }

  void report_late_actors() noexcept {
    report_busy();
    report_suspended();
  }
  void report_busy() noexcept {
    struct busy {
      internal::worker_activity in;
      time_point since;
    };
    std::array<busy, shutdown_report::most_late> late{};
    std::size_t found = 0;
    const time_point now = std::chrono::steady_clock::now();
    const auto find_in = [&](const internal::worker_threads& group) {
      group.samples().for_each_at(now, [&](const internal::worker_activity& in, time_point since) {
        if (found < late.size()) late[found++] = {.in = in, .since = since};
      });
    };
    sample_all(now);
    find_in(workers_);
    dispatchers_.for_each(find_in);
    for (const busy& each : std::span{late}.first(found)) {  // without a lock: the log is user code
      late_actor who{.path = {},
                     .message_type =
                         each.in.what == nullptr ? std::string_view{} : each.in.what->type.name,
                     .busy = std::chrono::nanoseconds{now - each.since}};
      core_.write_path(who.path, each.in.who);
      core_.report_late(who.path.view(), who.message_type, who.busy);
      add_to_report(who);
    }
  }
  void report_suspended() noexcept {
    std::array<mailbox_index, shutdown_report::most_late> suspended{};
    for (const mailbox_index& each : std::span{suspended}.first(core_.find_suspended(suspended))) {
      late_actor who{.path = {}, .message_type = {}, .busy = {}, .suspended = true};
      core_.write_path(who.path, each);
      core_.report_suspended(who.path.view());
      add_to_report(who);
    }
  }
  void add_to_report(const late_actor& who) noexcept {
    const std::scoped_lock lock{mutex_};
    report_.add(who);
  }

  void close_timers(time_point until) noexcept {
    {
      const internal::thread_mark mark{
          this};  // destructors of cancelled callables may call shutdown
      (void)driver_.close();
    }
    const time_point enough =
        std::max(until, std::chrono::steady_clock::now() + internal::time_to_leave);
    const internal::close_counts counts = closing_.run(timers_, enough, this);
    driver_.stop();
    const std::scoped_lock lock{mutex_};
    report_.tasks_run = counts.run;
    report_.tasks_failed = counts.failed;
    report_.tasks_late = counts.late;
  }

  void end_threads() noexcept {
    const time_point soon = std::chrono::steady_clock::now() + internal::time_to_leave;
    workers_.dismiss();
    (void)workers_.join(soon);
    (void)dispatchers_.close(soon);
    driver_.poll_now();  // removes the jobs that ended last
    (void)reporter_.stop(std::chrono::steady_clock::now() + internal::time_to_leave);
  }

  /// A late actor may have made its parent or children ready after their threads had ended. And an
  /// interrupted sender may be about to make its receiver ready, which cannot end before that.
  void run_what_is_left() noexcept {
    bool some = true;
    while (some || core_.now_in() != internal::system_core::phase::stopped) {
      if (!some) std::this_thread::yield();
      some = workers_.run_what_is_left(core_);
      dispatchers_.for_each_closed(
          [&](internal::worker_threads& each) { some = each.run_what_is_left(core_) || some; });
    }
    driver_.poll_now();  // removes the jobs that ended last
  }

  internal::scheduler_memory memory_;
  const monotonic_clock& clock_;
  internal::worker_threads workers_;
  internal::host_dispatchers dispatchers_;
  std::array<internal::callable_actors, 3> callables_{
      internal::callable_actors{dispatcher::pool}, internal::callable_actors{dispatcher::pinned},
      internal::callable_actors{dispatcher::blocking}};
  internal::timer_driver driver_;
  scheduler timers_;
  std::array<scheduler_event, 256> warnings_{};
  internal::recent_incidents incidents_;
  internal::system_core core_;
  internal::worker_hub hub_;
  internal::metrics_history history_;
  internal::warning_reporter reporter_;
  internal::close_runner closing_;
  internal::blocked_worker_watch watch_{workers_, reporter_.signal()};

  std::mutex resizing_;  // before `mutex_`: held while the number of workers changes
  // protected by resizing_
  std::optional<adaptive_workers> adaptive_;
  time_point sampled_;
  std::uint64_t turns_seen_ = 0;
  std::uint32_t quiet_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  // protected by mutex_
  bool stopped_ = false;
  phase phase_ = phase::open;
  time_point began_;
  shutdown_report report_;

  std::shared_ptr<running> self_;  // the owner's share
  internal::process_threads threads_;
};

}  // namespace tactor::inline v0
