// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/actor_system.hpp"

#include "tactor/testkit/manual_clock.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;

struct note {
  int number;
};
struct twice {
  int number;
  using reply = int;
};
struct who_are_you {
  using reply = std::string;
};
struct hold {
  std::latch* begun;
  std::latch* go_on;
};

std::string thread_name() {
  char name[16] = {};
  (void)::pthread_getname_np(::pthread_self(), name, sizeof name);
  return name;
}

class clerk : public actor<note, twice, who_are_you, hold> {
  std::vector<int>* seen_;

public:
  explicit clerk(std::vector<int>* seen) : seen_(seen) {}
  void receive(context&, const note& n) { seen_->push_back(n.number); }
  int receive(context&, const twice& t) { return 2 * t.number; }
  std::string receive(context&, const who_are_you&) { return thread_name(); }
  void receive(context&, const hold& h) {
    h.begun->count_down();
    h.go_on->wait();
  }
};

std::vector<std::string> thread_names() {
  std::vector<std::string> all;
  for (const auto& task : std::filesystem::directory_iterator{"/proc/self/task"}) {
    std::string name;
    std::ifstream{task.path() / "comm"} >> name;
    all.push_back(name);
  }
  return all;
}
std::size_t threads_called(const std::string& prefix) {
  const auto names = thread_names();
  return static_cast<std::size_t>(std::ranges::count_if(
      names, [&](const std::string& name) { return name.starts_with(prefix); }));
}

// spec: A4
TEST(actor_system, starts_in_one_line_and_handles_what_is_queued_before_it_ends) {
  std::vector<int> seen;
  {
    actor_system system;
    auto who = system.spawn<clerk>("who", &seen);
    for (int i = 0; i < 1000; ++i)
      who.tell(note{i});
  }
  ASSERT_EQ(seen.size(), 1000u);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
}

// spec: A2 O6
// case: AK-01
TEST(actor_system, answers_questions_on_its_own_threads) {
  std::vector<int> seen;
  actor_system system{{.workers = 2}};
  auto who = system.spawn<clerk>("who", &seen);
  EXPECT_EQ(system.ask(who, twice{21}, 5s).get(), 42);
  EXPECT_TRUE(system.ask(who, who_are_you{}, 5s).get()->starts_with("tactor-worker-"));
}

// spec: A4 K4
// case: SM-18
TEST(actor_system, says_which_setting_cannot_work) {
  const auto workers = actor_system::start({.workers = 257});
  ASSERT_FALSE(workers.has_value());
  EXPECT_STREQ(workers.error().setting, "workers");
  EXPECT_EQ(workers.error().value, 257);
  const auto blocking = actor_system::start({.dispatchers = {.blocking_threads = 0}});
  ASSERT_FALSE(blocking.has_value());
  EXPECT_STREQ(blocking.error().setting, "dispatchers.blocking_threads");
  const auto throughput = actor_system::start({.dispatch = {.throughput = 0}});
  EXPECT_STREQ(throughput.error().setting, "dispatch.throughput");
  const auto slice = actor_system::start({.dispatch = {.slice = 0ms}});
  EXPECT_STREQ(slice.error().setting, "dispatch.slice");
  const testkit::manual_clock clock;
  EXPECT_FALSE(actor_system::start({.clock = {.source = &clock}}).has_value());
}

// spec: D5
// case: RQ-10
TEST(actor_system, does_not_let_a_slow_actor_hold_up_a_fast_one) {
  std::vector<int> seen;
  std::latch begun{1};
  std::latch go_on{1};
  actor_system system{{.workers = 2}};
  auto slow = system.spawn<clerk>("slow", &seen);
  auto fast = system.spawn<clerk>("fast", &seen);
  slow.tell(hold{&begun, &go_on});
  begun.wait();
  EXPECT_EQ(system.ask(fast, twice{1}, 5s).get(), 2) << "while the other is still busy";
  go_on.count_down();
}

// spec: D5
// case: RQ-21
TEST(actor_system, gives_a_pinned_actor_a_thread_of_its_own_which_ends_with_it) {
  std::vector<int> seen;
  std::latch begun{2};
  std::latch go_on{1};
  actor_system system{{.workers = 1}};
  auto pinned = system.spawn<clerk>({.name = "pinned", .dispatcher = dispatcher::pinned}, &seen);
  auto another = system.spawn<clerk>({.dispatcher = dispatcher::pinned}, &seen);
  const auto first = system.ask(pinned, who_are_you{}, 5s).get();
  ASSERT_TRUE(first->starts_with("tactor-pin-"));
  ASSERT_TRUE(system.ask(another, who_are_you{}, 5s).get()->starts_with("tactor-pin-"));
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(system.ask(pinned, who_are_you{}, 5s).get(), *first);
  EXPECT_EQ(threads_called("tactor-pin-"), 2u);
  pinned.tell(hold{&begun, &go_on});
  another.tell(hold{&begun, &go_on});
  begun.wait();  // both at once, on two threads
  go_on.count_down();
  system.stop(pinned);
  system.stop(another);
  const shutdown_report report = system.shutdown();
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(threads_called("tactor-pin-"), 0u);
}

// spec: D5
TEST(actor_system, lets_actors_block_without_holding_up_the_pool_or_each_other) {
  std::vector<int> seen;
  std::latch begun{4};
  std::latch go_on{1};
  actor_system system{{.workers = 1, .dispatchers = {.blocking_threads = 4}}};
  EXPECT_EQ(threads_called("tactor-block-"), 0u) << "not before they are needed";
  for (int i = 0; i < 4; ++i)
    system.spawn<clerk>({.dispatcher = dispatcher::blocking}, &seen).tell(hold{&begun, &go_on});
  begun.wait();
  auto quick = system.spawn<clerk>("quick", &seen);
  EXPECT_EQ(system.ask(quick, twice{4}, 5s).get(), 8);
  go_on.count_down();
}

struct parent_of_one : actor<note> {
  void pre_start(context& ctx) {
    (void)ctx.spawn("child", [](tactor::context&, const note&) {});
  }
  void receive(context&, const note&) {}
};

// spec: D4 A5
// case: CS-03
TEST(actor_system, shuts_down_once_however_often_and_by_whomever_it_is_asked) {
  std::vector<int> seen;
  actor_system system{{.workers = 2}};
  for (int i = 0; i < 100; ++i)
    (void)system.spawn<parent_of_one>("");
  auto who = system.spawn<clerk>("who", &seen);
  who.tell(note{1});
  shutdown_report first;
  shutdown_report second;
  {
    const std::jthread a{[&] { first = system.shutdown(); }};
    const std::jthread b{[&] { second = system.shutdown(); }};
  }
  const shutdown_report third = system.shutdown();
  EXPECT_TRUE(first.complete);
  EXPECT_EQ(first.took.nanoseconds(), second.took.nanoseconds());
  EXPECT_EQ(first.took.nanoseconds(), third.took.nanoseconds());
  EXPECT_EQ(seen, std::vector{1});
  EXPECT_EQ(system.live(), 0u);
  EXPECT_EQ(threads_called("tactor-"), 0u);
}

// spec: D4 A2
TEST(actor_system, refuses_what_comes_when_it_stops_and_finishes_what_was_there) {
  std::vector<int> seen;
  std::latch begun{1};
  std::latch go_on{1};
  actor_system system{{.workers = 2}};
  auto who = system.spawn<clerk>("who", &seen);
  who.tell(hold{&begun, &go_on});
  begun.wait();
  who.tell(note{1});
  std::jthread stopper{[&] { EXPECT_TRUE(system.shutdown().complete); }};
  while (system.core().now_in() != system_core::phase::draining)
    std::this_thread::yield();
  EXPECT_FALSE(system.spawn<clerk>("late", &seen));
  EXPECT_EQ(system.try_spawn<clerk>("late", &seen).error(), spawn_error::stopping);
  go_on.count_down();
  stopper.join();
  EXPECT_EQ(who.tell(note{2}), tell_result::closed);
  EXPECT_EQ(seen, std::vector{1}) << "what was queued was handled";
}

// spec: D4 A5
// case: CS-09
TEST(actor_system, names_who_is_late_and_leaves_it_to_itself) {
  std::latch begun{1};
  std::latch go_on{1};
  std::vector<int> seen;
  const auto before = threads_called("tactor-");
  {
    actor_system system{{.workers = 2}};
    auto slow = system.spawn<clerk>("slow", &seen);
    slow.tell(hold{&begun, &go_on});
    begun.wait();
    slow.tell(note{7});
    const auto began = std::chrono::steady_clock::now();
    const shutdown_report report = system.shutdown(50ms);
    EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
    EXPECT_FALSE(report.complete);
    EXPECT_EQ(report.left, 1u);
    ASSERT_EQ(report.late().size(), 1u);
    EXPECT_EQ(report.late()[0].path.view(), "/user/slow");
    EXPECT_TRUE(report.late()[0].message_type.ends_with("hold"));
    EXPECT_GE(report.late()[0].busy.nanoseconds(), 50'000'000);
    EXPECT_EQ(threads_called("tactor-"), before + 1) << "only its own thread is still there";
  }
  go_on.count_down();  // the system is gone; its thread finds all it needs, and ends
  while (threads_called("tactor-") != before)
    std::this_thread::yield();
  EXPECT_TRUE(seen.empty()) << "what was queued became dead letters";
}

// spec: D4
TEST(actor_system, stops_at_once_when_it_has_to) {
  std::vector<int> seen;
  std::latch begun{1};
  std::latch go_on{1};
  actor_system system{{.workers = 1}};
  auto who = system.spawn<clerk>("who", &seen);
  who.tell(hold{&begun, &go_on});
  begun.wait();
  for (int i = 0; i < 10; ++i)
    who.tell(note{i});
  system.force_stop();
  go_on.count_down();
  EXPECT_TRUE(system.shutdown().complete);
  EXPECT_TRUE(seen.empty());
  EXPECT_EQ(system.metrics().dead_letters[std::to_underlying(drop_reason::system_stopping)], 10u);
}

struct finish {
  std::latch* over;
};
class finisher : public actor<finish> {
  std::unique_ptr<actor_system>* system_;

public:
  explicit finisher(std::unique_ptr<actor_system>* system) : system_(system) {}
  void receive(context&, const finish& f) {
    system_->reset();
    f.over->count_down();
  }
};

// spec: D4 A5
TEST(actor_system, may_be_destroyed_by_one_of_its_own_actors) {
  auto system = std::make_unique<actor_system>(system_config{.workers = 2});
  auto who = system->spawn<finisher>("finisher", &system);
  std::latch over{1};
  who.tell(finish{&over});
  over.wait();
  while (threads_called("tactor-") != 0)
    std::this_thread::yield();
  EXPECT_EQ(who.tell(finish{nullptr}), tell_result::closed);
}

// spec: A5
TEST(actor_system, shuts_down_when_a_signal_comes) {
  actor_system system{{.workers = 1}};
  std::atomic<bool> over = false;
  shutdown_report report;
  std::jthread waits{[&] {
    report = system.run_until_signal();
    over = true;
  }};
  struct sigaction now{};
  do {  // it may not have come to wait yet
    (void)::sigaction(SIGTERM, nullptr, &now);
    std::this_thread::yield();
  } while (now.sa_handler == SIG_DFL);
  (void)::kill(::getpid(), SIGTERM);
  waits.join();
  EXPECT_TRUE(over);
  EXPECT_EQ(report.signal, SIGTERM);
  EXPECT_TRUE(report.complete);
  (void)::sigaction(SIGTERM, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL) << "a second one would end the program";
}

// spec: S1 S8 D5
// case: SO-02
TEST(actor_system, runs_messages_and_callables_of_timers_on_its_own_threads) {
  std::latch told{1};
  std::latch called{1};
  std::string by;
  std::string by_blocking;
  std::latch blocked{1};
  actor_system system{{.workers = 2}};
  auto who = system.spawn("who", [&](context&, const note&) { told.count_down(); });
  ASSERT_TRUE(system.schedule_once(10ms, who, note{1}).has_value());
  ASSERT_TRUE(system.timers()
                  .schedule_once(10ms,
                                 [&] {
                                   by = thread_name();
                                   called.count_down();
                                 })
                  .has_value());
  told.wait();
  called.wait();
  EXPECT_TRUE(by.starts_with("tactor-worker-"));
  ASSERT_TRUE(system.timers()
                  .schedule_once(10ms,
                                 [&] {
                                   by_blocking = thread_name();
                                   blocked.count_down();
                                 },
                                 {.dispatcher = &system.callables(dispatcher::blocking)})
                  .has_value());
  blocked.wait();
  EXPECT_TRUE(by_blocking.starts_with("tactor-block-"));
  EXPECT_EQ(system.live(), 1u) << "callables are no actors to be counted";
}

// case: CS-13
TEST(actor_system, comes_and_goes_a_hundred_times_without_a_trace) {
  std::vector<int> seen;
  std::uint32_t slots = 0;
  for (int round = 0; round < 100; ++round) {
    actor_system system{{.workers = 2}};
    auto who = system.spawn<clerk>("who", &seen);
    EXPECT_EQ(system.ask(who, twice{round}, 5s).get(), 2 * round);
    if (round == 20) slots = program_memory.cells.made();
  }
  EXPECT_EQ(threads_called("tactor-"), 0u);
  EXPECT_EQ(program_memory.cells.made(), slots);
}

}  // namespace
}  // namespace tactor
