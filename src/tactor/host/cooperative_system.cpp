// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/cooperative_system.hpp"

#include "tactor/base/assert.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/dispatch/single_thread_coordinator.hpp"
#include "tactor/core/scheduler/job_queue.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/core/system/cooperative_loop.hpp"
#include "tactor/core/system/shutdown_report.hpp"
#include "tactor/core/timing/timing_config.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/host/system_setup.hpp"
#include "tactor/host/timers/scheduler_memory.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <thread>
#include <utility>

namespace tactor::inline v0 {

using namespace internal;

namespace panics {
inline constexpr port::panic_code two_threads_at_once{
    .module = 5,
    .id = 2,
    .advice = "two threads used a cooperative_system at once: run it and send to it from one "
              "thread, or use actor_system"};
}  // namespace panics

namespace {

/// Knows the thread that uses a system at this moment. A thread may use it again within its own
/// use.
class sole_user {
public:
  /// Ends the program if another thread uses the system.
  class use {
  public:
    explicit use(sole_user& of) noexcept : of_(of) {
      const void* user = nullptr;
      const void* const me = &this_thread();
      // relaxed: a check; threads that take turns have an order of their own
      began_ = of_.thread_.compare_exchange(user, me, relaxed);
      TACTOR_ASSERT(began_ || user == me, panics::two_threads_at_once);
    }
    ~use() {
      if (began_) of_.thread_.store(nullptr, relaxed);  // relaxed: as above
    }
    use(const use&) = delete;
    use& operator=(const use&) = delete;

  private:
    sole_user& of_;
    bool began_;
  };

private:
  // Written by: the thread that uses the system. Read by: every thread that begins to. Publishes:
  // nothing. Null: none.
  port::atomic<const void*> thread_;
};

/// A ready queue that checks its users: threads that send use it, too.
class checked_coordinator final : public ready_queue_coordinator {
public:
  explicit checked_coordinator(sole_user& user) noexcept : user_(user) {}
  checked_coordinator(const checked_coordinator&) = delete;
  checked_coordinator& operator=(const checked_coordinator&) = delete;
  ~checked_coordinator() = default;

  void register_ready(ready_cell& cell) noexcept override {
    const sole_user::use now{user_};
    queue_.register_ready(cell);
  }
  void unregister(ready_cell& cell) noexcept override { queue_.unregister(cell); }
  [[nodiscard]] std::size_t drain_ready_cycle(std::span<ready_cell*> out) noexcept override {
    return queue_.drain_ready_cycle(out);
  }
  [[nodiscard]] wait_signal poll_wait_signal() noexcept override {
    return queue_.poll_wait_signal();
  }
  void handle_invoke_result(ready_cell& cell, const invoke_result& result) noexcept override {
    queue_.handle_invoke_result(cell, result);
  }
  [[nodiscard]] ready_queue_usage usage() noexcept override { return queue_.usage(); }

private:
  sole_user& user_;
  single_thread_coordinator queue_;
};

void sleep_for(std::uint64_t ns) noexcept {
  constexpr std::chrono::nanoseconds longest = std::chrono::hours{24 * 365};
  const auto most = static_cast<std::uint64_t>(longest.count());
  std::this_thread::sleep_until(
      std::chrono::steady_clock::now() +
      std::chrono::nanoseconds{static_cast<std::int64_t>(std::min(ns, most))});
}

}  // namespace

/// The parts of a system, destroyed in reverse order.
struct cooperative_system::parts final : answer_driver, timer_poller {
  parts(const system_config& config, scheduler_memory storage)
      : memory(std::move(storage)),
        clock(clock_of(config)),
        timers(config.scheduler, memory.parts(clock, dispatcher, this)),
        reports(with_defaults(config).log, config.name, clock, &timers, warnings),
        core(with_defaults(config), {.clock = clock,
                                     .timers = &timers,
                                     .coordinator = coordinator,
                                     .reports = &reports.out}),
        loop(core, coordinator) {
    if (clock.kind() == clock_kind::realtime) find_clock_counter();
  }

  void poll_now() noexcept override { (void)timers.poll(); }
  [[nodiscard]] std::uint64_t time_ns() noexcept override { return core.now_ns(); }
  [[nodiscard]] bool run_until_answered(thread_ask& asked, std::uint64_t until_ns) override {
    begin_run();
    while (!asked.answered()) {
      if (!step(until_ns)) return asked.answered();
    }
    return true;
  }

  /// Begins a call. Called before its first `step`.
  void begin_run() noexcept { work_before = work(); }
  /// Returns: the number of messages, turns and callables so far.
  [[nodiscard]] std::uint64_t work() const noexcept {
    return loop.handled() + loop.turns() + callables;
  }
  /// Runs one turn, the callables that wait, or the timers that are due next. From time to time it
  /// looks at the timers and at the end, so that an actor that is always ready holds up neither.
  /// Returns: false if `end_ns` has passed, or if nothing is left that could run; also if a manual
  /// clock, which does not move meanwhile, would never reach the end.
  bool step(std::uint64_t end_ns) noexcept {
    constexpr std::uint32_t some_turns = 64;
    constexpr std::uint64_t most_work = 10'000'000;
    if (!run_one() && !run_callables()) return wait_for_timers(end_ns);
    if (++turns_since_poll < some_turns) return true;
    const sole_user::use now{user};
    fire_timers();
    const bool never_ends =
        clock.kind() != clock_kind::realtime && work() - work_before > most_work;
    return core.now_ns() <= end_ns && !never_ends;
  }

  bool run_one() noexcept {
    const sole_user::use now{user};
    return loop.run_one();
  }
  /// Runs callables of timers. Some wait although no timer is due: `on_cancelled`. Returns: false
  /// if none waits.
  bool run_callables() noexcept {
    const sole_user::use now{user};
    const bool outer = std::exchange(in_callable, true);
    const std::size_t ran = dispatcher.run_waiting();
    in_callable = outer;
    callables += ran;
    return ran > 0;
  }
  std::size_t poll(std::size_t most) noexcept {
    const sole_user::use now{user};
    std::size_t turns = loop.poll(most);
    while (run_callables() && turns < most)
      turns += loop.run_ready(most - turns);
    return turns;
  }
  /// Returns: the time of the clock at which the timers need the next poll; nothing: never.
  [[nodiscard]] std::optional<std::uint64_t> next_ns() noexcept {
    const auto next = timers.next_deadline();
    if (!next) return std::nullopt;
    const auto tick_ns =
        static_cast<std::uint64_t>(timers.config().timing.resolution.nanoseconds());
    return saturated_ns(next->count, static_cast<std::uint32_t>(tick_ns));
  }
  /// Reports warnings of the timers, or sleeps until a timer is due; the system is in use
  /// meanwhile. Returns: false if none is due before `end_ns`; then it has slept until `end_ns`,
  /// unless there is no timer at all. With a manual clock, which does not move meanwhile, it does
  /// not sleep, and returns false if no timer is due now.
  bool wait_for_timers(std::uint64_t end_ns) noexcept {
    const sole_user::use now{user};
    core.flush_log();
    const auto next = next_ns();
    if (core.has_timer_warnings()) {  // raised by what the timers have taken over just now
      core.report_timer_warnings();
      return true;
    }
    if (!next) return false;
    const std::uint64_t until_ns = std::min(*next, end_ns);
    if (const std::uint64_t now_ns = core.now_ns(); until_ns > now_ns) {
      if (clock.kind() != clock_kind::realtime) return false;
      sleep_for(until_ns - now_ns);
    }
    if (*next > end_ns) return false;
    fire_timers();
    return true;
  }
  void fire_timers() noexcept {
    turns_since_poll = 0;
    (void)timers.poll();
    core.report_timer_warnings();
    (void)run_callables();
  }

  /// See `cooperative_system::shutdown`.
  shutdown_report shutdown(duration deadline) noexcept {
    core.begin_drain();
    const bool inside = in_callable || this_thread().services == &core;
    if (ended || inside) return ended.value_or(shutdown_report{});
    (void)timers.poll();
    (void)run_callables();
    shutdown_report report;
    const std::uint64_t began_ns = core.now_ns();
    const std::uint64_t end_ns = later(began_ns, deadline);
    report.complete = runs_out(end_ns);
    if (!report.complete) {
      report_suspended(core, report);
      core.begin_stop();
      while (run_one()) {
      }
      report.left = core.live();
    }
    (void)timers.close();
    (void)run_callables();
    in_callable = true;
    run_close_tasks(core, end_ns, report);
    in_callable = false;
    (void)run_callables();
    core.report_timer_warnings();
    core.flush_log();
    report.messages = report_messages(core, reports);
    report.cause = core.cause();
    report.took = std::chrono::nanoseconds{static_cast<std::int64_t>(core.now_ns() - began_ns)};
    ended = report;
    return report;
  }
  /// Runs until the last actor has ended. Returns: false if `end_ns` has come before, or if nothing
  /// is left that could run.
  bool runs_out(std::uint64_t end_ns) noexcept {
    begin_run();
    while (core.now_in() != system_core::phase::stopped && core.now_ns() <= end_ns) {
      if (!step(end_ns)) break;
    }
    return core.now_in() == system_core::phase::stopped;
  }

  scheduler_memory memory;
  const monotonic_clock& clock;
  job_queue dispatcher;
  sole_user user;
  checked_coordinator coordinator{user};
  scheduler timers;
  std::array<scheduler_event, 32> warnings{};  // of the timers, that wait for the log
  reporter_of_shutdown reports;
  system_core core;
  cooperative_loop<checked_coordinator> loop;
  std::optional<shutdown_report> ended;
  std::uint64_t callables = 0;  // that were run
  bool in_callable = false;
  std::uint64_t work_before = 0;
  std::uint32_t turns_since_poll = 0;
};

std::expected<cooperative_system, start_error>
cooperative_system::start(const system_config& config) {
  try {
    auto memory = prepare_start(config);
    if (!memory) return std::unexpected{memory.error()};
    auto all = std::make_unique<parts>(config, std::move(*memory));
    if (all->core.usable()) return cooperative_system{*all.release()};
    all->core.begin_stop();
  } catch (const std::bad_alloc&) {
  }
  return std::unexpected{start_error{.setting = "max_actors",
                                     .value = static_cast<std::int64_t>(config.max_actors),
                                     .allowed = "as many as the system has memory for"}};
}

cooperative_system::cooperative_system(parts& owned) noexcept
    : system_interface({.core = &owned.core, .driver = &owned}), parts_(&owned) {}

cooperative_system::cooperative_system(const system_config& config) {
  auto started = start(config);
  if (!started) refuse_to_start(started.error());
  *this = std::move(*started);
}

cooperative_system::cooperative_system(cooperative_system&& other) noexcept
    : system_interface(static_cast<system_interface&&>(other)),
      parts_(std::exchange(other.parts_, nullptr)) {}

cooperative_system& cooperative_system::operator=(cooperative_system&& other) noexcept {
  if (this == &other) return *this;
  end();  // first: its actors may use this object
  system_interface::operator=(static_cast<system_interface&&>(other));
  parts_ = std::exchange(other.parts_, nullptr);
  return *this;
}

void cooperative_system::end() noexcept {
  parts* const owned = std::exchange(parts_, nullptr);
  if (owned == nullptr) return;
  (void)owned->shutdown(default_deadline);
  delete owned;
}

shutdown_report cooperative_system::shutdown(duration deadline) {
  return parts_->shutdown(deadline);
}

bool cooperative_system::run_one() {
  return parts_->run_one();
}
std::size_t cooperative_system::poll(std::size_t most) {
  return parts_->poll(most);
}

std::optional<duration> cooperative_system::next_deadline() {
  if (!parts_->dispatcher.empty()) return duration{};
  const auto next = parts_->next_ns();
  if (!next) return std::nullopt;
  const std::uint64_t now = now_ns();
  const std::uint64_t left = *next > now ? *next - now : 0;
  return duration{std::chrono::nanoseconds{static_cast<std::int64_t>(left)}};
}

void cooperative_system::run_for(duration length) {
  const std::uint64_t end = begin_run(length);
  while (now_ns() < end) {
    if (step(end)) continue;
    if (parts_->clock.kind() != clock_kind::realtime) return;
    if (const std::uint64_t now = now_ns(); now < end) sleep_for(end - now);
  }
}

std::uint64_t cooperative_system::begin_run(duration within) {
  parts_->begin_run();
  return later(now_ns(), within);
}
bool cooperative_system::step(std::uint64_t end_ns) {
  return parts_->step(end_ns);
}

}  // namespace tactor::inline v0
