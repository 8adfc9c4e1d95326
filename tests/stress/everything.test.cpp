// SPDX-License-Identifier: BSL-1.0
// Everything at once, for ten minutes in `make soak`: timers, signals, restarts, suspensions,
// backpressure, stashes, coroutines, late answers, spawns and a second system. Once a second the
// sources stop, and the accounts are exact. The shutdown comes while all of it goes on.
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/scheduler_metrics.hpp"
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/metrics/health.hpp"
#include "tactor/host/metrics/metrics_report.hpp"
#include "tactor/testkit/system_drive.hpp"

#include "all_memory.hpp"
#include "pause_gate.hpp"
#include "time_box.hpp"
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <thread>
#include <utility>
#include <vector>

namespace tactor::stress {
namespace {

using namespace std::chrono_literals;

void say_nothing(const log_record& /*what*/) noexcept {}

/// Counts how all notes ended.
struct counts {
  std::atomic<std::uint64_t> sent = 0;
  std::atomic<std::uint64_t> handled = 0;
  std::atomic<std::uint64_t> not_handled = 0;
};

/// Counts its end, once.
class note {
public:
  note(counts& all, std::uint32_t which) : number(which), all_(&all) { ++all.sent; }
  note(note&& other) noexcept : number(other.number), all_(std::exchange(other.all_, nullptr)) {}
  note& operator=(note&&) = delete;
  note(const note&) = delete;
  note& operator=(const note&) = delete;
  ~note() {
    if (all_ != nullptr) ++all_->not_handled;
  }
  void handled() { ++std::exchange(all_, nullptr)->handled; }

  const std::uint32_t number;

private:
  counts* all_;
};
struct tick {};
struct question {
  using reply = int;
};
struct slow_question {
  using reply = int;
};

/// Fails with every 50th note.
class flaky : public actor<note> {
public:
  std::expected<void, failure> receive(context&, note&& n) {
    n.handled();
    if (n.number % 50 == 0) return std::unexpected{failure{"every 50th"}};
    return {};
  }
};

/// Waits for a signal after each note.
class waiting : public actor<note> {
public:
  void receive(context& ctx, note&& n) {
    n.handled();
    (void)ctx.suspend(suspend_reason::await_external, on_signal(signal_key{n.number % 4}));
  }
};

/// Passes every note on.
class passing_on : public actor<note> {
public:
  explicit passing_on(const actor_ref<note>& next) : next_(next) {}
  void receive(context&, note&& n) { next_.tell(std::move(n)); }

private:
  actor_ref<note> next_;
};

/// Stashes seven notes, and handles them after the eighth.
class stashing_some : public actor<note> {
public:
  void receive(context& ctx, note&& n) {
    if (!replays_ && stashed_ < 7) {
      EXPECT_TRUE(ctx.stash(std::move(n)));
      ++stashed_;
      return;
    }
    n.handled();
    if (!std::exchange(replays_, true)) return void(ctx.unstash_all());
    if (--stashed_ == 0) replays_ = false;
  }

private:
  std::uint32_t stashed_ = 0;
  bool replays_ = false;
};

/// Answers half of the questions too late.
class slow_answers : public actor<slow_question> {
public:
  reentrant_task<int> receive(context& ctx, slow_question) {
    co_await ctx.sleep(++number_ % 2 == 0 ? 20ms : 1ms);
    co_return 1;
  }

private:
  std::uint32_t number_ = 0;
};

class asking : public actor<tick> {
public:
  explicit asking(const actor_ref<slow_question>& whom) : whom_(whom) {}
  task<void> receive(context& ctx, tick) {
    const slow_question what;
    (void)co_await ctx.ask(whom_, what, 10ms);
  }

private:
  actor_ref<slow_question> whom_;
};

/// A system, and what disturbs it. Each function below is the work of one thread, until `over`.
struct world {
  static constexpr std::size_t sources = 9;  // threads

  counts all;
  std::atomic<bool> over = false;
  actor_system system{
      {.workers = 2, .scheduler = {.timing = {.resolution = 1ms}}, .log = {.sink = say_nothing}}};
  // Every mailbox that a thread fills without waiting is bounded: an actor that is mostly suspended
  // would be left with more than a shutdown can handle within its deadline.
  actor_ref<note> fails =
      system.spawn<flaky>({.mailbox = {.capacity = 10'000}, .on_failure = restart{}});
  actor_ref<note> waits = system.spawn<waiting>({.mailbox = {.capacity = 100}});
  actor_ref<note> held = system.spawn({.name = "held", .mailbox = {.capacity = 10'000}},
                                      [](context&, note&& n) { n.handled(); });
  actor_ref<tick> ticked = system.spawn("ticked", [](context&, tick) {});
  actor_ref<note> narrow = system.spawn({.name = "narrow", .mailbox = mailbox_presets::lossless(4)},
                                        [](context&, note&& n) { n.handled(); });
  actor_ref<note> passes = system.spawn<passing_on>({.mailbox = {.capacity = 1000}}, narrow);
  actor_ref<note> evicts = system.spawn(
      {.name = "evicts", .mailbox = {.capacity = 8, .overflow = overflow_strategy::drop_oldest}},
      [](context&, note&& n) { n.handled(); });
  actor_ref<note> stashes = system.spawn<stashing_some>({.mailbox = {.capacity = 1000}});
  actor_ref<slow_question> answers = system.spawn<slow_answers>("answers");
  actor_ref<tick> asks =
      system.spawn<asking>({.name = "asks", .mailbox = {.capacity = 4}}, answers);
  pause_gate gate;
  metrics_report before = system.full_metrics();

  /// Returns: whether the thread that asks goes on. Called between two steps.
  bool goes_on() {
    gate.pass();
    return !over;
  }
  /// The sources stop, and the system comes to rest: then the notes that were neither handled nor
  /// lost are all that waits, and nothing is wrong but what is caused on purpose.
  void check_accounts() {
    gate.while_closed(sources, [this] {
      for (bool rests = false; !rests; std::this_thread::yield()) {
        testkit::system_steps::settle(system);
        rests = system.timers().metrics().active_total == 0;
      }
      testkit::system_steps::settle(system);
      const metrics_report now = system.full_metrics();
      EXPECT_EQ(now.sums.waiting(), all.sent - all.handled - all.not_handled);
      for (const health_warning& each : find_warnings(before, now))
        EXPECT_TRUE(is_caused(each.what)) << to_text(each.what) << ": " << each.evidence;
      before = now;
    });
  }
  /// Actors fail, mailboxes are full, actors are suspended; and other programs may keep the machine
  /// busy.
  static bool is_caused(health_problem what) {
    using enum health_problem;
    return what != growing_backlog && what != full_mailbox && what != stuck_handler &&
           what != backpressure_cycle;
  }

  void schedule_and_cancel(std::uint32_t seed) {
    for (std::uint32_t round = seed; goes_on(); ++round) {
      const auto after = std::chrono::milliseconds{1 + round % 50};
      auto once = system.schedule_once(after, ticked, tick{});
      auto far = system.timers().schedule_once(1h, [] {});
      auto often = system.schedule_at_fixed_rate(1ms, after, ticked, tick{});
      if (once && round % 3 != 0) once->cancel();
      if (far) far->cancel();
      if (often) often->cancel();
    }
  }
  void send() {
    for (std::uint32_t number = 1; goes_on(); ++number) {
      for (const auto& each : {fails, waits, held, passes, evicts, stashes})
        (void)each.tell(note{all, number});
      (void)asks.tell(tick{});
      pause(number);
    }
  }
  void signal() {
    for (std::uint32_t number = 0; goes_on(); ++number)
      (void)system.signal(waits, signal_key{number % 4});
  }
  void hold_and_release() {
    while (goes_on()) {
      (void)system.suspend(held);
      (void)system.resume(held);
    }
  }
  void spawn_and_stop() {
    while (goes_on()) {
      const auto made = system.try_spawn("", [](context&, question) { return 42; });
      if (!made) continue;
      const auto said = system.ask(*made, question{}, 10s).get();
      EXPECT_TRUE(!said || *said == 42);
      system.stop(*made);
    }
  }
  void start_and_end_another() {
    while (goes_on()) {
      std::atomic<int> seen = 0;
      actor_system other{{.workers = 1, .log = {.sink = say_nothing}}};
      for (int actor = 0; actor < 10; ++actor)
        other.spawn("", [&seen](context&, tick) { ++seen; }).tell(tick{});
      EXPECT_TRUE(other.shutdown(30s).complete);
      EXPECT_EQ(seen, 10);
    }
  }
  /// Now and then the thread waits for the actors, so that most notes are handled.
  void pause(std::uint32_t number) {
    if (number % 1000 != 0) return;
    const auto made = system.try_spawn("", [](context& ctx, question) {
      ctx.stop();
      return 0;
    });
    if (made) (void)system.ask(*made, question{}, 10s).get();
  }
};

/// How long it goes on: a second, in `make soak` ten minutes or TACTOR_SOAK_SECONDS.
std::chrono::seconds length() {
  const char* const chosen = std::getenv("TACTOR_SOAK_SECONDS");
  return chosen == nullptr ? 10min : std::chrono::seconds{std::atoi(chosen)};
}

void expect_every_timer_ended_once(const scheduler_metrics& m) {
  EXPECT_EQ(m.active_total, 0u);
  EXPECT_EQ(m.scheduled_total,
            m.completed_total + m.cancelled_total + m.evicted_total + m.undeliverable_total);
}

// spec: S12 D3 D4 V1 P4 O7a A10d
TEST(everything_at_once, ends_within_the_deadline_with_exact_counts) {
  {
    world w;
    std::vector<std::jthread> threads;
    for (std::uint32_t seed = 0; seed < 4; ++seed)
      threads.emplace_back([&w, seed] { w.schedule_and_cancel(seed); });
    for (const auto work : {&world::send, &world::signal, &world::hold_and_release,
                            &world::spawn_and_stop, &world::start_and_end_another})
      threads.emplace_back([&w, work] { (w.*work)(); });
    EXPECT_EQ(threads.size(), world::sources);
    std::uint32_t looks = 0;
    for (const time_box box{length()}; box.open(); ++looks) {
      std::this_thread::sleep_for(looks == 0 ? 500ms : 1000ms);
      w.check_accounts();
    }

    const shutdown_report report = w.system.shutdown(60s);
    EXPECT_TRUE(report.complete);
    for (const late_actor& each : report.late())
      ADD_FAILURE() << each.path.view() << (each.suspended ? " is suspended" : " runs");
    EXPECT_LT(report.took, 60s);
    w.over = true;
    threads.clear();

    EXPECT_EQ(w.all.sent, w.all.handled + w.all.not_handled);
    EXPECT_EQ(w.system.live(), 0u);
    EXPECT_EQ(report.left, 0u);
    EXPECT_EQ(report.messages.waiting, 0u);
    const metrics_snapshot m = w.system.metrics();
    EXPECT_EQ(m.waiting(), 0u);
    EXPECT_EQ(m.messages_refused() + m.messages_lost, m.all_dead_letters());
    EXPECT_GT(m.dead_letters_for(drop_reason::late_answer), 0u);
    EXPECT_EQ(m.actors_started, m.actors_stopped);
    EXPECT_GT(m.restarts, 0u);
    EXPECT_GT(m.suspensions, 0u);
    expect_every_timer_ended_once(w.system.timers().metrics());
    std::printf(
        "%u looks; %lu notes sent, %lu handled; %lu actors, %lu restarts, %lu timers; shutdown %ld "
        "us, %lu messages lost\n",
        looks, w.all.sent.load(), w.all.handled.load(), m.actors_started, m.restarts,
        w.system.timers().metrics().scheduled_total,
        static_cast<long>(report.took.nanoseconds() / 1000), report.messages.all_lost());
  }
  expect_all_memory_is_back();
}

}  // namespace
}  // namespace tactor::stress
