// SPDX-License-Identifier: BSL-1.0
// Everything at once, for ten minutes in `make soak`: timers, signals, restarts, suspensions,
// spawns and a second system. The shutdown comes while all of it goes on.
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/scheduler_metrics.hpp"
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/host/actor_system.hpp"

#include "all_memory.hpp"
#include "time_box.hpp"
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
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

/// A system, and what disturbs it. Each function below is the work of one thread, until `over`.
struct world {
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

  void schedule_and_cancel(std::uint32_t seed) {
    for (std::uint32_t round = seed; !over; ++round) {
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
    for (std::uint32_t number = 1; !over; ++number) {
      for (const auto& each : {fails, waits, held})
        (void)each.tell(note{all, number});
      pause(number);
    }
  }
  void signal() {
    for (std::uint32_t number = 0; !over; ++number)
      (void)system.signal(waits, signal_key{number % 4});
  }
  void hold_and_release() {
    while (!over) {
      (void)system.suspend(held);
      (void)system.resume(held);
    }
  }
  void spawn_and_stop() {
    while (!over) {
      const auto made = system.try_spawn("", [](context&, question) { return 42; });
      if (!made) continue;
      const auto said = system.ask(*made, question{}, 10s).get();
      EXPECT_TRUE(!said || *said == 42);
      system.stop(*made);
    }
  }
  void start_and_end_another() {
    while (!over) {
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

void expect_every_timer_ended_once(const scheduler_metrics& m) {
  EXPECT_EQ(m.active_total, 0u);
  EXPECT_EQ(m.scheduled_total,
            m.completed_total + m.cancelled_total + m.evicted_total + m.undeliverable_total);
}

// spec: S12 D3 D4 V1 P4
TEST(everything_at_once, ends_within_the_deadline_with_exact_counts) {
  {
    world w;
    std::vector<std::jthread> threads;
    for (std::uint32_t seed = 0; seed < 4; ++seed)
      threads.emplace_back([&w, seed] { w.schedule_and_cancel(seed); });
    for (const auto work : {&world::send, &world::signal, &world::hold_and_release,
                            &world::spawn_and_stop, &world::start_and_end_another})
      threads.emplace_back([&w, work] { (w.*work)(); });
    for (const time_box box{10min}; box.open();)
      std::this_thread::yield();

    const shutdown_report report = w.system.shutdown(60s);
    EXPECT_TRUE(report.complete);
    for (const late_actor& each : report.late())
      ADD_FAILURE() << each.path.view() << (each.suspended ? " is suspended" : " runs");
    EXPECT_LT(report.took, 60s);
    w.over = true;
    threads.clear();

    EXPECT_EQ(w.all.sent, w.all.handled + w.all.not_handled);
    EXPECT_EQ(w.system.live(), 0u);
    const metrics_snapshot m = w.system.metrics();
    EXPECT_EQ(m.actors_started, m.actors_stopped);
    EXPECT_GT(m.restarts, 0u);
    EXPECT_GT(m.suspensions, 0u);
    expect_every_timer_ended_once(w.system.timers().metrics());
    std::printf(
        "%lu notes sent, %lu handled; %lu actors, %lu restarts, %lu timers; shutdown %ld us\n",
        w.all.sent.load(), w.all.handled.load(), m.actors_started, m.restarts,
        w.system.timers().metrics().scheduled_total,
        static_cast<long>(report.took.nanoseconds() / 1000));
  }
  expect_all_memory_is_back();
}

}  // namespace
}  // namespace tactor::stress
