// SPDX-License-Identifier: BSL-1.0
// The number of workers changes while a system runs.
#include "tactor/core/observe/log_record.hpp"
#include "tactor/host/actor_system.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <latch>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace tactor {
namespace {

using namespace std::chrono_literals;

void say_nothing(const log_record& /*what*/) noexcept {}

// A handler stays in it until it is opened.
struct gate_for_handlers {
  std::atomic<std::uint32_t> inside = 0;
  std::atomic<bool> open = false;

  void pass() {
    ++inside;
    open.wait(false);
    --inside;
  }
  void let_all_go() {
    open = true;
    open.notify_all();
  }
  void wait_for(std::uint32_t handlers) const {
    while (inside != handlers)
      std::this_thread::yield();
  }
};
struct enter {};
struct where_it_runs {
  using reply = int;
};

// Actors that each keep a worker busy.
void occupy(const actor_system& system, gate_for_handlers& gate, std::uint32_t actors) {
  for (std::uint32_t i = 0; i < actors; ++i)
    system.spawn("", [&gate](context&, enter) { gate.pass(); }).tell(enter{});
}

template <class Done>
void wait_until(Done done) {
  while (!done())
    std::this_thread::yield();
}

// The processors that the calling thread may use, given back at the end.
class allowed_processors {
public:
  allowed_processors() { sched_getaffinity(0, sizeof before_, &before_); }
  allowed_processors(const allowed_processors&) = delete;
  allowed_processors& operator=(const allowed_processors&) = delete;
  ~allowed_processors() { sched_setaffinity(0, sizeof before_, &before_); }

  /// Returns: its number.
  std::size_t only_the_last() const {
    cpu_set_t one;
    CPU_ZERO(&one);
    std::size_t last = CPU_SETSIZE - 1;
    while (!CPU_ISSET(last, &before_))
      --last;
    CPU_SET(last, &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    return last;
  }

private:
  cpu_set_t before_{};
};

// Not one for each processor of the machine.
TEST(workers_by_default, are_as_many_as_there_are_processors_that_may_be_used) {
  const allowed_processors allowed;
  (void)allowed.only_the_last();
  const actor_system system{{.log = {.sink = say_nothing}}};
  const worker_counts counts = system.workers();
  EXPECT_EQ(counts.spawned + counts.running, 1u);
}

// Not the first processors of the machine.
TEST(pinned_workers, stay_on_processors_that_may_be_used) {
  const allowed_processors allowed;
  const std::size_t last = allowed.only_the_last();
  actor_system system{{.dispatchers = {.pin_workers = true}, .log = {.sink = say_nothing}}};
  const auto where =
      system.spawn("where", [](context&, where_it_runs) { return ::sched_getcpu(); });
  EXPECT_EQ(system.ask(where, where_it_runs{}, 10s).get(), static_cast<int>(last));
}

// spec: D6
TEST(resize, more_workers_run_more_actors_at_once) {
  gate_for_handlers gate;
  actor_system system{{.workers = 1, .log = {.sink = say_nothing}}};
  occupy(system, gate, 3);
  gate.wait_for(1);
  ASSERT_TRUE(system.resize(3));
  gate.wait_for(3);
  EXPECT_EQ(system.workers(), (worker_counts{.running = 3}));
  EXPECT_EQ(system.metrics().workers, 3u);
  gate.let_all_go();
}

// Its sample is not there from the start.
// spec: A5 D6
TEST(resize, a_late_actor_of_a_new_worker_is_in_the_report_of_the_shutdown) {
  gate_for_handlers gate;
  actor_system system{{.workers = 1, .log = {.sink = say_nothing}}};
  ASSERT_TRUE(system.resize(12));
  occupy(system, gate, 12);
  gate.wait_for(12);
  const shutdown_report report = system.shutdown(duration{});
  EXPECT_EQ(report.late().size(), 12u);
  EXPECT_EQ(report.left, 12u);
  gate.let_all_go();
  gate.wait_for(0);
}

// spec: D6
TEST(resize, a_worker_that_is_too_many_finishes_its_turn_and_ends) {
  gate_for_handlers gate;
  actor_system system{{.workers = 3, .log = {.sink = say_nothing}}};
  occupy(system, gate, 3);
  gate.wait_for(3);
  ASSERT_TRUE(system.resize(1));
  EXPECT_EQ(system.workers(), (worker_counts{.running = 1, .draining = 2}));
  EXPECT_EQ(system.metrics().workers_draining, 2u);
  gate.let_all_go();
  wait_until([&] { return system.workers().stopped == 2; });
  EXPECT_EQ(system.workers(), (worker_counts{.running = 1, .stopped = 2}));
  EXPECT_EQ(system.metrics().workers, 1u);
  EXPECT_EQ(system.metrics().workers_draining, 0u);
}

struct again {};

// spec: D6
TEST(resize, a_worker_that_is_never_idle_ends_all_the_same) {
  std::atomic<std::uint64_t> handled = 0;
  std::latch both_busy{2};
  actor_system system{{.workers = 2, .log = {.sink = say_nothing}}};
  const auto spawn_busy = [&](bool waits) {
    const auto busy =
        system.spawn("", [&, is_first = waits](actor_context<again>& ctx, again) mutable {
          if (std::exchange(is_first, false)) both_busy.arrive_and_wait();
          ++handled;
          ctx.self().tell(again{});
        });
    busy.tell(again{});
  };
  spawn_busy(true);
  spawn_busy(true);
  both_busy
      .wait();  // before there are others: they could keep the second worker from the second actor
  spawn_busy(false);
  spawn_busy(false);
  ASSERT_TRUE(system.resize(1));
  wait_until([&] { return system.workers().stopped == 1; });
  const std::uint64_t before = handled;
  wait_until([&] { return handled > before + 10'000; });
  system.force_stop();
}

// spec: D6
TEST(resize, workers_that_sleep_end_at_once_and_come_back) {
  gate_for_handlers gate;
  actor_system system{{.workers = 4, .log = {.sink = say_nothing}}};
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(system.resize(1));
    wait_until([&] { return system.workers().running == 1 && system.workers().draining == 0; });
    ASSERT_TRUE(system.resize(4));
    wait_until([&] { return system.workers() == worker_counts{.running = 4}; });
  }
  occupy(system, gate, 4);
  gate.wait_for(4);
  gate.let_all_go();
}

// spec: D6
TEST(resize, a_draining_worker_is_kept_if_it_is_needed_again) {
  gate_for_handlers gate;
  actor_system system{{.workers = 2, .log = {.sink = say_nothing}}};
  occupy(system, gate, 2);
  gate.wait_for(2);
  ASSERT_TRUE(system.resize(1));
  ASSERT_TRUE(system.resize(2));
  EXPECT_EQ(system.workers(), (worker_counts{.running = 2}));
  gate.let_all_go();
}

// spec: D6
TEST(resize, to_no_workers_or_too_many_is_refused) {
  actor_system system{{.workers = 2, .log = {.sink = say_nothing}}};
  EXPECT_EQ(system.resize(0).error(), resize_error::zero_workers);
  EXPECT_EQ(system.resize(257).error(), resize_error::too_many);
  EXPECT_TRUE(std::string_view{to_text(resize_error::zero_workers)}.contains("at least one"));
  wait_until([&] { return system.workers() == worker_counts{.running = 2}; });
  (void)system.shutdown();
  EXPECT_EQ(system.resize(3).error(), resize_error::stopping);
  EXPECT_EQ(system.workers(), (worker_counts{.stopped = 2}));
}

struct grow_to {
  std::uint32_t workers;
};

// spec: D6
TEST(resize, works_from_inside_an_actor) {
  std::atomic<bool> done = false;
  actor_system system{{.workers = 1, .log = {.sink = say_nothing}}};
  const auto who = system.spawn("boss", [&](context&, const grow_to& to) {
    EXPECT_TRUE(system.resize(to.workers));
    done = true;
    done.notify_all();
  });
  for (const std::uint32_t workers : {3u, 1u, 2u}) {
    done = false;
    who.tell(grow_to{workers});
    done.wait(false);
    wait_until(
        [&] { return system.workers().running == workers && system.workers().draining == 0; });
  }
}

// spec: D6
TEST(resize, adaptive_workers_become_more_while_actors_wait_and_fewer_afterwards) {
  gate_for_handlers gate;
  actor_system system{{.workers = 1, .log = {.sink = say_nothing}}};
  ASSERT_TRUE(system.adapt({.least = 1, .most = 4, .every = 1ms, .long_wait = 1ms}));
  occupy(system, gate, 4);
  gate.wait_for(
      4);  // one worker would never get there; soon there are fewer, for nothing is queued
  gate.let_all_go();
  wait_until([&] { return system.workers().running == 1 && system.workers().draining == 0; });
  EXPECT_EQ(system.workers(), (worker_counts{.running = 1, .stopped = 3}));
}

// spec: D6
TEST(resize, adaptive_workers_work_where_no_handler_is_watched) {
  gate_for_handlers gate;
  actor_system system{
      {.workers = 1, .dispatch = {.blocked_after = {}}, .log = {.sink = say_nothing}}};
  ASSERT_TRUE(system.adapt({.least = 1, .most = 3, .every = 1ms, .long_wait = 1ms}));
  occupy(system, gate, 3);
  gate.wait_for(3);
  gate.let_all_go();
}

// Returns when the thread that reports sleeps.
void wait_until_the_reporter_sleeps() {
  std::string name;
  char state = 0;
  while (state != 'S') {
    for (const auto& thread : std::filesystem::directory_iterator{"/proc/self/task"}) {
      std::ifstream{thread.path() / "comm"} >> name;
      if (name != "tactor-report") continue;
      std::string id;
      std::ifstream{thread.path() / "stat"} >> id >> name >> state;
    }
    std::this_thread::yield();
  }
}

// While a handler runs, the thread that reports looks at it again only after a quarter of the
// limit.
// spec: D6
TEST(resize, adaptive_workers_do_not_wait_for_the_next_look_at_a_long_handler) {
  gate_for_handlers gate;
  actor_system system{
      {.workers = 1, .dispatch = {.blocked_after = 1h}, .log = {.sink = say_nothing}}};
  occupy(system, gate, 2);
  gate.wait_for(1);
  wait_until_the_reporter_sleeps();
  ASSERT_TRUE(system.adapt({.least = 2, .most = 2, .every = 1ms, .long_wait = 1ms}));
  gate.wait_for(2);
  gate.let_all_go();
}

// spec: D6
TEST(resize, limits_of_adaptive_workers_are_checked) {
  actor_system system{{.workers = 1, .log = {.sink = say_nothing}}};
  EXPECT_EQ(system.adapt({.most = 257}).error(), resize_error::too_many);
  EXPECT_EQ(system.adapt({.least = 0}).error(), resize_error::zero_workers);
  EXPECT_EQ(system.adapt({.least = 5, .most = 4}).error(), resize_error::no_range);
  EXPECT_EQ(system.adapt({.every = 0ms}).error(), resize_error::no_range);
  EXPECT_EQ(system.adapt({.long_wait = 0ms}).error(), resize_error::no_range);
  (void)system.shutdown();
  EXPECT_EQ(system.adapt({}).error(), resize_error::stopping);
}

}  // namespace
}  // namespace tactor
