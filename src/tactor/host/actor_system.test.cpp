// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/actor_system.hpp"

#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/system_drive.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <fstream>
#include <future>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tactor {

using namespace tactor::internal;

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
// A thread that the machine keeps from running is left to itself after a tenth of a second, and one
// that was joined is shown for a moment longer.
void wait_for_threads_called(const std::string& prefix, std::size_t wanted) {
  while (threads_called(prefix) != wanted)
    std::this_thread::yield();
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

// spec: A2b O6
// case: AK-01
TEST(actor_system, answers_asks_on_its_own_threads) {
  std::vector<int> seen;
  actor_system system{{.workers = 2}};
  auto who = system.spawn<clerk>("who", &seen);
  EXPECT_EQ(system.ask(who, twice{21}, 60s).get(), 42);
  EXPECT_TRUE(system.ask(who, who_are_you{}, 60s).get()->starts_with("tactor-worker-"));
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
  {
    actor_system system{{.workers = 1}};
    const auto nowhere = system.try_spawn({.dispatcher = dispatcher{3}}, [](context&, note) {});
    ASSERT_FALSE(nowhere.has_value());
    EXPECT_EQ(nowhere.error(), spawn_error::no_dispatcher);
  }
  const auto quota = actor_system::start({.scheduler = {.system_quota = std::size_t{1} << 40}});
  EXPECT_STREQ(quota.error().setting, "system_quota");
  EXPECT_STREQ(quota.error().section, "scheduler.");
  const testkit::manual_clock clock;
  EXPECT_FALSE(actor_system::start({.clock = {.source = &clock}}).has_value());
}

struct pass_on {
  int left = 0;
};
// Hands it on to the next one; the last one notes what time it is.
class relay : public actor<pass_on> {
public:
  relay(actor_ref<pass_on> next, std::vector<std::uint64_t>* at) : next_(next), at_(at) {}
  void receive(context& ctx, const pass_on& p) {
    if (p.left > 0) {
      next_.tell(pass_on{p.left - 1});
      return;
    }
    at_->push_back(ctx.now_ns() / 1'000'000);
  }

private:
  actor_ref<pass_on> next_;
  std::vector<std::uint64_t>* at_;
};

template <class System>
concept can_be_stepped = requires(const System& system) { system.poll_now(); } ||
                         requires(const System& system) { system.settle(1); };

// spec: K4
TEST(actor_system, is_polled_and_awaited_by_the_test_kit_only) {
  EXPECT_FALSE(can_be_stepped<actor_system>);
}

// spec: K1 K4
TEST(actor_system, on_a_manual_clock_is_waited_for_at_every_step) {
  testkit::manual_clock clock;
  std::vector<std::uint64_t> at;
  actor_system system{{.workers = 2, .clock = {.source = &clock, .use = clock_use::test}}};
  const testkit::system_drive drive{clock, system};
  const auto first = system.spawn<relay>("first", actor_ref<pass_on>{}, &at);
  const auto pinned = system.spawn<relay>({.dispatcher = dispatcher::pinned}, first, &at);
  const auto blocks = system.spawn<relay>({.dispatcher = dispatcher::blocking}, pinned, &at);
  const auto last = system.spawn<relay>("last", blocks, &at);
  for (int i = 0; i < 20; ++i) {
    // Two hops and three, on threads of three kinds.
    ASSERT_TRUE(system.schedule_once(10ms, blocks, pass_on{2}).has_value());
    ASSERT_TRUE(system.schedule_once(20ms, last, pass_on{3}).has_value());
    clock.advance(100ms);
    const auto start = static_cast<std::uint64_t>(i) * 100;
    EXPECT_EQ(at, (std::vector<std::uint64_t>{start + 10, start + 20}));
    at.clear();
  }
  EXPECT_EQ(clock.now().ticks, 2'000'000'000u);
}

void say_nothing(const log_record& /*what*/) noexcept {}

// The threads that logged warnings of timers, by the text of the warning.
struct warning_log {
  static void write(void* context, const log_record& record) noexcept {
    if (record.kind != log_kind::timer) return;
    auto& to = *static_cast<warning_log*>(context);
    const std::scoped_lock lock{to.mutex};
    to.by[std::string{record.text}] = thread_name();
    to.changed.notify_all();
  }
  // The name of the thread; empty: not logged in time.
  std::string thread_of(scheduler_event_kind kind) {
    std::unique_lock lock{mutex};
    const std::string text = to_text(kind);
    (void)changed.wait_for(lock, 10s, [&] { return by.contains(text); });
    return by[text];
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::string> by;
};

// spec: X2
TEST(actor_system, reports_warnings_of_timers_while_its_only_worker_is_in_a_handler) {
  using kind = scheduler_event_kind;
  warning_log logged;
  std::latch begun{1};
  std::latch go_on{1};
  std::promise<void> quota_seen;
  std::promise<void> overflow_seen;
  std::vector<int> seen;
  system_config config{.workers = 1, .log = {.sink = {warning_log::write, &logged}}};
  config.scheduler.system_quota = 2;
  config.scheduler.timing.overflow_capacity = 1;
  actor_system system{config};
  const auto watch = system.spawn({.name = "watch", .dispatcher = dispatcher::pinned},
                                  [&](context&, const timer_warning& raised) {
                                    if (raised.what.kind == kind::quota_reached)
                                      quota_seen.set_value();
                                    if (raised.what.kind == kind::overflow_near_capacity)
                                      overflow_seen.set_value();
                                  });
  ASSERT_TRUE(system.events().subscribe<timer_warning>(watch));
  system.spawn<clerk>("busy", &seen).tell(hold{&begun, &go_on});
  begun.wait();

  // Raised by the driver, and by this thread.
  EXPECT_TRUE(system.timers().schedule_once(10h, [] {}).has_value());
  EXPECT_EQ(logged.thread_of(kind::overflow_near_capacity), "tactor-report");
  EXPECT_EQ(overflow_seen.get_future().wait_for(10s), std::future_status::ready);
  EXPECT_TRUE(system.timers().schedule_once(2s, [] {}).has_value());
  EXPECT_FALSE(system.timers().schedule_once(2s, [] {}).has_value());
  EXPECT_EQ(logged.thread_of(kind::quota_reached), "tactor-report");
  EXPECT_EQ(quota_seen.get_future().wait_for(10s), std::future_status::ready);
  go_on.count_down();
}

// spec: X2
TEST(actor_system, reports_the_warnings_of_its_shutdown_before_that_returns) {
  warning_log logged;
  actor_system system{{.workers = 1, .log = {.sink = {warning_log::write, &logged}}}};
  ASSERT_TRUE(system.timers()
                  .on_close(close_priority::user,
                            []() -> std::expected<void, int> { return std::unexpected{7}; })
                  .has_value());
  EXPECT_EQ(system.shutdown(60s).tasks_failed, 1u);
  const std::scoped_lock lock{logged.mutex};
  EXPECT_TRUE(logged.by.contains(to_text(scheduler_event_kind::task_run_failed)));
}

// spec: T9
TEST(actor_system, detects_a_stalled_timer_driver_when_a_worker_parks_or_metrics_are_read) {
  testkit::manual_clock clock;
  const system_config config{.workers = 1,
                             .clock = {.source = &clock, .use = clock_use::test},
                             .log = {.sink = say_nothing}};
  const auto is_stall = [](const std::optional<scheduler_event>& event) {
    return event && event->kind == scheduler_event_kind::driver_stalled;
  };
  {
    actor_system system{config};
    std::array<scheduler_event, 4> storage;
    diagnostics_subscription heard{system.timers().events(), storage,
                                   scheduler_event_kinds::warnings()};
    const auto who = system.spawn("who", [](context&, const note&) {});
    ASSERT_TRUE(system.timers().schedule_once(10ms, [] {}).has_value());
    testkit::system_steps::settle(system);
    clock.jump(5s);  // without a poll
    EXPECT_FALSE(heard.try_next().has_value());
    who.tell(note{1});
    testkit::system_steps::settle(system);
    EXPECT_TRUE(is_stall(heard.try_next()));
    testkit::system_steps::poll_now(system);
  }
  actor_system system{config};
  std::array<scheduler_event, 4> storage;
  diagnostics_subscription heard{system.timers().events(), storage,
                                 scheduler_event_kinds::warnings()};
  ASSERT_TRUE(system.timers().schedule_once(10ms, [] {}).has_value());
  clock.jump(5s);
  (void)system.metrics();
  EXPECT_TRUE(is_stall(heard.try_next()));
  testkit::system_steps::poll_now(system);
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
  EXPECT_EQ(system.ask(fast, twice{1}, 60s).get(), 2) << "while the other is still busy";
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
  const auto first = system.ask(pinned, who_are_you{}, 60s).get();
  ASSERT_TRUE(first->starts_with("tactor-pin-"));
  ASSERT_TRUE(system.ask(another, who_are_you{}, 60s).get()->starts_with("tactor-pin-"));
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(system.ask(pinned, who_are_you{}, 60s).get(), *first);
  EXPECT_EQ(threads_called("tactor-pin-"), 2u);
  pinned.tell(hold{&begun, &go_on});
  another.tell(hold{&begun, &go_on});
  begun.wait();  // both at once, on two threads
  go_on.count_down();
  system.stop(pinned);
  system.stop(another);
  while (threads_called("tactor-pin-") != 0)  // while the system goes on
    std::this_thread::yield();
  EXPECT_TRUE(system.shutdown(60s).complete);
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
  EXPECT_EQ(system.ask(quick, twice{4}, 60s).get(), 8);
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
TEST(actor_system, shuts_down_once_for_any_number_of_calls_from_any_thread) {
  std::vector<int> seen;
  actor_system system{{.workers = 2}};
  for (int i = 0; i < 100; ++i)
    (void)system.spawn<parent_of_one>("");
  auto who = system.spawn<clerk>("who", &seen);
  who.tell(note{1});
  shutdown_report first;
  shutdown_report second;
  {
    const std::jthread a{[&] { first = system.shutdown(60s); }};
    const std::jthread b{[&] { second = system.shutdown(60s); }};
  }
  const shutdown_report third = system.shutdown();
  EXPECT_TRUE(first.complete);
  EXPECT_EQ(first.took.nanoseconds(), second.took.nanoseconds());
  EXPECT_EQ(first.took.nanoseconds(), third.took.nanoseconds());
  EXPECT_EQ(seen, std::vector{1});
  EXPECT_EQ(system.live(), 0u);
  wait_for_threads_called("tactor-", 0);
}

// spec: D4 A5
TEST(actor_system, ends_at_the_earliest_deadline_of_all_shutdowns) {
  static std::optional<std::latch> begun;  // static: the handler may outlive the test
  static std::optional<std::latch> go_on;
  begun.emplace(1);
  go_on.emplace(1);
  std::vector<int> seen;
  actor_system system{{.workers = 1, .log = {.sink = +[](const log_record&) noexcept {}}}};
  auto slow = system.spawn<clerk>("slow", &seen);
  slow.tell(hold{&*begun, &*go_on});
  begun->wait();
  shutdown_report first;
  shutdown_report second;
  {
    const std::jthread patient{[&] { first = system.shutdown(30s); }};
    while (system.phase() != system_phase::draining)
      std::this_thread::yield();
    second = system.shutdown(10ms);
  }
  EXPECT_LT(second.took, duration{15s});
  EXPECT_FALSE(first.complete);
  EXPECT_EQ(first.late().size(), 1u);
  EXPECT_EQ(first.took, second.took);
  go_on->count_down();
}

// spec: D4 A5
TEST(actor_system, drains_as_long_as_before_if_one_of_its_actors_shuts_it_down_again) {
  std::latch begun{1};
  std::latch go_on{1};
  actor_system system{{.workers = 1}};
  const auto who = system.spawn("who", [&](context&, const hold& h) {
    h.begun->count_down();
    h.go_on->wait();
    (void)system.shutdown(0ms);
    const auto enough = std::chrono::steady_clock::now() + 20ms;
    while (std::chrono::steady_clock::now() < enough)
      std::this_thread::yield();
  });
  who.tell(hold{&begun, &go_on});
  begun.wait();
  const std::jthread waits_for_the_drain{[&] {
    while (system.phase() != system_phase::draining)
      std::this_thread::yield();
    go_on.count_down();
  }};
  EXPECT_TRUE(system.shutdown(60s).complete);
}

// spec: S12 A5
TEST(actor_system, ends_at_the_earliest_deadline_of_all_shutdowns_while_a_close_task_runs) {
  std::latch begun{1};
  std::latch gate{1};
  const actor_system system;
  ASSERT_TRUE(system.timers().on_close(close_priority::critical, [&] {
    begun.count_down();
    gate.wait();
  }));
  shutdown_report first;
  {
    const std::jthread patient{[&] { first = system.shutdown(30s); }};
    begun.wait();
    EXPECT_EQ(system.shutdown(10ms).tasks_late, 1u);
  }
  EXPECT_EQ(first.tasks_late, 1u);
  EXPECT_LT(first.took, duration{15s});
  gate.count_down();
}

// spec: D4 A2c
TEST(actor_system, refuses_what_comes_when_it_stops_and_finishes_what_was_there) {
  std::vector<int> seen;
  std::latch begun{1};
  std::latch go_on{1};
  actor_system system{{.workers = 2}};
  auto who = system.spawn<clerk>("who", &seen);
  who.tell(hold{&begun, &go_on});
  begun.wait();
  who.tell(note{1});
  std::jthread stopper{[&] { EXPECT_TRUE(system.shutdown(60s).complete); }};
  while (system.phase() != system_phase::draining)
    std::this_thread::yield();
  EXPECT_FALSE(system.spawn<clerk>("late", &seen));
  EXPECT_EQ(system.try_spawn<clerk>("late", &seen).error(), spawn_error::stopping);
  EXPECT_EQ(who.tell(note{2}), tell_result::closed) << "it is in a handler, and drains";
  go_on.count_down();
  stopper.join();
  EXPECT_EQ(who.tell(note{3}), tell_result::closed);
  EXPECT_EQ(seen, std::vector{1}) << "what was queued was handled";
}

// spec: A5 P1
TEST(actor_system, reports_and_stops_an_actor_that_is_suspended_at_the_deadline) {
  std::vector<int> seen;
  actor_system system{{.workers = 2}};
  actor_system other{{.workers = 1}};
  const auto foreign = other.spawn<clerk>("foreign", &seen);
  ASSERT_TRUE(other.suspend(foreign, suspend_reason::user_defined));
  const auto asleep = system.spawn<clerk>("asleep", &seen);
  const auto awake = system.spawn<clerk>("awake", &seen);
  EXPECT_EQ(system.ask(awake, twice{1}, 60s).get(), 2);  // the workers run
  ASSERT_TRUE(system.suspend(asleep, suspend_reason::user_defined));
  asleep.tell(note{7});
  const shutdown_report report = system.shutdown(500ms);
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(report.left, 0u);
  ASSERT_EQ(report.late().size(), 1u);
  EXPECT_EQ(report.late()[0].path.view(), "/user/asleep");
  EXPECT_TRUE(report.late()[0].suspended);
  EXPECT_EQ(awake.tell(note{8}), tell_result::closed);
  EXPECT_EQ(seen, std::vector<int>{});
  EXPECT_EQ(system.metrics().all_dead_letters(), 2u);
  EXPECT_TRUE(other.resume(foreign, suspend_reason::user_defined));
  EXPECT_TRUE(other.shutdown(60s).complete);
}

/// Fails at its first message; says when an instance is gone.
class failing : public actor<note> {
public:
  explicit failing(std::latch* const& gone) : gone_(gone) {}
  failing(const failing&) = delete;
  failing& operator=(const failing&) = delete;
  ~failing() { gone_->count_down(); }
  std::expected<void, failure> receive(context& /*ctx*/, note) {
    return std::unexpected{failure{"broken"}};
  }

private:
  std::latch* gone_;
};
/// Never starts.
class unable : public actor<note> {
public:
  explicit unable(std::atomic<int>* const& tried) : tried_(tried) {}
  std::expected<void, failure> pre_start(context& /*ctx*/) {
    ++*tried_;
    return std::unexpected{failure{"broken"}};
  }
  void receive(context& /*ctx*/, note) {}

private:
  std::atomic<int>* tried_;
};

// spec: A2d A5
TEST(actor_system, does_not_wait_for_restarts_at_the_end) {
  std::latch gone{1};
  std::atomic<int> tried = 0;
  actor_system system{{.workers = 2}};
  const auto waiting = system.spawn<failing>(
      {.name = "waiting", .on_failure = restart{.delay = {.min = 1h, .max = 1h}}}, &gone);
  (void)system.spawn<unable>({.name = "looping", .on_failure = restart{}}, &tried);
  waiting.tell(note{1});
  waiting.tell(note{2});
  gone.wait();
  while (tried < 3)
    std::this_thread::yield();
  const shutdown_report report = system.shutdown(30s);
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.left, 0u);
  EXPECT_TRUE(report.late().empty());
  EXPECT_EQ(system.metrics().all_dead_letters(), 1u);
}

// spec: D4 A5
// case: CS-09
TEST(actor_system, reports_a_late_actor_and_detaches_its_thread) {
  // Static: ThreadSanitizer does not see that the detached thread has ended, and the next test uses
  // the same stack.
  static std::optional<std::latch> begun;
  static std::optional<std::latch> go_on;
  begun.emplace(1);
  go_on.emplace(1);
  std::vector<int> seen;
  const auto before = threads_called("tactor-");
  {
    actor_system system{{.workers = 2}};
    auto slow = system.spawn<clerk>("slow", &seen);
    slow.tell(hold{&*begun, &*go_on});
    begun->wait();
    slow.tell(note{7});
    const auto began = std::chrono::steady_clock::now();
    const shutdown_report report = system.shutdown(50ms);
    EXPECT_LT(std::chrono::steady_clock::now() - began, 30s) << "it would never come back";
    EXPECT_FALSE(report.complete);
    EXPECT_EQ(report.left, 1u);
    ASSERT_EQ(report.late().size(), 1u);
    EXPECT_EQ(report.late()[0].path.view(), "/user/slow");
    EXPECT_TRUE(report.late()[0].message_type.ends_with("hold"));
    EXPECT_GT(report.late()[0].busy.nanoseconds(), 0) << "since the first sample";
    EXPECT_FALSE(report.late()[0].suspended);
    wait_for_threads_called("tactor-", before + 1);  // only its own thread is still there
  }
  go_on->count_down();  // the system is gone; its thread finds all it needs, and ends
  wait_for_threads_called("tactor-", before);
  EXPECT_TRUE(seen.empty()) << "what was queued became dead letters";
}

// spec: S12
TEST(actor_system, counts_a_late_close_task_and_waits_for_it_in_the_destructor) {
  std::latch gate{1};
  bool ended = false;
  {
    const actor_system system;
    ASSERT_TRUE(system.timers().on_close(close_priority::critical, [&] {
      gate.wait();
      ended = true;
    }));
    EXPECT_EQ(system.shutdown(0ms).tasks_late, 1u);
    gate.count_down();
  }
  EXPECT_TRUE(ended);
}

// spec: D4 O6
TEST(actor_system, logs_late_actors_in_the_destructor) {
  static std::atomic<int> said = 0;
  const auto count_late = [](const log_record& record) noexcept {
    if (record.actor == "/user/slow" && record.kind == log_kind::system) ++said;
  };
  static std::optional<std::latch> begun;  // static: as above
  static std::optional<std::latch> go_on;
  begun.emplace(1);
  go_on.emplace(1);
  said = 0;
  std::vector<int> seen;
  const auto before = threads_called("tactor-");
  {
    actor_system system{{.workers = 1, .log = {.sink = +count_late}}};
    auto slow = system.spawn<clerk>("slow", &seen);
    slow.tell(hold{&*begun, &*go_on});
    begun->wait();
    (void)system.shutdown(1ms);
  }
  EXPECT_EQ(said, 1);
  go_on->count_down();
  while (threads_called("tactor-") != before)
    std::this_thread::yield();
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
  EXPECT_TRUE(system.shutdown(60s).complete);
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
  wait_for_threads_called("tactor-", 0);
  EXPECT_EQ(who.tell(finish{nullptr}), tell_result::closed);
}

// Whatever started the tests: a shell lets programs in the background ignore SIGINT.
void set_default(int signal) {
  struct sigaction how{};
  how.sa_handler = SIG_DFL;
  (void)::sigaction(signal, &how, nullptr);
}

// spec: A5
TEST(actor_system, shuts_down_when_a_signal_comes) {
  set_default(SIGTERM);
  actor_system system{{.workers = 1}};
  std::atomic<bool> over = false;
  shutdown_report report;
  std::jthread waits{[&] {
    report = system.run_until_interrupted(60s);
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

// spec: A5
TEST(actor_system, leaves_the_rest_to_the_program_when_it_only_waits_for_a_signal) {
  set_default(SIGINT);
  std::vector<int> seen;
  actor_system system{{.workers = 1}};
  const auto who = system.spawn<clerk>("who", &seen);
  std::jthread sends{[] {
    struct sigaction now{};
    do {  // it may not have come to wait yet
      (void)::sigaction(SIGINT, nullptr, &now);
      std::this_thread::yield();
    } while (now.sa_handler == SIG_DFL);
    (void)::kill(::getpid(), SIGINT);
  }};
  EXPECT_EQ(system.wait_for_interrupt(), SIGINT);
  EXPECT_EQ(system.phase(), system_phase::running);
  EXPECT_EQ(system.ask(who, twice{4}, 60s).get(), 8) << "the system goes on";
  struct sigaction now{};
  (void)::sigaction(SIGINT, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL) << "a second one would end the program";
  EXPECT_EQ(system.shutdown(60s).signal, 0);
}

// spec: A5
TEST(actor_system, waits_for_no_signal_when_it_has_stopped_by_itself) {
  actor_system system{{.workers = 1}};
  system.stop_accepting();
  EXPECT_EQ(system.wait_for_interrupt(), 0);
  EXPECT_EQ(system.phase(), system_phase::stopped);
}

// spec: A5 D4
TEST(actor_system, shuts_down_in_phases_it_stops_accepting_and_finishes_and_stops) {
  std::vector<int> seen;
  std::latch begun{1};
  std::latch go_on{1};
  actor_system system{{.workers = 2}};
  const auto who = system.spawn<clerk>("who", &seen);
  who.tell(hold{&begun, &go_on});
  begun.wait();
  who.tell(note{1});

  system.stop_accepting();  // does not wait for the handler
  EXPECT_EQ(system.phase(), system_phase::draining);
  EXPECT_EQ(who.tell(note{2}), tell_result::closed);
  EXPECT_EQ(system.try_spawn<clerk>("late", &seen).error(), spawn_error::stopping);
  system.stop_accepting();  // again: nothing changes

  go_on.count_down();
  const shutdown_report report = system.shutdown(60s);
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(system.phase(), system_phase::stopped);
  EXPECT_EQ(seen, std::vector{1}) << "what was accepted was handled";
}

/// Passes notes on, and asks, while it drains.
class busy_parent : public actor<note, hold> {
public:
  busy_parent(actor_ref<note> sibling, std::vector<int>* seen, tell_result* sideways)
      : sibling_(sibling), seen_(seen), sideways_(sideways) {}
  void pre_start(context& ctx) { child_ = ctx.spawn<clerk>("child", seen_); }
  void receive(context&, const note& n) {
    child_.tell(n);
    *sideways_ = sibling_.tell(n);
  }
  void receive(context&, const hold& h) {
    h.begun->count_down();
    h.go_on->wait();
  }

private:
  actor_ref<note> sibling_;
  std::vector<int>* seen_;
  tell_result* sideways_;
  clerk::ref child_;
};

// spec: D4
TEST(actor_system, sends_to_children_while_it_drains_and_not_to_siblings) {
  std::vector<int> seen;
  std::vector<int> seen_by_sibling;
  tell_result sideways = tell_result::ok;
  std::latch begun{1};
  std::latch go_on{1};
  actor_system system{{.workers = 2}};
  const auto sibling = system.spawn<clerk>("sibling", &seen_by_sibling);
  const auto who = system.spawn<busy_parent>("who", actor_ref<note>{sibling}, &seen, &sideways);
  who.tell(hold{&begun, &go_on});
  begun.wait();
  who.tell(note{1});
  who.tell(note{2});
  system.stop_accepting();
  go_on.count_down();
  EXPECT_TRUE(system.shutdown(60s).complete);
  EXPECT_EQ(seen, (std::vector{1, 2})) << "children drain after their parent";
  EXPECT_EQ(sideways, tell_result::closed);
  EXPECT_EQ(seen_by_sibling, std::vector<int>{});
}

// Returns when that thread sleeps.
void wait_until_asleep(::pid_t thread) {
  char state = 0;
  while (state != 'S') {
    std::ifstream stat{"/proc/self/task/" + std::to_string(thread) + "/stat"};
    std::string id;
    std::string name;
    stat >> id >> name >> state;
    std::this_thread::yield();
  }
}

// spec: A5
TEST(actor_system, waits_for_signals_beside_another_system_that_stops_by_itself) {
  struct sigaction ignores{};
  ignores.sa_handler = SIG_IGN;
  struct sigaction before{};
  (void)::sigaction(SIGTERM, &ignores, &before);
  actor_system first{{.name = "first", .workers = 1}};
  actor_system second{{.name = "second", .workers = 1}};
  std::atomic<int> first_saw = -1;
  std::thread waits{[&] { first_saw = first.run_until_interrupted().signal; }};
  struct sigaction now{};
  do {
    (void)::sigaction(SIGTERM, nullptr, &now);
    std::this_thread::yield();
  } while (now.sa_handler == SIG_IGN);
  const ::pid_t here = ::gettid();
  std::thread ends{[&] {
    wait_until_asleep(here);
    (void)first.shutdown();
    waits.join();
    (void)::kill(::getpid(), SIGTERM);
  }};
  EXPECT_EQ(second.run_until_interrupted().signal, SIGTERM);
  ends.join();
  EXPECT_EQ(first_saw, 0);
  (void)::sigaction(SIGTERM, &before, &now);
  EXPECT_EQ(now.sa_handler, SIG_IGN) << "the last one has put back what the first one found";
}

struct run_program {
  using reply = int;
};

// spec: A5
TEST(actor_system, starts_programs_that_a_signal_can_end) {
  actor_system system{{.workers = 1}};
  for (const dispatcher where : {dispatcher::pool, dispatcher::pinned, dispatcher::blocking}) {
    auto who = system.spawn({.dispatcher = where}, [](context&, const run_program&) {
      return std::system("kill -TERM $$");  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
    });
    const auto status = system.ask(who, run_program{}, 60s).get();
    ASSERT_TRUE(status.has_value());
    EXPECT_TRUE(WIFSIGNALED(*status)) << "it blocks SIGTERM";
    EXPECT_EQ(WTERMSIG(*status), SIGTERM);
  }
}

struct is_blocked {
  int signal;
  using reply = bool;
};

bool blocks(int signal) {
  sigset_t mask;
  (void)::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return ::sigismember(&mask, signal) == 1;
}
void block(int signal, int how) {
  sigset_t mask;
  (void)::sigemptyset(&mask);
  (void)::sigaddset(&mask, signal);
  (void)::pthread_sigmask(how, &mask, nullptr);
}

// spec: A5
TEST(actor_system, runs_its_actors_with_the_signal_mask_of_the_thread_that_started_it) {
  block(SIGUSR2, SIG_BLOCK);
  actor_system system{{.workers = 1}};
  block(SIGUSR2, SIG_UNBLOCK);
  block(SIGUSR1, SIG_BLOCK);
  for (const dispatcher where : {dispatcher::pool, dispatcher::pinned, dispatcher::blocking}) {
    auto who = system.spawn({.dispatcher = where},
                            [](context&, const is_blocked& m) { return blocks(m.signal); });
    EXPECT_EQ(system.ask(who, is_blocked{SIGUSR1}, 60s).get(), false) << "spawned with it";
    EXPECT_EQ(system.ask(who, is_blocked{SIGUSR2}, 60s).get(), true) << "started with it";
    EXPECT_EQ(system.ask(who, is_blocked{SIGINT}, 60s).get(), false);
  }
  block(SIGUSR1, SIG_UNBLOCK);
}

// spec: K1
TEST(actor_system_death_test, that_never_settles_names_the_actor_that_is_always_ready) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto settle = [] {
    testkit::manual_clock clock;
    actor_system system{{.workers = 2, .clock = {.source = &clock, .use = clock_use::test}}};
    actor_ref<note> busy;
    int left = 5'000'000;
    busy = system.spawn("busy", [&](context&, const note& n) {
      if (--left > 0) busy.tell(n);
    });
    busy.tell(note{1});
    testkit::system_steps::settle(system, 10'000);
  };
  EXPECT_DEATH(settle(), "tactor: /user/busy\n.*does not become idle");
}

TEST(actor_system_death_test, says_that_a_handler_must_not_end_its_thread) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        actor_system system{{.workers = 1}};
        auto who = system.spawn("who", [](context&, const note&) { ::pthread_exit(nullptr); });
        who.tell(note{1});
        wait_for_threads_called("tactor-worker", 0);
      },
      "must not end its thread");
}

/// What became of a forked process that calls `act()` and then exits with its result.
template <class Act>
int status_of_fork(Act act) {
  const ::pid_t child = ::fork();
  if (child == 0) {
    (void)::alarm(30);  // so that it does not wait for its deadline
    ::_exit(act());
  }
  int status = 0;
  (void)::waitpid(child, &status, 0);
  return status;
}

TEST(actor_system, does_not_wait_in_a_forked_process_which_has_no_threads) {
  actor_system system{{.workers = 1}};
  std::vector<int> seen;
  auto who = system.spawn<clerk>("who", &seen);
  const int status = status_of_fork([&] {
    const shutdown_report report = system.shutdown(60s);
    return report.complete ? 0 : static_cast<int>(report.left);
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1) << "one actor is left";
  EXPECT_EQ(system.ask(who, twice{2}, 60s).get().value_or(0), 4) << "the first process goes on";
}

TEST(actor_system, ends_a_forked_process_that_waits_for_a_lock_of_a_lost_thread) {
  const actor_system system{{.workers = 1}};
  port::mutex shared;
  std::latch locked{1};
  std::latch over{1};
  std::jthread other{[&] {
    const internal::lock_guard guard{shared};
    locked.count_down();
    over.wait();
  }};
  locked.wait();
  const int status = status_of_fork([&] {
    const internal::lock_guard guard{shared};
    return 0;
  });
  over.count_down();
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGABRT) << "and not SIGALRM";
}

TEST(actor_system, does_not_start_in_a_process_that_was_forked_from_a_running_one) {
  const auto refused = [] {
    const auto started = actor_system::start({.workers = 1});
    return started ? 0 : 1;
  };
  {
    actor_system system{{.workers = 1}};
    EXPECT_EQ(WEXITSTATUS(status_of_fork(refused)), 1);
  }
  wait_for_threads_called("tactor-", 0);
  const int status = status_of_fork(refused);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "all systems had ended";
}

// spec: S1a S1b S8 D5
// case: SO-02
TEST(actor_system, runs_messages_and_callables_of_timers_on_its_own_threads) {
  std::latch told{1};
  std::latch called{1};
  std::string by;
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
  for (const auto& [where, prefix] : {std::pair{dispatcher::blocking, "tactor-block-"},
                                      std::pair{dispatcher::pinned, "tactor-pin-"},
                                      std::pair{dispatcher::pool, "tactor-worker-"}}) {
    std::promise<std::string> name;
    ASSERT_TRUE(system.timers()
                    .schedule_once(10ms, [&] { name.set_value(thread_name()); },
                                   {.dispatcher = &system.callables(where)})
                    .has_value());
    EXPECT_TRUE(name.get_future().get().starts_with(prefix)) << prefix;
  }
  EXPECT_EQ(system.live(), 1u) << "callables are no actors to be counted";
}

struct call_later {};

/// Notes which threads run what it schedules.
struct seen_threads {
  std::promise<std::string> called;
  std::promise<std::string> cancelled;
};

class caller : public actor<call_later> {
public:
  explicit caller(seen_threads* to) : to_(to) {}
  void receive(context& ctx, call_later) {
    EXPECT_TRUE(
        ctx.schedule_once(10ms, [to = to_] { to->called.set_value(thread_name()); }).has_value());
    auto message =
        ctx.schedule_once(1h, ctx.self(), call_later{},
                          {.on_cancelled = [to = to_] { to->cancelled.set_value(thread_name()); }});
    EXPECT_TRUE(message && message->cancel());
  }

private:
  seen_threads* to_;
};

// spec: S1a S3
TEST(actor_system, runs_callables_that_an_actor_schedules_on_the_dispatcher_of_the_actor) {
  actor_system system{{.workers = 2}};
  for (const auto& [where, prefix] : {std::pair{dispatcher::blocking, "tactor-block-"},
                                      std::pair{dispatcher::pinned, "tactor-pin-"},
                                      std::pair{dispatcher::pool, "tactor-worker-"}}) {
    seen_threads seen;
    const auto who = system.spawn<caller>({.dispatcher = where}, &seen);
    who.tell(call_later{});
    EXPECT_TRUE(seen.called.get_future().get().starts_with(prefix)) << prefix;
    EXPECT_TRUE(seen.cancelled.get_future().get().starts_with(prefix)) << prefix;
  }
}

struct draw {
  using reply = std::uint64_t;
};
struct dice : actor<draw> {
  std::uint64_t receive(context& ctx, draw) { return ctx.random(); }
};

// spec: A10g
TEST(actor_system, gives_actors_random_numbers_of_its_seed_or_of_chance) {
  const auto drawn = [](std::uint64_t from) {
    actor_system system{{.workers = 1, .seed = from}};
    return system.ask(system.spawn<dice>("dice"), draw{}, 60s).get().value();
  };
  EXPECT_EQ(drawn(7), drawn(7));
  EXPECT_NE(drawn(7), drawn(8));
  EXPECT_NE(drawn(0), drawn(0)) << "without a seed";
}

// case: CS-13
TEST(actor_system, comes_and_goes_a_hundred_times_without_a_trace) {
  std::vector<int> seen;
  std::uint32_t slots = 0;
  for (int round = 0; round < 100; ++round) {
    {
      actor_system system{{.workers = 2}};
      auto who = system.spawn<clerk>("who", &seen);
      EXPECT_EQ(system.ask(who, twice{round}, 60s).get(), 2 * round);
      if (round == 20) slots = program_memory.cells.made();
    }
    wait_for_threads_called("tactor-", 0);  // so that the next one finds what they had
  }
  EXPECT_EQ(program_memory.cells.made(), slots);
}

}  // namespace
}  // namespace tactor
