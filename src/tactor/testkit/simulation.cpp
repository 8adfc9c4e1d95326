// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/simulation.hpp"

#include "tactor/base/assert.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/failure.hpp"
#include "tactor/core/life/stash.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/core/system/cooperative_loop.hpp"
#include "tactor/core/system/shutdown_report.hpp"
#include "tactor/core/turn/turn.hpp"
#include "tactor/testkit/queue_dispatcher.hpp"
#include "tactor/testkit/scheduler_drive.hpp"
#include "tactor/testkit/simulation_coordinator.hpp"
#include "tactor/testkit/simulation_memory.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace tactor::inline v0::testkit {

using namespace tactor::internal;

namespace panics {
inline constexpr port::panic_code simulation_never_idle{
    .module = 6,
    .id = 4,
    .advice = "a simulation does not become idle, and no time passes: an actor is always ready, or "
              "actors "
              "keep each other busy for ever; the line above names it, or the last that ran"};
inline constexpr port::panic_code simulation_restart_loop{
    .module = 6,
    .id = 6,
    .advice =
        "an actor of a simulation is restarted again and again, and no time passes: limit its "
        "restarts, or give them a delay; the line above names it"};
inline constexpr port::panic_code simulation_stash_loop{
    .module = 6,
    .id = 7,
    .advice =
        "an actor of a simulation stashes its messages again each time they are unstashed: unstash "
        "when they can be handled; the line above names it"};
inline constexpr port::panic_code simulation_inside{
    .module = 6,
    .id = 5,
    .advice = "a handler ran its simulation: return from the handler instead"};
}  // namespace panics

namespace {

/// Lets the seed also decide the random choices of the runtime, unless the settings have a seed.
system_config seeded(system_config config, seed chosen) noexcept {
  if (config.seed == 0) config.seed = chosen.value;
  return config;
}

/// Detects an actor that is restarted again and again while no time passes.
class restart_watch {
public:
  /// Counts the restarts of `who`, which was restarted `restarts` times in all. Returns: false if
  /// it was restarted too often in this moment.
  [[nodiscard]] bool allows(const cell& who, std::uint32_t restarts, std::uint64_t now_ns) {
    if (restarts < most) return true;  // nearly all actors
    if (std::exchange(moment_ns_, now_ns) != now_ns) before_.clear();
    const auto [first, fresh] = before_.try_emplace({&who, who.tenant}, restarts);
    return restarts - first->second < most;
  }

private:
  static constexpr std::uint32_t most = 100'000;

  std::uint64_t moment_ns_ = 0;
  std::map<std::pair<const cell*, std::uint32_t>, std::uint32_t> before_;  // in this moment
};

/// Detects an actor that stashes each message again that it unstashes.
class stash_watch {
public:
  /// Counts a turn with `messages` messages of the mailbox, of an actor whose stash has `stashed`
  /// now. Returns: false after too many turns in vain, in which no message was handled and no stash
  /// became smaller.
  [[nodiscard]] bool allows(std::uint32_t messages, std::uint32_t stashed) {
    const bool in_vain = messages == 0 && stashed != 0 && stashed >= before_;
    before_ = stashed;
    in_vain_ = in_vain ? in_vain_ + 1 : 0;
    return in_vain_ < most;
  }

private:
  static constexpr std::uint32_t most = 1'000;

  std::uint32_t in_vain_ = 0;
  std::uint32_t before_ = 0;  // stashed after the last turn
};

}  // namespace

/// The parts of a simulation, destroyed in reverse order.
struct simulation::parts final : clock_driven,
                                 timer_poller,
                                 answer_driver,
                                 actor_numbers,
                                 simulation_coordinator::observer {
  parts(seed chosen, const system_config& config)
      : from(chosen),
        storage(config.scheduler),
        coordinator(chosen, this),
        timers(config.scheduler, storage.parts(clock, dispatcher, *this)),
        reports(config.log, config.name, clock, &timers, warnings),
        core(seeded(config, chosen), {.clock = clock,
                                      .timers = &timers,
                                      .coordinator = coordinator,
                                      .reports = &reports.out}),
        loop(core, coordinator) {
    clock.attach(*this);
    core.constants.blocking_calls_on_pool = true;
    core.number_actors(*this);
    this_thread().failures = {};  // of another simulation
  }
  parts(const parts&) = delete;
  parts& operator=(const parts&) = delete;
  ~parts() { clock.detach(*this); }

  /// Runs the actors that are ready first: they may lead to an earlier deadline.
  [[nodiscard]] std::optional<timer_instant> next_poll() const noexcept override {
    TACTOR_ASSERT(this_thread().services == nullptr, panics::simulation_inside);
    auto& self = const_cast<parts&>(*this);
    std::optional<timer_instant> next;
    do {
      self.run_all();
      self.core.flush_log();
      next = next_poll_of(self.timers);
    } while (core.has_timer_warnings());  // raised by what the timers have taken over just now
    return next;
  }
  void poll() noexcept override {
    (void)timers.poll();
    if (turn_by_turn) return;
    run_all();
    core.flush_log();
  }
  void poll_now() noexcept override { (void)timers.poll(); }

  // Running. Each call of a user, and each step of the clock, may handle `message_limit` messages.

  void begin_run() noexcept { messages_left = message_limit; }
  void run_all() noexcept {
    begin_run();
    do {
      (void)loop.run_ready();
    } while (run_callables());
  }
  /// Runs callables of timers. Returns: false if there were none.
  bool run_callables() noexcept {
    bool some = false;
    for (; dispatcher.run_one(); some = true)
      count(1);
    return some;
  }
  bool run_one() noexcept {
    TACTOR_ASSERT(this_thread().services == nullptr, panics::simulation_inside);
    if (!dispatcher.run_one()) return loop.run_one();
    count(1);
    return true;
  }
  /// Runs one turn; with nothing ready, frees cancelled timers first: no poll does it while no time
  /// passes. Returns: false if nothing is left to run.
  bool run_or_clear() noexcept {
    if (run_one()) return true;
    if (!timers.has_commands()) return false;
    (void)timers.next_deadline();
    return run_one();
  }
  /// Returns: the number of turns.
  std::size_t run_to_idle() noexcept {
    begin_run();
    std::size_t turns = 0;
    while (run_or_clear())
      ++turns;
    return turns;
  }
  /// Runs one turn; with nothing ready, time passes to the next deadline. Returns: false if that is
  /// after `end_ns`, or if nothing is left to run.
  bool step(std::uint64_t end_ns) noexcept { return run_one() || go_to_next_deadline(end_ns); }
  bool go_to_next_deadline(std::uint64_t end_ns) noexcept {
    const auto next_ns = clock.next_deadline_ns();
    if (!next_ns) return false;
    if (*next_ns > end_ns) {
      advance_to(end_ns);
      return false;
    }
    if (*next_ns > core.now_ns()) {
      begin_run();
    } else {
      count(1);
    }
    turn_by_turn = true;
    (void)clock.advance_to_next();
    turn_by_turn = false;
    return true;
  }
  /// Lets time pass until `end_ns`, unless it has passed.
  void advance_to(std::uint64_t end_ns) noexcept {
    if (const std::uint64_t now = core.now_ns(); now < end_ns)
      clock.advance(std::chrono::nanoseconds{static_cast<std::int64_t>(end_ns - now)});
  }

  /// Counts a turn that has ended. The cell may have stopped, and then has no parts.
  void after_turn(const ready_cell& ran, const invoke_result& result) noexcept override {
    last = &static_cast<const cell&>(ran);
    if (has_more(result)) {
      ready_again = last;
      turns_since = 0;
    } else if (++turns_since == recent_turns) {
      ready_again = nullptr;
    }
    count(std::max<std::size_t>(result.messages, 1));
    const stash_record* const stash = result.messages == 0 ? stash_of(*last) : nullptr;
    if (!stashes.allows(result.messages, stash == nullptr ? 0 : stash->size))
      fail(panics::simulation_stash_loop);
    const supervision_state* const record = last->extended ? last->parts->faults : nullptr;
    if (record != nullptr && !restarts.allows(*last, record->past.restarts, core.now_ns()))
      fail(panics::simulation_restart_loop);
  }
  void count(std::size_t messages) noexcept {
    if (messages > messages_left) fail_busy();
    messages_left -= messages;
  }
  [[noreturn]] void fail_busy() noexcept {
    if (ready_again != nullptr) last = ready_again;
    fail(panics::simulation_never_idle);
  }
  /// Numbers actors in the order in which they are first written, which the seed determines.
  [[nodiscard]] std::uint32_t number_of(mailbox_index who) noexcept override {
    const auto next = static_cast<std::uint32_t>(numbers.size() + 1);
    return numbers.try_emplace({who.slot, who.generation}, next).first->second;
  }
  /// Names the actor that ran last, and the last failure with its back-off, and ends the program.
  [[noreturn]] void fail(const port::panic_code& why) noexcept {
    event_text path;
    if (last != nullptr) core.write_path(path, *last);
    const turn_failure last_failed = last_failure();
    const std::string_view failed = last_failed.error.text();
    if (!failed.empty()) {
      path.append(", last failure: ");
      path.append(failed);
    }
    if (const auto wait_ms = last_failed.retry_after.nanoseconds() / 1'000'000; wait_ms > 0) {
      path.append(", restarted after ms: ");
      path.append_number(static_cast<std::uint32_t>(wait_ms));
    }
    std::fprintf(stderr, "tactor: %.*s\n", static_cast<int>(path.view().size()),
                 path.view().data());
    port::panic(why);
  }

  [[nodiscard]] bool run_until_answered(thread_ask& asked, std::uint64_t until_ns) override {
    begin_run();
    while (!asked.answered()) {
      if (!step(until_ns)) return asked.answered();
    }
    return true;
  }
  [[nodiscard]] std::uint64_t time_ns() noexcept override { return core.now_ns(); }

  /// See `simulation::shutdown`.
  const shutdown_report& shutdown(duration deadline) {
    if (ended) return *ended;
    shutdown_report& report = ended.emplace();
    const std::uint64_t began_ns = core.now_ns();
    core.begin_drain();
    const std::uint64_t end_ns = internal::later(began_ns, deadline);
    report.complete = runs_out(end_ns);
    if (!report.complete) {
      report_suspended(core, report);
      core.begin_stop();
      (void)run_to_idle();
      report.left = core.live();
    }
    close_timers(end_ns, report);
    report.messages = report_messages(core, reports);
    report.cause = core.cause();
    report.took = std::chrono::nanoseconds{static_cast<std::int64_t>(core.now_ns() - began_ns)};
    return report;
  }
  /// Runs until the last actor has ended. Returns: false if `end_ns` has come before.
  bool runs_out(std::uint64_t end_ns) {
    begin_run();
    while (core.now_in() != system_core::phase::stopped) {
      if (step(end_ns)) continue;
      advance_to(end_ns);  // no timer is left
      break;
    }
    return core.now_in() == system_core::phase::stopped;
  }
  void close_timers(std::uint64_t end_ns, shutdown_report& report) {
    (void)timers.close();
    run_all();
    run_close_tasks(core, end_ns, report);
    run_all();
    core.flush_log();
  }

  static constexpr std::uint32_t recent_turns = 1000;

  seed from;
  manual_clock clock;
  queue_dispatcher dispatcher;
  timer_storage storage;
  simulation_coordinator coordinator;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers;
  scheduler timers;
  std::array<scheduler_event, 32> warnings{};  // of the timers, that wait for the log
  reporter_of_shutdown reports;
  system_core core;
  cooperative_loop<simulation_coordinator> loop;
  std::optional<shutdown_report> ended;
  restart_watch restarts;
  stash_watch stashes;
  bool turn_by_turn = false;  // the caller of the clock runs the ready cells
  std::size_t message_limit = default_message_limit;
  std::size_t messages_left = default_message_limit;
  const cell* last = nullptr;  // to run
  const cell* ready_again =
      nullptr;  // the last that was ready again when its turn ended, in the recent turns
  std::uint32_t turns_since = 0;
};

simulation::simulation(seed from, const system_config& config) {
  if (const auto sound = check(config); !sound) refuse_setting(sound.error());
  provide_heap_memory();
  parts_ = std::make_unique<parts>(from, config);
  connect({.core = &parts_->core, .driver = parts_.get()});
}

simulation::~simulation() {
  parts_->core.begin_stop();
  parts_->begin_run();
  while (parts_->core.now_in() != system_core::phase::stopped && parts_->run_one()) {
  }
  (void)parts_->timers.close();
  parts_->run_all();
}

shutdown_report simulation::shutdown(duration deadline) {
  return parts_->shutdown(deadline);
}

bool simulation::run_one() {
  begin_run();
  return parts_->run_one();
}

std::size_t simulation::run_to_idle() {
  return parts_->run_to_idle();
}

std::size_t simulation::run_to_idle(std::size_t most) {
  parts_->messages_left = std::numeric_limits<std::size_t>::max();
  std::size_t turns = 0;
  for (; parts_->run_or_clear(); ++turns)
    if (turns == most) parts_->fail_busy();
  return turns;
}

void simulation::run_for(duration length) {
  (void)run_to_idle();
  parts_->clock.advance(length);
  parts_->core.flush_log();
}

void simulation::set_message_limit(std::size_t most) noexcept {
  parts_->message_limit = most;
}
void simulation::begin_run() noexcept {
  parts_->begin_run();
}
bool simulation::step(std::uint64_t end_ns) {
  return parts_->step(end_ns);
}

manual_clock& simulation::clock() noexcept {
  return parts_->clock;
}
seed simulation::seeded_with() const noexcept {
  return parts_->from;
}

}  // namespace tactor::inline v0::testkit
