// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/cooperative_system.hpp"

#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/testkit/manual_clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <latch>
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

std::vector<int> seen;

class notebook : public actor<note, twice> {
public:
  void receive(context&, const note& n) { seen.push_back(n.number); }
  int receive(context&, const twice& t) { return 2 * t.number; }
};

class cooperative_systems : public testing::Test {
protected:
  void SetUp() override { seen.clear(); }
};

struct again {
  int left;
};
class always_ready : public actor<again> {
  int* handled_;
  scheduler* timers_;

public:
  always_ready(int* handled, scheduler* timers) : handled_(handled), timers_(timers) {}
  void receive(context& ctx, const again& m) {
    if (++*handled_ == 1) {
      EXPECT_TRUE(timers_->schedule_once(1h, [] {}).has_value());
      EXPECT_FALSE(timers_->schedule_once(1h, [] {}).has_value()) << "raises a warning";
    }
    if (m.left > 0) ctx.self().tell(again{m.left - 1});
  }
};

// spec: X2
TEST_F(cooperative_systems, reports_warnings_of_timers_also_while_an_actor_is_always_ready) {
  static int handled = 0;
  static int handled_when_logged = 0;
  handled = 0;
  handled_when_logged = 0;
  system_config config;
  config.scheduler.system_quota = 1;
  config.log.sink = +[](const log_record& record) noexcept {
    if (record.kind == log_kind::timer) handled_when_logged = handled;
  };
  cooperative_system system{config};
  int warnings = 0;
  const auto watch = system.spawn("watch", [&](context&, const timer_warning&) { ++warnings; });
  ASSERT_TRUE(system.events().subscribe<timer_warning>(watch));
  system.spawn<always_ready>("busy", &handled, &system.timers()).tell(again{99'999});
  (void)system.poll();
  EXPECT_EQ(handled, 100'000);
  EXPECT_GT(handled_when_logged, 0);
  EXPECT_LT(handled_when_logged, 50'000);
  EXPECT_EQ(warnings, 1);
}

// spec: A4
TEST_F(cooperative_systems, starts_in_one_line_and_handles_what_is_queued_before_it_ends) {
  {
    cooperative_system system;
    const auto book = system.spawn<notebook>("book");
    book.tell(note{1});
    book.tell(note{2});
  }
  EXPECT_EQ(seen, (std::vector{1, 2}));
}

// spec: A4
TEST_F(cooperative_systems, says_which_setting_cannot_work_its_value_and_what_is_allowed) {
  const auto none = cooperative_system::start({.max_actors = 0});
  ASSERT_FALSE(none.has_value());
  EXPECT_STREQ(none.error().setting, "max_actors");
  EXPECT_EQ(none.error().value, 0);
  EXPECT_STREQ(none.error().allowed, "at least 1");

  const auto idle = cooperative_system::start({.dispatch = {.throughput = 0}});
  ASSERT_FALSE(idle.has_value());
  EXPECT_STREQ(idle.error().setting, "dispatch.throughput");

  const auto no_timers = cooperative_system::start({.scheduler = {.system_quota = 0}});
  ASSERT_FALSE(no_timers.has_value());
}

// spec: A4
TEST_F(cooperative_systems, refuses_a_clock_that_never_moves) {
  const testkit::manual_clock clock;
  const auto stopped = cooperative_system::start({.clock = {.source = &clock}});
  ASSERT_FALSE(stopped.has_value());
  EXPECT_STREQ(stopped.error().setting, "clock");
  EXPECT_TRUE(cooperative_system::start({.clock = {.source = &clock, .use = clock_use::test}}));
}

class sleeper : public actor<note, twice> {
public:
  void receive(context& ctx, const note& n) {
    seen.push_back(n.number);
    EXPECT_TRUE(ctx.suspend(suspend_reason::user_defined, resume_after(500ms)).has_value());
  }
  int receive(context&, const twice& t) { return 2 * t.number; }
};

// spec: A5 K4
TEST_F(cooperative_systems, do_not_wait_for_a_manual_clock_to_move) {
  testkit::manual_clock clock;
  cooperative_system system{{.clock = {.source = &clock, .use = clock_use::test}}};
  const auto who = system.spawn<sleeper>("who");
  who.tell(note{1});
  who.tell(note{2});
  system.run_for(1s);
  EXPECT_EQ(seen, (std::vector{1}));
  EXPECT_FALSE(system.run_until([] { return false; }, 1s));
  const auto said = system.ask(who, twice{1}, 1s).get();
  ASSERT_FALSE(said.has_value());
  EXPECT_EQ(said.error().kind, ask_failure::would_never_answer);
  clock.jump(500ms);
  system.run_for(1s);
  EXPECT_EQ(seen, (std::vector{1, 2}));
  who.tell(note{3});
  const shutdown_report report = system.shutdown(1s);
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(report.left, 0u);
}

// spec: A4
TEST_F(cooperative_systems,
       ends_the_program_with_the_reason_if_its_constructor_gets_such_a_setting) {
  EXPECT_DEATH(cooperative_system{system_config{.max_actors = 0}},
               "max_actors is 0, but must be at least 1");
}

// spec: A2b D2
TEST_F(cooperative_systems, answers_asks_from_outside) {
  cooperative_system system;
  const auto book = system.spawn<notebook>("book");
  EXPECT_EQ(system.ask(book, twice{21}, 1s).get(), 42);
  EXPECT_EQ((system.find<note>("/user/book")), book);

  system.stop(book);
  const auto none = system.ask(book, twice{1}, 1s).get();
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().kind, ask_failure::target_terminated);
  EXPECT_EQ(none.error().target, book);
}

// spec: S8 D2
TEST_F(cooperative_systems, sends_timer_messages_while_it_runs_and_waits) {
  cooperative_system system{{.scheduler = {.timing = {.resolution = 1ms}}}};
  const auto book = system.spawn<notebook>("book");
  const auto beat = system.schedule_at_fixed_rate(1ms, 1ms, book, note{7});
  ASSERT_TRUE(beat.has_value());
  EXPECT_TRUE(system.run_until([] { return seen.size() >= 3; }, 10s));
  EXPECT_TRUE(system.next_deadline().has_value());
  EXPECT_GE(system.metrics().messages_handled, 3u);
}

struct spin {};
class busy : public actor<spin> {
public:
  void receive(context& ctx, spin) { ctx.self().tell(spin{}); }
};
class silent : public actor<twice> {
public:
  delegated<int> receive(context& ctx, const twice&) {
    kept_.push_back(ctx.reply_later<int>());
    return kept_.back().as_delegated();
  }

private:
  std::vector<reply_to<int>> kept_;
};

// spec: T4 A2b
TEST_F(cooperative_systems, fire_timers_and_end_on_time_while_an_actor_is_always_ready) {
  cooperative_system system;
  system.spawn<busy>("busy").tell(spin{});
  const auto book = system.spawn<notebook>("book");
  ASSERT_TRUE(system.schedule_once(5ms, book, note{7}).has_value());
  EXPECT_TRUE(system.run_until([] { return !seen.empty(); }, 1h));

  EXPECT_FALSE(system.run_until([] { return false; }, 5ms));
  ASSERT_TRUE(system.schedule_once(5ms, book, note{8}).has_value());
  system.run_for(5ms);
  EXPECT_TRUE(system.run_until([] { return seen.size() == 2; }, 1h));
  const auto none = system.ask(system.spawn<silent>("silent"), twice{4}, 5ms).get();
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().kind, ask_failure::timed_out);
  EXPECT_TRUE(system.shutdown(30s).complete);
}

/// A clock of the program: it goes with the system's, but has begun at another time.
class own_clock final : public monotonic_clock {
public:
  explicit own_clock(std::uint64_t start_ns) : ahead_ns_(start_ns - monotonic_ns()) {}
  [[nodiscard]] timer_instant now() const noexcept override {
    ++readings_;
    return {.ticks = monotonic_ns() + ahead_ns_, .resolution_ns = 1};
  }
  [[nodiscard]] clock_kind kind() const noexcept override { return clock_kind::realtime; }
  [[nodiscard]] int readings() const { return readings_; }

private:
  std::uint64_t ahead_ns_;
  mutable int readings_ = 0;
};

// spec: T1 T8
TEST_F(cooperative_systems, sleep_by_a_clock_of_the_program_wherever_that_begins) {
  for (const std::uint64_t start_ns : {std::uint64_t{0}, monotonic_ns() + 8'000'000'000}) {
    const own_clock clock{start_ns};
    cooperative_system system{{.clock = {.source = &clock}}};
    const auto book = system.spawn<notebook>("book");
    const std::uint64_t began_ns = monotonic_ns();
    ASSERT_TRUE(system.schedule_once(50ms, book, note{7}).has_value());
    EXPECT_TRUE(system.run_until([] { return !seen.empty(); }, 1h));
    system.run_for(50ms);
    EXPECT_LT(clock.readings(), 1000) << "it sleeps while nothing is due";
    EXPECT_LT(monotonic_ns() - began_ns, 4'000'000'000u);
    EXPECT_GE(monotonic_ns() - began_ns, 100'000'000u);
    seen.clear();
  }
}

/// Counts its turns, each with one message to itself. In one of them it does something, and time
/// passes.
class moving : public actor<spin, twice> {
public:
  moving(testkit::manual_clock* clock, int turn, int* turns)
      : clock_(clock), turn_(turn), turns_(turns) {}
  void receive(context& ctx, spin) {
    ctx.self().tell(spin{});
    if (++*turns_ != turn_) return;
    if (duty_) duty_->send(4);
    clock_->advance(1h);
  }
  delegated<int> receive(context& ctx, const twice&) {
    duty_ = ctx.reply_later<int>();
    *turns_ = 0;
    return duty_->as_delegated();
  }

private:
  testkit::manual_clock* clock_;
  int turn_;
  int* turns_;
  std::optional<reply_to<int>> duty_;
};

// spec: A2b
TEST_F(cooperative_systems, see_what_came_true_in_the_turn_in_which_the_time_passed) {
  for (int turn = 1; turn <= 130; ++turn) {
    int turns = 0;
    testkit::manual_clock clock;
    cooperative_system system{
        {.clock = {.source = &clock, .use = clock_use::test}, .dispatch = {.throughput = 1}}};
    const auto who = system.spawn<moving>("who", &clock, turn, &turns);
    who.tell(spin{});
    EXPECT_TRUE(system.run_until([&] { return turns == turn; }, 1min)) << turn;

    EXPECT_EQ(system.ask(who, twice{2}, 1min).get().value_or(0), 4) << turn;
  }
}

TEST_F(cooperative_systems, return_with_a_manual_clock_while_an_actor_is_always_ready) {
  testkit::manual_clock clock;
  cooperative_system system{{.clock = {.source = &clock, .use = clock_use::test}}};
  actor_ref<spin> self;
  int left = 15'000'000;
  self = system.spawn("busy", [&](context&, spin) {
    if (--left > 0) self.tell(spin{});
  });
  self.tell(spin{});
  const auto none = system.ask(system.spawn<silent>("silent"), twice{4}, 1s).get();
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().kind, ask_failure::would_never_answer);
  EXPECT_GT(left, 0) << "it was ready";
  EXPECT_TRUE(system.shutdown(1s).complete);
}

// spec: S3
TEST_F(cooperative_systems, call_what_follows_a_cancel_without_a_timer_that_is_due) {
  testkit::manual_clock clock;
  cooperative_system system{{.clock = {.source = &clock, .use = clock_use::test}}};
  int calls = 0;
  const auto cancel_one = [&] {
    auto job = system.timers().schedule_once(1h, [] {}, {.on_cancelled = [&] { ++calls; }});
    EXPECT_TRUE(job && job->cancel());
  };
  EXPECT_FALSE(system.next_deadline().has_value());
  cancel_one();
  EXPECT_EQ(system.next_deadline(), duration{});
  EXPECT_TRUE(system.run_until([&] { return calls == 1; }, 1s));
  const auto who = system.spawn("who", [&](context&, const note&) { cancel_one(); });
  who.tell(note{1});
  system.run_for(1s);
  EXPECT_EQ(calls, 2);
}

// spec: A5
TEST_F(cooperative_systems, only_begin_a_shutdown_in_a_callable) {
  cooperative_system system;
  const auto book = system.spawn<notebook>("book");
  std::vector<std::size_t> live;
  ASSERT_TRUE(system.timers().schedule_once(1ms, [&] {
    book.tell(note{1});
    EXPECT_FALSE(system.shutdown().complete);
    EXPECT_EQ(book.tell(note{2}), tell_result::closed);
    live.push_back(system.live());
  }));
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(system.timers().on_close(close_priority::user,
                                         [&] { EXPECT_FALSE(system.shutdown().complete); }));
  EXPECT_TRUE(system.run_until([&] { return system.live() == 0; }));
  EXPECT_EQ(live, std::vector<std::size_t>{1}) << "the actors end after the callable";
  EXPECT_EQ(seen, std::vector<int>{1});
  const shutdown_report report = system.shutdown();
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.tasks_run, 2u) << "each close task is counted once";
}

// spec: S12
TEST_F(cooperative_systems, report_a_close_task_that_returns_after_the_deadline) {
  testkit::manual_clock clock;
  cooperative_system system{{.clock = {.source = &clock, .use = clock_use::test}}};
  ASSERT_TRUE(system.timers().on_close(close_priority::user, [&clock] { clock.advance(6s); }));
  const shutdown_report report = system.shutdown(5s);
  EXPECT_EQ(report.tasks_run, 0u);
  EXPECT_EQ(report.tasks_late, 1u);
}

int timers_logged;  // records about timers

// spec: X2
TEST_F(cooperative_systems, report_a_warning_also_if_no_timer_is_due_while_they_run) {
  testkit::manual_clock clock;
  system_config config;
  config.clock = {.source = &clock, .use = clock_use::test};
  config.scheduler.timing.overflow_capacity = 1;
  cooperative_system system{config};
  std::vector<scheduler_event_kind> warned;
  const auto listener = system.spawn(
      "listener", [&](context&, const timer_warning& each) { warned.push_back(each.what.kind); });
  ASSERT_TRUE(system.events().subscribe<timer_warning>(listener));
  ASSERT_TRUE(
      system.timers().schedule_once(1h, [] {}, {.priority = timer_priority::low}).has_value());
  system.run_for(10ms);
  ASSERT_TRUE(system.timers().schedule_once(1h, [] {}).has_value());
  system.run_for(10ms);
  EXPECT_EQ(warned, (std::vector{scheduler_event_kind::overflow_near_capacity,
                                 scheduler_event_kind::dropped_low_priority}));
}

// spec: X2
TEST_F(cooperative_systems, have_logged_the_warnings_of_close_tasks_when_the_shutdown_is_over) {
  timers_logged = 0;
  system_config config;
  config.log.sink = +[](const log_record& record) noexcept {
    if (record.kind == log_kind::timer) ++timers_logged;
  };
  cooperative_system system{config};
  ASSERT_TRUE(system.timers().on_close(
      close_priority::user, [] { return std::expected<void, int>{std::unexpected{1}}; }));
  EXPECT_EQ(system.shutdown().tasks_failed, 1u);
  EXPECT_EQ(timers_logged, 1);
}

int counts_logged;  // records that say how many others were left out

// spec: O6
TEST_F(cooperative_systems, log_the_number_of_records_left_out_while_they_run) {
  counts_logged = 0;
  testkit::manual_clock clock;
  cooperative_system system{{.clock = {.source = &clock, .use = clock_use::test},
                             .log = {.sink = +[](const log_record& record) noexcept {
                               if (record.text.starts_with("records left out")) ++counts_logged;
                             }}}};
  const auto who = system.spawn("who", [](context& ctx, const note&) { ctx.stop(); });
  for (int i = 0; i < 100; ++i)
    who.tell(note{i});
  system.run_for(1s);
  EXPECT_EQ(counts_logged, 0);
  clock.advance(11s);
  system.run_for(1s);
  EXPECT_EQ(counts_logged, 1);
}

// spec: D2
TEST_F(cooperative_systems, can_be_run_by_a_loop_of_ones_own) {
  cooperative_system system;
  const auto book = system.spawn<notebook>("book");
  book.tell(note{1});
  while (system.run_one()) {
  }
  EXPECT_EQ(seen, (std::vector{1}));
  book.tell(note{2});
  EXPECT_GE(system.poll(), 1u);
  EXPECT_EQ(seen, (std::vector{1, 2}));
  EXPECT_FALSE(system.run_one());
  EXPECT_FALSE(system.next_deadline().has_value());
}

// spec: A4
TEST_F(cooperative_systems, is_a_handle_that_can_be_moved) {
  auto first = cooperative_system::start({.name = "first"});
  ASSERT_TRUE(first.has_value());
  const auto book = first->spawn<notebook>("book");
  cooperative_system second = std::move(*first);
  book.tell(note{5});
  second = cooperative_system{};  // ends the previous one: queued messages are handled
  EXPECT_EQ(seen, (std::vector{5}));
  EXPECT_EQ(book.tell(note{6}), tell_result::closed);
}

// spec: M6
TEST_F(cooperative_systems, leaves_references_that_are_safe_after_its_end) {
  actor_ref<note, twice> kept;
  {
    cooperative_system system;
    kept = system.spawn<notebook>("book");
  }
  EXPECT_EQ(kept.tell(note{1}), tell_result::closed);
  cooperative_system next;
  const auto book = next.spawn<notebook>("book");
  EXPECT_NE(kept, book);
  EXPECT_EQ(kept.tell(note{2}), tell_result::closed);
  EXPECT_TRUE(next.shutdown().complete);
  EXPECT_TRUE(seen.empty());
  EXPECT_EQ(next.live(), 0u);
}

// spec: A5 D4
TEST_F(cooperative_systems, drains_and_reports_like_a_system_with_threads) {
  cooperative_system system;
  int closed = 0;
  ASSERT_TRUE(system.timers().on_close(close_priority::user, [&] { ++closed; }).has_value());
  const auto book = system.spawn<notebook>("book");
  book.tell(note{1});
  const shutdown_report report = system.shutdown();
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.exit_status(), 0);
  EXPECT_EQ(report.tasks_run, 1u);
  EXPECT_EQ(closed, 1);
  EXPECT_EQ(seen, (std::vector{1})) << "what was queued is handled";
  EXPECT_EQ(system.live(), 0u);
  EXPECT_EQ(system.shutdown().tasks_run, 1u) << "the same report again";
  EXPECT_FALSE(system.timers().schedule_once(1s, [] {}).has_value());
}

// spec: A5
TEST_F(cooperative_systems, names_the_actor_that_is_suspended_in_its_report) {
  cooperative_system system{{.log = {.sink = +[](const log_record&) noexcept {}}}};
  const auto book = system.spawn<notebook>("book");
  ASSERT_TRUE(system.suspend(book).has_value());
  book.tell(note{1});
  const shutdown_report report = system.shutdown(1h);  // it does not wait: nothing could resume it
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(report.exit_status(), 2);
  ASSERT_EQ(report.late().size(), 1u);
  EXPECT_EQ(report.late()[0].path.view(), "/user/book");
  EXPECT_TRUE(report.late()[0].suspended);
  EXPECT_EQ(report.left, 0u);
  EXPECT_TRUE(seen.empty());
}

bool waits = false;

class impatient : public actor<note> {
  cooperative_system& system_;
  actor_ref<note, twice> book_;

public:
  struct of {
    cooperative_system* system;
    actor_ref<note, twice> book;
  };
  explicit impatient(const of& world) : system_(*world.system), book_(world.book) {}
  void receive(context&, const note&) {
    if (waits) (void)system_.ask(book_, twice{1}, 1s).get();
  }
};

// spec: D2
TEST_F(cooperative_systems, says_what_to_do_if_it_is_run_from_within_an_actor) {
  cooperative_system system;
  const auto book = system.spawn<notebook>("book");
  const auto asks = system.spawn<impatient>("asks", impatient::of{.system = &system, .book = book});
  asks.tell(note{1});
  EXPECT_DEATH(
      {
        waits = true;
        (void)system.poll();
      },
      "waited for an answer: return from the handler");
}

struct hold {
  std::latch* begun;
};

/// A system that a thread runs, in a handler that does not return.
class in_use {
public:
  in_use() {
    const auto holder = system.spawn("holder", [](context&, const hold& h) {
      h.begun->count_down();
      std::latch{1}.wait();  // the death of the program ends it
    });
    std::latch begun{1};
    holder.tell(hold{&begun});
    other_ = std::thread{[this] { (void)system.poll(); }};
    begun.wait();
  }
  ~in_use() { other_.join(); }
  in_use(const in_use&) = delete;
  in_use& operator=(const in_use&) = delete;

  cooperative_system system;
  actor_ref<note, twice> idle = system.spawn<notebook>("idle");

private:
  std::thread other_;
};

using cooperative_systems_death_test = cooperative_systems;

// spec: A4
TEST_F(cooperative_systems_death_test, say_that_two_threads_use_one_at_once) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const char* const said = "two threads used a cooperative_system at once";
  EXPECT_DEATH((void)in_use{}.idle.tell(note{1}), said);
  EXPECT_DEATH((void)in_use{}.system.spawn<notebook>("new"), said);
  EXPECT_DEATH((void)in_use{}.system.poll(), said);
  EXPECT_DEATH(in_use{}.system.run_for(1ms), said);
}

// spec: A4
TEST_F(cooperative_systems, may_be_used_by_one_thread_after_the_other) {
  cooperative_system system;
  const auto book = system.spawn<notebook>("book");
  book.tell(note{1});
  std::thread{[&] {
    (void)system.poll();
    book.tell(note{2});
  }}.join();
  (void)system.poll();
  EXPECT_EQ(seen, (std::vector{1, 2}));
}

}  // namespace
}  // namespace tactor
