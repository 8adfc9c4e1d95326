// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/simulation.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/core/system/shutdown_report.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/seed.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactor::testkit {
namespace {

using namespace std::chrono_literals;

struct ball {
  int bounces = 0;
};
struct tick_tock {};
struct quote {
  using reply = int;
};

std::uint64_t milliseconds(simulation& world) {
  return world.clock().now().ticks / 1'000'000;
}

/// Notes at which time it was told something.
class stamp : public actor<tick_tock> {
public:
  stamp(simulation* const& world, std::vector<std::uint64_t>* const& to) : world_(world), to_(to) {}
  void receive(context&, tick_tock) { to_->push_back(milliseconds(*world_)); }

private:
  simulation* world_;
  std::vector<std::uint64_t>* to_;
};

// spec: K1 K2a
TEST(simulation, goes_from_deadline_to_deadline_and_time_is_exact) {
  simulation world{seed{1}};
  std::vector<std::uint64_t> at;
  const auto who = world.spawn<stamp>("who", &world, &at);
  ASSERT_TRUE(world.schedule_at_fixed_rate(10ms, 30ms, who, tick_tock{}).has_value());
  ASSERT_TRUE(world.schedule_once(55ms, who, tick_tock{}).has_value());
  world.run_for(105ms);
  // The one-shot is due at the next whole tick.
  EXPECT_EQ(at, (std::vector<std::uint64_t>{10, 40, 60, 70, 100}));
  EXPECT_EQ(milliseconds(world), 105u);
}

// spec: K1
TEST(simulation, lets_an_hour_pass_at_the_cost_of_what_happens_in_it) {
  simulation world{seed{1}};
  auto probe = world.spawn_probe<tick_tock>("probe");
  ASSERT_TRUE(world.schedule_once(1h, probe.ref(), tick_tock{}).has_value());
  world.run_for(1h - 1ms);
  EXPECT_EQ(probe.waiting(), 0u);
  world.run_for(1ms);
  EXPECT_EQ(probe.waiting(), 1u);
  world.run_for(24h * 365);
  EXPECT_EQ(probe.waiting(), 1u);
}

// spec: K1
TEST(simulation, runs_what_is_ready_before_time_passes) {
  simulation world{seed{1}};
  std::vector<std::uint64_t> at;
  const auto who = world.spawn<stamp>("who", &world, &at);
  who.tell(tick_tock{});
  world.run_for(50ms);
  EXPECT_EQ(at, (std::vector<std::uint64_t>{0}));
}

/// Starts a timer when it is told to, and notes the time of every message.
class starter : public actor<ball, tick_tock> {
public:
  explicit starter(std::vector<std::uint64_t>* const& to) : to_(to) {}
  void receive(context& ctx, ball) {
    to_->push_back(ctx.now_ns() / 1'000'000);
    ASSERT_TRUE(ctx.start_timer(1, every(100ms), tick_tock{}).has_value());
  }
  void receive(context& ctx, tick_tock) { to_->push_back(ctx.now_ns() / 1'000'000); }

private:
  std::vector<std::uint64_t>* to_;
};

// spec: K1
TEST(simulation, runs_what_is_ready_before_its_clock_advances) {
  simulation world{seed{1}};
  std::vector<std::uint64_t> at;
  const auto who = world.spawn<starter>("who", &at);
  who.tell(ball{});
  world.clock().advance(300ms);
  EXPECT_EQ(at, (std::vector<std::uint64_t>{0, 100, 200, 300}));
}

// spec: K1
TEST(simulation, steps_to_a_deadline_that_a_queued_message_leads_to) {
  simulation world{seed{1}};
  std::vector<std::uint64_t> at;
  const auto who = world.spawn<starter>("who", &at);
  ASSERT_TRUE(world.schedule_once(200ms, who, tick_tock{}).has_value());
  who.tell(ball{});
  EXPECT_TRUE(world.clock().advance_to_next());
  EXPECT_EQ(at, (std::vector<std::uint64_t>{0, 100}));
}

// spec: K1 S6
TEST(simulation, jumps_over_a_pause_and_runs_are_missed) {
  simulation world{seed{1}};
  std::vector<std::uint64_t> runs;
  const auto who = world.spawn(
      "who", [&runs](tactor::context& ctx, tick_tock) { runs.push_back(ctx.batch().runs); });
  ASSERT_TRUE(world.schedule_at_fixed_rate(10ms, 10ms, who, tick_tock{}).has_value());
  world.run_for(20ms);
  world.clock().jump(50ms);
  world.run_for(10ms);
  EXPECT_EQ(runs, (std::vector<std::uint64_t>{1, 1, 5, 1}));
}

// spec: K1
TEST(simulation, steps_to_the_next_deadline) {
  simulation world{seed{1}};
  std::vector<std::uint64_t> at;
  const auto who = world.spawn<stamp>("who", &world, &at);
  ASSERT_TRUE(world.schedule_once(30ms, who, tick_tock{}).has_value());
  ASSERT_TRUE(world.schedule_once(70ms, who, tick_tock{}).has_value());
  EXPECT_TRUE(world.clock().advance_to_next());
  EXPECT_EQ(at, (std::vector<std::uint64_t>{30}));
  EXPECT_TRUE(world.clock().advance_to_next());
  EXPECT_EQ(at, (std::vector<std::uint64_t>{30, 70}));
  EXPECT_FALSE(world.clock().advance_to_next());
}

// spec: K2a
TEST(simulation, runs_turn_by_turn_and_until_nothing_is_ready) {
  simulation world{seed{1}};
  EXPECT_EQ(world.run_to_idle(), 0u);
  EXPECT_FALSE(world.run_one());
  int left = 9;
  actor_ref<ball> one;
  actor_ref<ball> two;
  one = world.spawn("one", [&](tactor::context&, ball b) {
    if (left-- > 0) two.tell(b);
  });
  two = world.spawn("two", [&](tactor::context&, ball b) {
    if (left-- > 0) one.tell(b);
  });
  EXPECT_TRUE(world.run_one());
  EXPECT_TRUE(world.run_one());
  EXPECT_FALSE(world.run_one());
  one.tell(ball{});
  EXPECT_EQ(world.run_to_idle(), 10u);
  EXPECT_EQ(milliseconds(world), 0u);
}

// spec: K2a
TEST(simulation, runs_until_a_condition_holds_and_not_longer) {
  simulation world{seed{1}};
  std::vector<std::uint64_t> at;
  const auto who = world.spawn<stamp>("who", &world, &at);
  ASSERT_TRUE(world.schedule_at_fixed_rate(10ms, 10ms, who, tick_tock{}).has_value());
  EXPECT_TRUE(world.run_until([&] { return at.size() == 3; }));
  EXPECT_EQ(milliseconds(world), 30u);
  EXPECT_EQ(at.size(), 3u);
  EXPECT_TRUE(world.run_until([&] { return true; }));
  EXPECT_EQ(milliseconds(world), 30u);
  EXPECT_FALSE(world.run_until([&] { return at.size() == 100; }, 45ms));
  EXPECT_EQ(milliseconds(world), 75u);
  EXPECT_EQ(at.size(), 7u);
}

/// A device with one deadline, when it tells an actor something.
class device final : public clock_driven {
public:
  device(manual_clock& clock, std::uint64_t due_ms, actor_ref<tick_tock> whom)
      : clock_(clock), due_ns_(due_ms * 1'000'000), whom_(whom) {
    clock_.attach(*this);
  }
  ~device() { clock_.detach(*this); }
  device(const device&) = delete;
  device& operator=(const device&) = delete;

  [[nodiscard]] std::optional<timer_instant> next_poll() const noexcept override {
    if (told_) return std::nullopt;
    return timer_instant{.ticks = due_ns_, .resolution_ns = 1};
  }
  void poll() noexcept override {
    if (told_ || clock_.now().ticks < due_ns_) return;
    told_ = true;
    whom_.tell(tick_tock{});
  }

private:
  manual_clock& clock_;
  std::uint64_t due_ns_;
  actor_ref<tick_tock> whom_;
  bool told_ = false;
};

// spec: K1
TEST(simulation, stops_at_deadlines_of_other_objects_on_its_clock) {
  simulation world{seed{1}};
  std::vector<std::uint64_t> at;
  const auto who = world.spawn<stamp>("who", &world, &at);
  {
    const device first{world.clock(), 30, who};
    EXPECT_TRUE(world.run_until([&] { return !at.empty(); })) << "there is no other deadline";
    ASSERT_TRUE(world.schedule_once(70ms, who, tick_tock{}).has_value());
    const device second{world.clock(), 50, who};
    EXPECT_TRUE(world.run_until([&] { return at.size() == 3; }));
    auto silent = world.spawn_probe<quote>("silent");
    const device third{world.clock(), 150, who};
    EXPECT_FALSE(world.ask(silent.ref(), quote{}, 70ms).get().has_value());
  }
  EXPECT_EQ(at, (std::vector<std::uint64_t>{30, 50, 100, 150}));
  EXPECT_EQ(milliseconds(world), 150u) << "nothing is left to run";
}

// spec: K2a
TEST(simulation, gives_up_on_a_condition_when_nothing_is_left_to_run) {
  simulation world{seed{1}};
  EXPECT_FALSE(world.run_until([] { return false; }));
  EXPECT_EQ(milliseconds(world), 0u);
}

// spec: K2d A2b
TEST(simulation, drives_itself_until_an_answer_is_there) {
  simulation world{seed{1}};
  // It asks for time before it answers.
  struct wake {};
  class late : public actor<quote, wake> {
  public:
    delegated<int> receive(context& ctx, quote) {
      duty_ = ctx.reply_later<int>();
      EXPECT_TRUE(ctx.schedule_once(200ms, ctx.self(), wake{}).has_value());
      return duty_.as_delegated();
    }
    void receive(context&, wake) { duty_.send(4); }

  private:
    reply_to<int> duty_;
  };
  const auto who = world.spawn<late>("who");
  EXPECT_EQ(world.ask(who, quote{}, 1s).get().value_or(0), 4);
  EXPECT_EQ(milliseconds(world), 200u);

  const auto late_one = world.ask(who, quote{}, 100ms).get();
  ASSERT_FALSE(late_one.has_value());
  EXPECT_EQ(late_one.error().kind, ask_failure::timed_out);
  EXPECT_EQ(late_one.error().waited, duration{100ms});
  EXPECT_EQ(milliseconds(world), 300u);
}

// spec: K2d
TEST(simulation, fails_an_ask_when_nothing_is_left_that_could_answer_it) {
  simulation world{seed{1}};
  auto silent = world.spawn_probe<quote>("silent");
  const auto answer = world.ask(silent.ref(), quote{}, 1h).get();
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().kind, ask_failure::would_never_answer);
  EXPECT_EQ(milliseconds(world), 0u);  // no wait for an hour
}

// spec: K2d
TEST(simulation, refuses_dispatchers_with_threads_unless_all_run_on_the_pool) {
  simulation world{seed{1}};
  simulation mapped{seed{1}, {.dispatchers = {.all_on_pool = true}}};
  for (const dispatcher which : {dispatcher::pinned, dispatcher::blocking}) {
    const auto refused = world.try_spawn({.dispatcher = which}, [](tactor::context&, ball) {});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error(), spawn_error::no_dispatcher);
    EXPECT_NE(std::string_view{to_text(refused.error())}.find("dispatchers.all_on_pool"),
              std::string_view::npos);

    int handled = 0;
    const auto made =
        mapped.try_spawn({.dispatcher = which}, [&handled](tactor::context&, ball) { ++handled; });
    ASSERT_TRUE(made.has_value());
    made->tell(ball{});
    mapped.run_to_idle();
    EXPECT_EQ(handled, 1);
  }
}

// spec: K2a
TEST(simulation, with_seed_zero_is_first_come_first_served) {
  simulation world{};
  std::string order;
  std::vector<actor_ref<ball>> all;
  for (char name = 'a'; name <= 'j'; ++name)
    all.push_back(world.spawn("x", [name, &order](tactor::context&, ball) { order += name; }));
  world.run_to_idle();
  for (int round = 0; round < 2; ++round)
    for (const auto& each : all)
      each.tell(ball{});
  world.run_to_idle();
  EXPECT_EQ(order, "aabbccddeeffgghhiijj");
}

std::string order_with(seed from) {
  simulation world{from};
  std::string order;
  std::vector<actor_ref<ball>> all;
  for (char name = 'a'; name <= 'e'; ++name)
    all.push_back(world.spawn("x", [name, &order](tactor::context&, ball) { order += name; }));
  for (const auto& each : all)
    each.tell(ball{});
  world.run_to_idle();
  return order;
}

// spec: K2a
TEST(simulation, chooses_by_its_seed_which_actor_runs_next) {
  std::set<std::string> orders;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    const std::string once = order_with(seed{i});
    EXPECT_EQ(once.size(), 5u);
    EXPECT_EQ(order_with(seed{i}), once);
    orders.insert(once);
  }
  EXPECT_GT(orders.size(), 50u);  // of 120
  std::set<char> first;
  for (const std::string& each : orders)
    first.insert(each[0]);
  EXPECT_EQ(first.size(), 5u);  // anybody may be the first
}

// spec: K2a
TEST(simulation, is_told_apart_from_another_in_the_same_program) {
  simulation one{seed{1}};
  simulation two{seed{2}};
  EXPECT_EQ(one.seeded_with().value, 1u);
  EXPECT_EQ(two.seeded_with().value, 2u);
  one.run_for(1s);
  EXPECT_EQ(milliseconds(one), 1000u);
  EXPECT_EQ(milliseconds(two), 0u);
  (void)one.spawn("x", [](tactor::context&, ball) {});
  EXPECT_EQ(one.live(), 1u);
  EXPECT_EQ(two.live(), 0u);
  EXPECT_FALSE(two.find<ball>("x"));
}

// spec: K2a
TEST(simulation, comes_and_goes_any_number_of_times_in_the_same_memory) {
  for (std::uint64_t i = 0; i < 300; ++i) {
    simulation world{seed{i}};
    auto probe = world.spawn_probe<ball>("probe");
    const auto relay =
        world.spawn("relay", [to = probe.ref()](tactor::context&, ball b) { to.tell(b); });
    for (int n = 0; n < 5; ++n)
      relay.tell(ball{n});
    ASSERT_TRUE(world.schedule_once(1s, relay, ball{9}).has_value());
    EXPECT_EQ(probe.expect<ball>().bounces, 0);
  }
}

std::string lines;  // logged

/// Runs actors without names that fail, one of them a child, and returns what was logged.
std::string log_of_nameless_actors() {
  lines.clear();
  system_config config;
  config.log.sink = +[](const log_record& record) noexcept {
    lines.append(record.actor).append(": ").append(record.text).append("\n");
  };
  {
    simulation world{seed{7}, config};
    for (int i = 0; i < 3; ++i) {
      const auto who =
          world.spawn("", [i](tactor::context& ctx, ball b) -> std::expected<void, failure> {
            lines.append(ctx.path().view()).append("\n");
            const auto child = ctx.spawn("", [](tactor::context& own, tick_tock) {
              lines.append(own.path().view()).append("\n");
            });
            child.tell(tick_tock{});
            if (b.bounces == i) return std::unexpected{failure{"no"}};
            return {};
          });
      for (int k = 0; k < 4; ++k)
        who.tell(ball{k});
    }
    world.run_for(1s);
  }
  return lines;
}

std::uint64_t counted_at_ns;  // when a record said how many others were left out

// spec: O6
TEST(simulation, logs_the_number_of_records_left_out_as_soon_as_the_interval_is_over) {
  counted_at_ns = 0;
  system_config config;
  config.log.sink = +[](const log_record& record) noexcept {
    if (record.text.starts_with("records left out")) counted_at_ns = record.time_ns;
  };
  simulation world{seed{1}, config};
  const auto gone = world.spawn("gone", [](tactor::context& ctx, ball) { ctx.stop(); });
  for (int i = 0; i < 100; ++i)
    gone.tell(ball{});
  ASSERT_TRUE(world.timers().schedule_at_fixed_rate(1s, 1s, [] {}).has_value());
  EXPECT_FALSE(world.run_until([] { return false; }, 1min));
  EXPECT_GT(counted_at_ns, 0u);
  EXPECT_LE(counted_at_ns, 11'000'000'000u);
}

// spec: K2a
TEST(simulation, names_actors_without_names_alike_in_equal_runs) {
  const std::string first = log_of_nameless_actors();
  EXPECT_NE(first.find("/user/$1"), std::string::npos) << first;
  simulation between{seed{1}};
  (void)between.spawn("", [](tactor::context&, ball) {});  // takes a slot
  EXPECT_EQ(log_of_nameless_actors(), first);
}

/// A dump of actors with and without names, which have children.
std::string dump_of_families() {
  struct text final : text_sink {
    void write(std::string_view part) noexcept override { whole += part; }
    std::string whole;
  } to;
  simulation world{seed{7}};
  for (const std::string_view name : {"one", "two", "", ""}) {
    const auto who = world.spawn(name, [](tactor::context& ctx, ball) {
      for (const std::string_view child : {"a", "b", "c"})
        (void)ctx.spawn(child, [](tactor::context&, ball) {});
    });
    who.tell(ball{});
  }
  std::vector<cancellable> held;
  const auto sink = world.spawn("sink", [](tactor::context&, ball) {});
  for (int i = 1; i <= 3; ++i)
    held.push_back(*world.schedule_once(i * 1s, sink, ball{}));
  for (int i = 1; i <= 3; ++i)
    EXPECT_TRUE(world.schedule_at_fixed_rate(10ms, i * 7ms, sink, ball{}).has_value());
  held.erase(held.begin());
  world.run_for(1500ms);
  world.dump(dump_format::json, to);
  return to.whole.substr(to.whole.find("\"actors\""));
}

// spec: K2a
TEST(simulation, dumps_actors_alike_in_equal_runs) {
  const std::string first = dump_of_families();
  EXPECT_NE(first.find("/user/$1/a"), std::string::npos) << first;
  simulation between{seed{1}};
  for (int i = 0; i < 5; ++i) {
    (void)between.spawn("", [](tactor::context&, ball) {});  // takes a slot
    EXPECT_EQ(dump_of_families(), first);
  }
}

/// The late actors in the report of a shutdown. There are more than it holds.
std::string late_actors() {
  simulation world{seed{7}};
  for (int i = 0; i < 5; ++i) {
    const auto suspended_one = [](tactor::context& own, ball) { (void)own.suspend(); };
    const auto who = world.spawn("parent", [suspended_one](tactor::context& ctx, ball) {
      for (int k = 0; k < 5; ++k) {
        const auto child = ctx.spawn("", suspended_one);
        child.tell(ball{});
        child.tell(ball{});
      }
      (void)ctx.suspend();
    });
    who.tell(ball{});
    who.tell(ball{});
  }
  world.run_to_idle();
  std::string all;
  const shutdown_report report = world.shutdown(1s);
  for (const late_actor& each : report.late())
    all.append(each.path.view()).append(" ");
  return all;
}

// spec: K2a
TEST(simulation, reports_late_actors_alike_in_equal_runs) {
  const std::string first = late_actors();
  EXPECT_TRUE(first.starts_with("/user/parent")) << first;
  simulation between{seed{1}};
  std::vector<actor_ref<ball>> some;
  for (int i = 0; i < 5; ++i) {
    some.push_back(between.spawn("", [](tactor::context&, ball) {}));  // takes a slot
    if (i == 3) between.stop(some[1]);
    between.run_to_idle();
    EXPECT_EQ(late_actors(), first);
  }
}

// spec: K2a S8
TEST(simulation, runs_callables_of_its_timers_too) {
  simulation world{seed{1}};
  int calls = 0;
  ASSERT_TRUE(world.timers().schedule_once(10ms, [&calls] { ++calls; }).has_value());
  world.run_for(20ms);
  EXPECT_EQ(calls, 1);
  ASSERT_TRUE(world.timers().schedule_once(10ms, [&calls] { ++calls; }).has_value());
  EXPECT_TRUE(world.run_until([&] { return calls == 2; }));
}

using simulation_death = ::testing::Test;

TEST_F(simulation_death, says_that_actors_keep_each_other_busy_for_ever) {
  simulation world{seed{1}};
  actor_ref<ball> self;
  self = world.spawn("self", [&self](tactor::context&, ball b) { self.tell(b); });
  self.tell(ball{});
  EXPECT_DEATH((void)world.run_to_idle(1000), "/user/self.*does not become idle");
  world.stop(self);
  world.run_to_idle();
}

/// Sends itself a message in every turn, much more often than is allowed, and tells another actor.
class busy : public actor<ball> {
public:
  explicit busy(actor_ref<tick_tock> whom) : whom_(whom) {}
  void receive(context& ctx, ball b) {
    whom_.tell(tick_tock{});
    if (b.bounces < 100'000) ctx.self().tell(ball{b.bounces + 1});
  }

private:
  actor_ref<tick_tock> whom_;
};

/// A world with a busy actor, and with a timer that is never due because no time passes.
struct busy_world : simulation {
  explicit busy_world(std::uint64_t from = 1) : simulation(seed{from}) {
    set_message_limit(10'000);
    const auto quiet = spawn("quiet", [](tactor::context&, tick_tock) {});
    spawn<busy>("busy", quiet).tell(ball{});
    EXPECT_TRUE(schedule_once(10ms, quiet, tick_tock{}).has_value());
  }
};

// spec: K2d
TEST_F(simulation_death, names_an_actor_that_is_always_ready_whatever_runs_it) {
  const char* const said = "/user/busy\n.*does not become idle, and no time passes";
  for (std::uint64_t from = 0; from < 8; ++from)
    EXPECT_DEATH((void)busy_world{from}.run_to_idle(), said) << from;
  EXPECT_DEATH(busy_world{}.run_for(1s), said);
  EXPECT_DEATH((void)busy_world{}.run_until([] { return false; }, 1s), said);
  EXPECT_DEATH(busy_world{}.clock().advance(1s), said);
  EXPECT_DEATH(busy_world{}.clock().jump(1s), said);
  EXPECT_DEATH((void)busy_world{}.clock().advance_to_next(), said);
  const auto asks = [](busy_world world) {
    auto silent = world.spawn_probe<quote>("silent");
    (void)world.ask(silent.ref(), quote{}, 1s).get();
  };
  EXPECT_DEATH(asks(busy_world{}), said);
  const auto expects = [](busy_world world) {
    world.spawn_probe<quote>("silent").expect_no_message();
  };
  EXPECT_DEATH(expects(busy_world{}), said);
}

// spec: K2d
TEST_F(simulation_death, ends_by_a_shutdown_or_its_destructor_while_an_actor_is_always_ready) {
  EXPECT_TRUE(busy_world{}.shutdown().complete);
  busy_world{}.run_one();
}

// spec: X2
TEST(simulation, reports_a_warning_also_if_no_timer_is_due_in_the_time_that_passes) {
  system_config config;
  config.scheduler.timing.overflow_capacity = 1;
  simulation world{seed{1}, config};
  std::vector<scheduler_event_kind> warned;
  const auto listener = world.spawn(
      "listener", [&](context&, const timer_warning& each) { warned.push_back(each.what.kind); });
  ASSERT_TRUE(world.events().subscribe<timer_warning>(listener));
  const auto low = world.timers().schedule_once(1h, [] {}, {.priority = timer_priority::low});
  world.run_for(10ms);
  EXPECT_EQ(warned, std::vector{scheduler_event_kind::overflow_near_capacity});
  warned.clear();
  ASSERT_TRUE(world.timers().schedule_once(1h, [] {}).has_value());
  world.run_for(10ms);
  EXPECT_TRUE(low->is_cancelled());
  EXPECT_EQ(warned, std::vector{scheduler_event_kind::dropped_low_priority});
}

TEST(simulation, counts_messages_anew_for_each_call_and_whenever_time_passes) {
  simulation world{seed{1}};
  world.set_message_limit(100);
  int left = 0;
  actor_ref<ball> self;
  self = world.spawn("self", [&](tactor::context&, ball b) {
    if (--left > 0) self.tell(b);
  });
  const auto again = [&] {
    left = 60;
    self.tell(ball{});
  };
  (void)world.run_to_idle();
  for (int i = 0; i < 3; ++i) {
    again();
    (void)world.run_to_idle();
    again();
    EXPECT_TRUE(world.run_until([&] { return left == 0; }));
  }
  ASSERT_TRUE(world.timers().schedule_at_fixed_rate(10ms, 10ms, again).has_value());
  world.run_for(100ms);
  EXPECT_FALSE(world.run_until([] { return false; }, 100ms));
  EXPECT_EQ(world.metrics().messages_handled, 26u * 60);
}

// A callable that makes the next one ready while no time passes.
TEST_F(simulation_death, says_that_callables_of_timers_keep_it_busy_for_ever) {
  struct chain {
    simulation* world;
    int left = 10'000;
    void operator()() const {
      if (left == 0) return;
      auto next =
          world->timers().schedule_once(1s, [] {}, {.on_cancelled = chain{world, left - 1}});
      if (next) (void)next->cancel();
    }
  };
  simulation world{seed{1}};
  world.set_message_limit(1000);
  EXPECT_DEATH((chain{&world}(), world.run_for(1s)), "does not become idle");
  EXPECT_DEATH((chain{&world}(), world.clock().advance(1s)), "does not become idle");
}

TEST_F(simulation_death, says_that_an_actor_stashes_again_what_it_unstashes) {
  simulation world{seed{1}};
  const auto hoarder = world.spawn("hoarder", [](tactor::context& ctx, ball b) {
    (void)ctx.stash(b);
    (void)ctx.unstash_all();
  });
  hoarder.tell(ball{});
  EXPECT_DEATH((void)world.run_to_idle(), "/user/hoarder.*stashes its messages again");
  world.stop(hoarder);
  (void)world.run_to_idle(1);
}

TEST_F(simulation_death, says_that_it_must_not_be_run_from_within_an_actor) {
  simulation world{seed{1}};
  const auto who = world.spawn("who", [&world](tactor::context&, ball) { (void)world.run_one(); });
  who.tell(ball{});
  EXPECT_DEATH((void)world.run_to_idle(), "a handler ran its simulation");
  world.stop(who);
}

// spec: A4
TEST_F(simulation_death, refuses_settings_that_cannot_work) {
  EXPECT_DEATH((simulation{seed{1}, {.max_actors = 0}}), "max_actors is 0, but must be at least 1");
  EXPECT_DEATH((simulation{seed{1}, {.scheduler = {.system_quota = 0}}}),
               "scheduler.system_quota is 0, but must be at least 1");
  EXPECT_DEATH((simulation{seed{1}, {.scheduler = {.system_quota = (1U << 26U) + 1}}}),
               "scheduler.system_quota is 67108865, but must be from 1 to 2\\^26");
  EXPECT_DEATH((simulation{seed{1}, {.scheduler = {.system_quota = ~std::size_t{0}}}}),
               "scheduler.system_quota is 9223372036854775807, but must be from 1 to 2\\^26");
}

// spec: S9
TEST_F(simulation_death, refuses_timers_with_options_that_do_not_exist) {
  simulation world{seed{1}};
  scheduler& timers = world.timers();
  constexpr auto nothing = [] {};
  const char* const said = "priority, at_shutdown and missed_runs";
  EXPECT_DEATH((void)timers.schedule_once(1s, nothing, {.priority = timer_priority{3}}), said);
  EXPECT_DEATH((void)timers.schedule_once(1s, nothing, {.at_shutdown = on_shutdown{2}}), said);
  EXPECT_DEATH(
      (void)timers.schedule_at_fixed_rate(1s, 1s, nothing, {.priority = timer_priority{3}}), said);
  EXPECT_DEATH((void)timers.schedule_at_fixed_rate(1s, 1s, nothing, {.missed_runs = missed{3}}),
               said);
  EXPECT_DEATH((void)timers.on_close(close_priority{3}, nothing), said);
}

// spec: K1 V1
TEST(simulation, decides_random_choices_of_the_runtime_by_its_seed) {
  const auto drawn = [](std::uint64_t from, std::uint64_t by_config) {
    simulation world{seed{from}, {.seed = by_config}};
    return world.core().next_random();
  };
  EXPECT_EQ(drawn(1, 0), drawn(1, 0));
  EXPECT_NE(drawn(1, 0), drawn(2, 0));
  EXPECT_EQ(drawn(1, 9), drawn(2, 9)) << "the settings say which";
}

struct draw {
  using reply = std::uint64_t;
};
struct dice : actor<draw> {
  std::uint64_t receive(context& ctx, draw) { return ctx.random(); }
};

// spec: A10g
TEST(simulation, decides_the_random_numbers_of_actors_by_its_seed) {
  const auto drawn = [](std::uint64_t from) {
    simulation world{seed{from}};
    const auto one = world.spawn<dice>("one");
    const auto other = world.spawn<dice>("other");
    const auto next = [&](const dice::ref& of) { return world.ask(of, draw{}, 1s).get().value(); };
    return std::vector{next(one), next(other), next(one)};
  };
  const auto first = drawn(1);
  EXPECT_EQ(first, drawn(1));
  EXPECT_NE(first, drawn(2));
  EXPECT_NE(first[0], first[1]);
  EXPECT_NE(first[0], first[2]);
}

struct nudge {};

/// Never starts.
class unable : public actor<nudge> {
public:
  unable() = default;
  explicit unable(std::vector<std::uint64_t>* attempts_ns) : attempts_ns_(attempts_ns) {}
  std::expected<void, failure> pre_start(context& ctx) {
    if (attempts_ns_ != nullptr) attempts_ns_->push_back(ctx.now_ns());
    return std::unexpected{failure{"not today"}};
  }
  void receive(context& /*ctx*/, nudge) {}

private:
  std::vector<std::uint64_t>* attempts_ns_ = nullptr;
};
/// Fails in its first message, which it sends itself.
class unlucky : public actor<nudge> {
public:
  void pre_start(context& ctx) { ctx.self().tell(nudge{}); }
  std::expected<void, failure> receive(context& /*ctx*/, nudge) {
    return std::unexpected{failure{"again"}};
  }
};

// spec: I1b
TEST(simulation, that_does_not_become_idle_names_the_last_failure_and_its_back_off) {
  simulation world{seed{1}};
  (void)world.spawn<unlucky>({.name = "unlucky", .on_failure = restart{.delay = {.min = 50ms}}});
  (void)world.run_to_idle();
  actor_ref<nudge> busy;
  busy = world.spawn("busy", [&busy](context&, nudge) { busy.tell(nudge{}); });
  busy.tell(nudge{});
  EXPECT_DEATH((void)world.run_to_idle(1000),
               "/user/busy, last failure: again, restarted after ms: 50.*does not become idle");
}

// spec: S5
TEST(simulation, frees_cancelled_timers_also_while_no_time_passes) {
  simulation world{seed{1}};
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(world.timers().schedule_once(1h, [] {})->cancel());
  EXPECT_TRUE(world.timers().has_commands());
  (void)world.run_to_idle();
  EXPECT_FALSE(world.timers().has_commands());
}

TEST(simulation_of_a_restart_loop, ends_the_program_and_names_the_actor) {
  const auto run = [](auto spawn, auto run_it) {
    simulation world{seed{1}};
    (void)world.spawn("idle", [](context&, nudge) {});
    spawn(world);
    run_it(world);
  };
  const auto unlucky_one = [](simulation& world) {
    (void)world.spawn<unlucky>({.name = "unlucky", .on_failure = restart{}});
  };
  const auto for_a_second = [](simulation& world) { world.run_for(1s); };
  const auto until = [](simulation& world) { (void)world.run_until([] { return false; }); };
  EXPECT_DEATH(run(unlucky_one, for_a_second),
               "/user/unlucky, last failure: again.*restarted again and again");
  EXPECT_DEATH(run(unlucky_one, until), "/user/unlucky.*restarted again and again");
}

// spec: V1
TEST(an_actor_that_never_starts, is_restarted_at_once_and_then_ever_later) {
  for (const supervision& how : {supervision{restart{}}, supervision{directive::resume}}) {
    simulation world{seed{1}};
    std::vector<std::uint64_t> attempts_ns;
    (void)world.spawn<unable>({.name = "unable", .on_failure = how}, &attempts_ns);
    (void)world.run_to_idle();
    ASSERT_EQ(attempts_ns.size(), 2u) << "the first restart is at once";
    EXPECT_EQ(attempts_ns[1], attempts_ns[0]);

    world.run_for(10s);

    std::vector<std::uint64_t> waits_ms;
    for (std::size_t i = 2; i < attempts_ns.size(); ++i)
      waits_ms.push_back((attempts_ns[i] - attempts_ns[i - 1]) / 1'000'000);
    ASSERT_GE(waits_ms.size(), 9u);
    waits_ms.resize(9);
    EXPECT_EQ(waits_ms, (std::vector<std::uint64_t>{10, 20, 40, 80, 160, 320, 640, 1000, 1000}));
  }
}

/// Fails in its first message, which comes a moment later at one of many attempts.
class stumbling : public actor<nudge> {
public:
  explicit stumbling(int* const& attempts) : attempts_(attempts) {}
  void pre_start(context& ctx) {
    if (++*attempts_ % 60'000 != 0) {
      ctx.self().tell(nudge{});
    } else {
      (void)ctx.schedule_once(1ms, ctx.self(), nudge{});
    }
  }
  std::expected<void, failure> receive(context& /*ctx*/, nudge) {
    return std::unexpected{failure{"again"}};
  }

private:
  int* attempts_;
};

TEST(simulation_of_a_restart_loop, goes_on_while_time_passes) {
  simulation world{seed{1}};
  int attempts = 0;
  (void)world.spawn<stumbling>({.on_failure = restart{}}, &attempts);
  EXPECT_TRUE(world.run_until([&] { return attempts > 300'000; }));
}

/// Counts what it handles.
class counting : public actor<nudge> {
public:
  explicit counting(int* const& to) : to_(to) {}
  void receive(context& /*ctx*/, nudge) { ++*to_; }

private:
  int* to_;
};

class simulation_end : public ::testing::Test {
protected:
  counting::ref spawn(std::string_view name) { return world.spawn<counting>(name, &handled); }
  int handled = 0;
  simulation world{seed{2}};
};

// spec: A2d
TEST_F(simulation_end, by_a_shutdown_lets_actors_handle_what_is_queued) {
  const auto who = spawn("who");
  for (int i = 0; i < 3; ++i)
    who.tell(nudge{});
  const shutdown_report report = world.shutdown();
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.took, duration{});
  EXPECT_EQ(report.left, 0u);
  EXPECT_EQ(report.exit_status(), 0);
  EXPECT_EQ(handled, 3);
  EXPECT_EQ(who.tell(nudge{}), tell_result::closed);
  EXPECT_FALSE(world.try_spawn<counting>("late", &handled).has_value());
  EXPECT_TRUE(world.shutdown().complete);
}

// spec: A2d
TEST_F(simulation_end, by_a_shutdown_takes_the_virtual_time_that_actors_need) {
  const auto who = spawn("who");
  ASSERT_TRUE(world.suspend(who, suspend_reason::rate_limit, resume_after(2s)));
  who.tell(nudge{});
  const shutdown_report report = world.shutdown(5s);
  EXPECT_TRUE(report.complete);
  EXPECT_GE(report.took, duration{2s});
  EXPECT_LT(report.took, duration{3s});
  EXPECT_EQ(handled, 1);
}

TEST_F(simulation_end, by_a_shutdown_names_the_actors_suspended_at_the_deadline) {
  const auto asleep = spawn("asleep");
  ASSERT_TRUE(world.suspend(asleep));
  asleep.tell(nudge{});
  const shutdown_report report = world.shutdown(2s);
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(report.took, duration{2s});
  EXPECT_EQ(report.left, 0u);
  EXPECT_EQ(report.exit_status(), 2);
  ASSERT_EQ(report.late().size(), 1u);
  EXPECT_EQ(report.late()[0].path.view(), "/user/asleep");
  EXPECT_TRUE(report.late()[0].suspended);
  EXPECT_EQ(handled, 0);
  EXPECT_EQ(world.metrics().all_dead_letters(), 1u);
  EXPECT_EQ(world.shutdown().late().size(), 1u) << "there is one report";
}

TEST_F(simulation_end, by_a_shutdown_runs_the_close_tasks) {
  std::string order;
  ASSERT_TRUE(world.timers().on_close(close_priority::user, [&order] { order += "user "; }));
  ASSERT_TRUE(world.timers().on_close(close_priority::critical, [&order] {
    order += "critical ";
    return std::expected<void, int>{std::unexpected{1}};
  }));
  ASSERT_TRUE(world.timers().schedule_once(1h, [&order] { order += "timer "; },
                                           {.at_shutdown = on_shutdown::run}));
  const shutdown_report report = world.shutdown();
  EXPECT_EQ(order, "critical timer user ");
  EXPECT_EQ(report.tasks_run, 2u);
  EXPECT_EQ(report.tasks_failed, 1u);
  EXPECT_EQ(report.tasks_late, 0u);
}

// spec: S12
TEST_F(simulation_end, by_a_shutdown_reports_close_tasks_that_return_after_the_deadline) {
  std::vector<duration> ran;
  const auto add = [&](close_priority when, duration takes) {
    ASSERT_TRUE(world.timers().on_close(when, [this, &ran, takes] {
      ran.push_back(takes);
      world.clock().advance(takes);
    }));
  };
  add(close_priority::critical, 4s);
  add(close_priority::system, 2s);  // late
  add(close_priority::user, 10ms);  // has some time nevertheless
  add(close_priority::user, 1s);    // late, too
  const shutdown_report report = world.shutdown(5s);
  EXPECT_EQ(ran, (std::vector<duration>{4s, 2s, 10ms, 1s}));
  EXPECT_EQ(report.tasks_run, 2u);
  EXPECT_EQ(report.tasks_failed, 0u);
  EXPECT_EQ(report.tasks_late, 2u);
  EXPECT_EQ(world.timers().metrics().warnings_total, 2u);
}

// spec: V4
TEST_F(simulation_end, by_a_failure_past_the_root_is_reported_with_its_cause) {
  const auto who = world.spawn<unlucky>({.name = "vital", .on_failure = directive::escalate});
  world.run_to_idle();
  const shutdown_report report = world.shutdown();
  ASSERT_TRUE(report.cause.has_value());
  EXPECT_EQ(report.cause->path.view(), "/user/vital");
  EXPECT_EQ(report.exit_status(), 1);
  EXPECT_EQ(who.tell(nudge{}), tell_result::closed);
}

// spec: A2d
TEST_F(simulation_end, does_not_wait_for_restarts) {
  (void)world.spawn<unable>(
      {.name = "waiting", .on_failure = restart{.delay = {.min = 1h, .max = 1h}}});
  world.run_to_idle();
  const shutdown_report report = world.shutdown();
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.took, duration{});
}

// spec: A2d
TEST_F(simulation_end, by_a_drain_can_be_run_step_by_step) {
  const auto who = spawn("who");
  who.tell(nudge{});
  world.begin_drain();
  EXPECT_FALSE(world.try_spawn<counting>("late", &handled).has_value());
  world.run_to_idle();
  EXPECT_EQ(handled, 1);
  EXPECT_EQ(world.live(), 0u);
}

}  // namespace
}  // namespace tactor::testkit
