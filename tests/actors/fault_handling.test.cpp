// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/behaviour.hpp"
#include "tactor/core/actor/definition/decide_by.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/dispatch/suspend_reason.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/log_sink.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct bad_reading : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ping {
  using reply = int;
};
struct die {
  int code = 0;
  bool thrown = false;
  bool stops = false;
  bool drains = false;
};

/// Records what happened to the instances of an actor, in order.
struct trace {
  simulation* world = nullptr;
  std::vector<std::uint64_t> made_ns;
  int gone = 0;
};

class mortal : public actor<ping, die> {
public:
  explicit mortal(trace* const& to) : to_(to) { to_->made_ns.push_back(to_->world->now_ns()); }
  mortal(const mortal&) = delete;
  mortal& operator=(const mortal&) = delete;
  ~mortal() { ++to_->gone; }
  int receive(context& /*ctx*/, ping) { return ++pings_; }
  std::expected<void, failure> receive(context& ctx, die d) {
    if (d.stops) ctx.stop();
    if (d.drains) ctx.drain();
    if (d.thrown) throw bad_reading("out of range");
    return std::unexpected{failure{"no item", d.code}};
  }

private:
  trace* to_;
  int pings_ = 0;
};

/// Records the whole log.
struct log_book {
  struct line {
    log_level level{};
    log_kind kind{};
    std::string actor;
    std::string text;
    std::map<std::string, std::string> fields;
  };
  [[nodiscard]] log_sink sink() { return {take, this}; }
  static void take(void* self, const log_record& record) noexcept {
    line made{.level = record.level,
              .kind = record.kind,
              .actor = std::string{record.actor},
              .text = std::string{record.text},
              .fields = {}};
    for (const log_field& each : record.fields)
      made.fields[std::string{each.name()}] =
          each.is_number() ? std::to_string(each.number()) : std::string{each.text()};
    static_cast<log_book*>(self)->lines.push_back(made);
  }
  std::vector<line> lines;
};

void ignore_record(void* /*self*/, const log_record& /*record*/) noexcept {}

class restarting : public ::testing::Test {
protected:
  restarting() : world{seed{3}, {.seed = 3, .log = {.sink = book.sink()}}} { life.world = &world; }

  mortal::ref spawn(const supervision& how) {
    return world.spawn<mortal>({.name = "who", .on_failure = how}, &life);
  }
  /// The reason for which the system stopped.
  root_failure cause() {
    const auto found = world.core().cause();
    EXPECT_TRUE(found.has_value());
    return found.value_or(root_failure{});
  }
  int pings(const mortal::ref& who) { return world.ask(who, ping{}, 1s).get().value_or(0); }

  trace life;
  log_book book;
  simulation world;
};
using a_supervised_actor = restarting;

// spec: V1
// case: SV-06
TEST_F(a_supervised_actor, with_two_restarts_in_a_second_stops_at_the_third_failure_inside) {
  const auto who = spawn(restart{.max_restarts = 2, .within = 1s});
  for (int i = 0; i < 2; ++i) {
    who.tell(die{});
    world.run_for(400ms);
    EXPECT_EQ(pings(who), 1);
  }
  who.tell(die{});
  world.run_to_idle();
  EXPECT_EQ(world.live(), 0u);
  EXPECT_EQ(life.made_ns.size(), 3u);
}

// spec: V1
// case: SV-06
TEST_F(a_supervised_actor, with_two_restarts_in_a_second_goes_on_for_ever_outside) {
  const auto who = spawn(restart{.max_restarts = 2, .within = 1s});
  for (int i = 0; i < 20; ++i) {
    who.tell(die{});
    world.run_for(600ms);
    EXPECT_EQ(pings(who), 1) << i;
  }
  EXPECT_EQ(life.made_ns.size(), 21u);
}

// spec: V1
// case: SV-15
TEST_F(a_supervised_actor, waits_longer_for_each_restart_and_less_after_a_quiet_period) {
  const auto who = spawn(restart{.delay = {.min = 10ms, .max = 50ms, .reset_after = 200ms}});
  world.run_to_idle();
  std::vector<std::uint64_t> waited_ms;
  const auto fail_once = [&] {
    const std::size_t before = life.made_ns.size();
    const std::uint64_t failed_ns = world.now_ns();
    who.tell(die{});
    ASSERT_TRUE(world.run_until([&] { return life.made_ns.size() > before; }));
    waited_ms.push_back((life.made_ns.back() - failed_ns) / 1'000'000);
  };
  for (int i = 0; i < 5; ++i)
    fail_once();
  world.run_for(250ms);
  fail_once();
  const std::vector<std::uint64_t> expected{10, 20, 40, 50, 50, 10};
  ASSERT_EQ(waited_ms.size(), expected.size());
  const std::uint64_t tick_ms = 10;  // never early, and at most a tick late
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_GE(waited_ms[i], expected[i]) << i;
    EXPECT_LE(waited_ms[i], expected[i] + tick_ms) << i;
  }
}

// spec: V1
// case: SV-15
TEST_F(a_supervised_actor, waits_with_jitter_that_depends_on_the_seed_of_the_system_alone) {
  const auto waits = [](std::uint64_t from) {
    trace own;
    simulation its{seed{1}, {.seed = from, .log = {}}};
    own.world = &its;
    const auto who = its.spawn<mortal>(
        {.on_failure = restart{.delay = {.min = 1s, .max = 1s, .jitter_percent = 50}}}, &own);
    for (int i = 0; i < 8; ++i)
      who.tell(die{});
    its.run_for(1min);
    EXPECT_EQ(own.made_ns.size(), 9u);
    for (std::size_t i = 1; i < own.made_ns.size(); ++i) {
      EXPECT_GE(own.made_ns[i] - own.made_ns[i - 1], 1'000'000'000U);
      EXPECT_LE(own.made_ns[i] - own.made_ns[i - 1], 1'510'000'000U);
    }
    return own.made_ns;
  };
  EXPECT_EQ(waits(1), waits(1));
  EXPECT_NE(waits(1), waits(2));
}

// spec: V1
TEST_F(a_supervised_actor, that_waits_has_one_timer_which_ends_with_it) {
  const auto who = spawn(restart{.delay = {.min = 1h, .max = 1h}});
  who.tell(die{});
  world.run_to_idle();
  EXPECT_EQ(life.gone, 1) << "the old instance does not wait for the new one";
  EXPECT_EQ(world.timers().metrics().active_total, 1u);
  world.stop(who);
  world.run_for(1ms);
  EXPECT_EQ(world.live(), 0u);
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
}

// spec: V4
TEST_F(a_supervised_actor, that_returned_a_failure_is_logged_with_all_that_is_known) {
  const auto who = spawn(restart{});
  who.tell(die{.code = 3});
  who.tell(die{.code = 7});
  world.run_to_idle();
  ASSERT_EQ(book.lines.size(), 2u);
  log_book::line& line = book.lines[1];
  EXPECT_EQ(line.level, log_level::error);
  EXPECT_EQ(line.kind, log_kind::failure);
  EXPECT_EQ(line.actor, "/user/who");
  EXPECT_EQ(line.text, "no item");
  EXPECT_NE(line.fields["type"].find("mortal"), std::string::npos);
  EXPECT_NE(line.fields["message"].find("die"), std::string::npos);
  EXPECT_EQ(line.fields["code"], "7");
  EXPECT_NE(line.fields["file"].find("fault_handling.test.cpp"), std::string::npos);
  EXPECT_NE(line.fields["line"], "0");
  EXPECT_EQ(line.fields["restarts"], "1");
  EXPECT_EQ(line.fields["decided"], "restart");
  EXPECT_EQ(line.fields["thrown"], "");
}

// spec: V4
TEST_F(a_supervised_actor, that_threw_is_logged_with_the_type_and_what_it_said) {
  auto events = world.spawn_probe<actor_failed>("events");
  world.events().subscribe<actor_failed>(events.ref());
  const auto who = spawn(directive::resume);
  who.tell(die{.thrown = true});
  world.run_to_idle();
  ASSERT_EQ(book.lines.size(), 1u);
  log_book::line& line = book.lines[0];
  EXPECT_EQ(line.text, "out of range");
  EXPECT_NE(line.fields["thrown"].find("bad_reading"), std::string::npos) << line.fields["thrown"];
  EXPECT_EQ(line.fields["decided"], "resume");
  const auto event = events.expect<actor_failed>();
  EXPECT_EQ(event.who, who);
  EXPECT_NE(event.thrown.view().find("bad_reading"), std::string_view::npos);
  EXPECT_EQ(event.decided, directive::resume);
}

/// Fails in its handler, and again in the hook of its restart.
struct fails_in_a_hook : actor<die> {
  void pre_restart(context& /*ctx*/, const failure& /*why*/) { throw bad_reading("in the hook"); }
  std::expected<void, failure> receive(context& /*ctx*/, die) {
    return std::unexpected{failure{"no item"}};
  }
};

// spec: V2a V4
TEST_F(a_supervised_actor, whose_restart_hook_fails_is_reported_as_restarted) {
  auto events = world.spawn_probe<actor_failed>("events");
  world.events().subscribe<actor_failed>(events.ref());
  const auto who = world.spawn<fails_in_a_hook>({.name = "who", .on_failure = restart{}});
  who.tell(die{});
  world.run_to_idle();
  EXPECT_EQ(world.metrics().restarts, 1u);
  ASSERT_EQ(book.lines.size(), 2u);
  EXPECT_EQ(book.lines[1].text, "in the hook");
  EXPECT_EQ(book.lines[1].fields["decided"], "restart");
  EXPECT_EQ(book.lines[1].fields["because"], "in a hook");
  EXPECT_EQ(book.lines[1].fields["restarts"], "0");
  EXPECT_EQ(events.expect<actor_failed>().decided, directive::restart);
  EXPECT_EQ(events.expect<actor_failed>().decided, directive::restart);
}

// spec: V2a V4
TEST_F(a_supervised_actor, without_a_strategy_whose_restart_hook_fails_is_reported_as_restarted) {
  const supervision together = restart{.scope = failure_scope::all_for_one};
  const auto first = world.spawn<mortal>({.on_failure = together}, &life);
  (void)world.spawn<fails_in_a_hook>({.name = "second"});
  first.tell(die{});
  world.run_to_idle();
  EXPECT_EQ(world.metrics().restarts, 2u);
  ASSERT_EQ(book.lines.size(), 2u);
  EXPECT_EQ(book.lines[1].actor, "/user/second");
  EXPECT_EQ(book.lines[1].fields["decided"], "restart");
  EXPECT_EQ(book.lines[1].fields["restarts"], "0");
}

// spec: V2a V4
TEST_F(a_supervised_actor, that_restarts_with_its_parent_is_reported_as_restarted) {
  struct parent : actor<die> {
    explicit parent(bool* const& first) : first_(first) {}
    void pre_start(context& ctx) {
      if (!std::exchange(*first_, false)) return;
      ctx.spawn<fails_in_a_hook>({.name = "child", .on_failure = directive::escalate}).tell(die{});
    }
    void receive(context& /*ctx*/, die) {}
    bool* first_;
  };
  bool first = true;
  (void)world.spawn<parent>({.name = "who", .on_failure = restart{.keep_children = true}}, &first);
  world.run_to_idle();
  EXPECT_EQ(world.metrics().restarts, 2u);
  ASSERT_EQ(book.lines.size(), 3u);
  EXPECT_EQ(book.lines[0].fields["decided"], "escalate");
  EXPECT_EQ(book.lines[2].text, "in the hook");
  EXPECT_EQ(book.lines[2].fields["decided"], "restart");
  EXPECT_EQ(book.lines[2].fields["restarts"], "0");
}

// spec: V1 V4
TEST_F(a_supervised_actor, that_fails_while_it_stops_is_not_judged) {
  const auto stopping = spawn(restart{});
  stopping.tell(die{.stops = true});
  world.run_to_idle();
  const auto draining = spawn(restart{});
  draining.tell(die{});
  world.drain(draining);
  world.run_to_idle();
  EXPECT_EQ(world.live(), 0u);
  EXPECT_EQ(world.metrics().restarts, 0u);
  EXPECT_EQ(world.metrics().failures, 2u);
  ASSERT_EQ(book.lines.size(), 2u);
  EXPECT_EQ(book.lines[0].fields["decided"], "stop");
  EXPECT_EQ(book.lines[1].fields["decided"], "stop");
}

// spec: V1 A2d
TEST_F(a_supervised_actor, that_is_resumed_handles_what_is_queued_before_it_stops) {
  const auto who = spawn(directive::resume);
  who.tell(die{});
  auto first = world.ask(who, ping{}, 1s);
  who.tell(die{.thrown = true});
  auto second = world.ask(who, ping{}, 1s);
  world.drain(who);
  world.run_to_idle();
  EXPECT_EQ(std::move(first).get().value_or(0), 1);
  EXPECT_EQ(std::move(second).get().value_or(0), 2);
  EXPECT_EQ(world.live(), 0u);
  EXPECT_EQ(world.metrics().failures, 2u);
  EXPECT_EQ(world.metrics().all_dead_letters(), 0u);
}

// spec: A2d V1
TEST_F(a_supervised_actor, that_waits_for_its_restart_ends_at_once_when_it_drains) {
  const auto who = spawn(restart{.delay = {.min = 1h, .max = 1h}});
  who.tell(die{});
  who.tell(ping{});
  world.run_to_idle();
  EXPECT_EQ(world.live(), 1u);
  world.drain(who);
  world.run_to_idle();
  EXPECT_EQ(world.live(), 0u);
  EXPECT_EQ(life.made_ns.size(), 1u);
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::stopped), 1u);
  world.run_for(1ms);
  EXPECT_EQ(world.timers().metrics().active_total, 0u);
}

// spec: A2d V1
TEST_F(a_supervised_actor, that_waits_for_its_children_ends_when_it_drains) {
  struct parent : actor<die> {
    explicit parent(trace* const& to) : to_(to) {}
    void pre_start(context& ctx) { (void)ctx.spawn<mortal>("child", to_); }
    void pre_restart(context& ctx, const failure& /*why*/) {
      ctx.stop_children();
      ctx.drain();
    }
    std::expected<void, failure> receive(context& /*ctx*/, die) {
      return std::unexpected{failure{"no item"}};
    }
    trace* to_;
  };
  const auto who = world.spawn<parent>({.name = "who", .on_failure = restart{}}, &life);
  who.tell(die{});
  who.tell(die{});
  world.run_to_idle();
  EXPECT_EQ(world.live(), 0u);
  EXPECT_EQ(life.made_ns.size(), 1u) << "there was no second instance";
  EXPECT_EQ(world.metrics().failures, 1u);
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::stopped), 1u);
}

/// Has a child that fails with this strategy, and waits for ever if that failure is escalated.
struct superior : actor<die> {
  explicit superior(trace* const& to, supervision how) : to_(to), how_(how) {}
  void pre_start(context& ctx) {
    child_ = ctx.spawn<mortal>({.name = "child", .on_failure = how_}, to_);
  }
  void receive(context& /*ctx*/, die d) { child_.tell(d); }
  trace* to_;
  supervision how_;
  mortal::ref child_;
};

// spec: A2d V1
TEST_F(a_supervised_actor, whose_failure_was_escalated_ends_at_once_when_it_drains) {
  const auto who = world.spawn<superior>(
      {.name = "who",
       .on_failure = restart{.delay = {.min = 1h, .max = 1h}, .keep_children = true}},
      &life, supervision{directive::escalate});
  who.tell(die{});
  world.run_to_idle();
  const auto child = world.find<ping>("who/child");
  ASSERT_TRUE(child);
  child.tell(ping{});
  world.drain(child);
  world.run_to_idle();
  EXPECT_FALSE(world.find<ping>("who/child"));
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::stopped), 1u);
  EXPECT_EQ(world.live(), 1u) << "its parent waits";
}

// spec: A2d V1
TEST_F(a_supervised_actor, that_drains_before_its_parent_resumes_it_handles_what_is_queued) {
  (void)world.spawn<superior>("who", &life, supervision{directive::resume});
  world.run_to_idle();
  const auto child = world.find<ping, die>("who/child");
  child.tell(die{});
  auto answer = world.ask(child, ping{}, 1s);
  ASSERT_TRUE(world.run_until([&] { return world.metrics().failures == 1; }));
  world.drain(child);
  EXPECT_EQ(std::move(answer).get().value_or(0), 1);
  world.run_to_idle();
  EXPECT_EQ(world.live(), 1u);
  EXPECT_EQ(world.metrics().all_dead_letters(), 0u);
}

// spec: A2d V1
TEST_F(a_supervised_actor, that_its_drained_parent_resumes_handles_what_is_queued) {
  const auto who = world.spawn<superior>("who", &life, supervision{directive::resume});
  world.run_to_idle();
  const auto child = world.find<ping, die>("who/child");
  child.tell(die{});
  auto answer = world.ask(child, ping{}, 1s);
  ASSERT_TRUE(world.run_until([&] { return world.metrics().failures == 1; }));
  // As if the parent had drained on another thread while the child failed.
  enter_stage(*who.slot(), lifecycle_stage::stopping);
  world.drain(child);
  EXPECT_EQ(std::move(answer).get().value_or(0), 1);
  world.run_to_idle();
  EXPECT_EQ(world.live(), 0u);
  EXPECT_EQ(world.metrics().all_dead_letters(), 0u);
}

// spec: A2d V1
TEST_F(a_supervised_actor, that_fails_between_the_request_to_drain_and_the_drain_may_go_on) {
  (void)world.spawn<superior>("who", &life, supervision{directive::resume});
  world.run_to_idle();
  const auto child = world.find<ping, die>("who/child");
  child.tell(die{.drains = true});
  auto answer = world.ask(child, ping{}, 1s);
  EXPECT_EQ(std::move(answer).get().value_or(0), 1);
  world.run_to_idle();
  EXPECT_EQ(world.live(), 1u);
  EXPECT_EQ(world.metrics().failures, 1u);
  EXPECT_EQ(world.metrics().suspensions, 0u) << "its parent, which may wait for it, is not asked";
}

// spec: A2d V4
TEST_F(a_supervised_actor, that_fails_between_the_request_to_drain_and_the_drain_is_not_restarted) {
  const auto who = spawn(restart{});
  who.tell(die{.drains = true});
  who.tell(ping{});
  world.run_to_idle();
  EXPECT_EQ(world.live(), 0u);
  EXPECT_EQ(world.metrics().restarts, 0u);
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::stopped), 1u);
  ASSERT_FALSE(book.lines.empty());
  EXPECT_EQ(book.lines[0].fields["decided"], "stop");
}

// spec: V4
TEST_F(a_supervised_actor, that_fails_while_it_drains_has_not_been_restarted) {
  std::vector<actor_failed> told;
  const auto listener =
      world.spawn("listener", [&](context&, const actor_failed& event) { told.push_back(event); });
  world.events().subscribe<actor_failed>(listener);
  const auto who = spawn(restart{});
  world.run_to_idle();
  who.tell(die{});
  world.drain(who);
  world.run_to_idle();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].decided, directive::stop);
  EXPECT_EQ(told[0].restarts, 0u);
}

// spec: A2d V1
TEST_F(a_supervised_actor, whose_sibling_is_restarted_with_it_drains_instead) {
  const supervision together = restart{.scope = failure_scope::all_for_one};
  const auto first = world.spawn<mortal>({.on_failure = together}, &life);
  const auto second = world.spawn<mortal>({.on_failure = together}, &life);
  world.run_to_idle();
  auto answer = world.ask(second, ping{}, 1s);
  world.drain(second);
  first.tell(die{});
  world.run_to_idle();
  EXPECT_EQ(std::move(answer).get().value_or(0), 1);
  EXPECT_EQ(world.live(), 1u);
  EXPECT_EQ(life.made_ns.size(), 3u);
}

// spec: V4
TEST_F(a_supervised_actor, that_failed_too_often_is_logged_with_the_reason) {
  const auto who = spawn(restart{.max_restarts = 1});
  who.tell(die{});
  who.tell(die{});
  world.run_to_idle();
  ASSERT_EQ(book.lines.size(), 2u);
  EXPECT_EQ(book.lines[0].fields["because"], "");
  EXPECT_EQ(book.lines[1].fields["decided"], "stop");
  EXPECT_NE(book.lines[1].fields["because"].find("max_restarts"), std::string::npos);
}

// spec: V4
TEST_F(a_supervised_actor, that_escalates_past_the_root_says_so_and_stops_the_system_once) {
  const auto who = spawn(directive::escalate);
  who.tell(die{.code = 9});
  who.tell(die{.code = 10});
  world.run_to_idle();
  EXPECT_EQ(world.live(), 0u);
  EXPECT_EQ(world.core().now_in(), system_core::phase::stopped);
  const root_failure found = cause();
  EXPECT_EQ(found.why.code(), 9);
  EXPECT_EQ(found.path.view(), "/user/who");
  EXPECT_NE(found.message_type.find("die"), std::string_view::npos);
  std::size_t said = 0;
  for (const auto& line : book.lines)
    said += line.text.find("past the root") != std::string::npos ? 1U : 0U;
  EXPECT_EQ(said, 1u);
  EXPECT_EQ(world.metrics().failures, 1u);
}

// spec: V4
TEST_F(a_supervised_actor, leaves_no_cause_when_the_system_stops_because_it_was_asked_to) {
  const auto who = spawn(restart{});
  who.tell(die{});
  world.run_to_idle();
  world.begin_stop();
  world.run_to_idle();
  EXPECT_FALSE(world.core().cause());
}

// spec: V1
TEST_F(a_supervised_actor, is_not_made_with_a_strategy_that_makes_no_sense) {
  auto refusals = world.spawn_probe<spawn_refused>("refusals");
  world.events().subscribe<spawn_refused>(refusals.ref());
  const std::vector<supervision> wrong{
      restart{.within = 0s},
      restart{.within = -1s},
      restart{.delay = {.min = 10ms, .max = 9ms}},
      restart{.delay = {.min = -1ms}},
      restart{.delay = {.jitter_percent = 101}},
      decide_by([](const failure&) { return directive::stop; }, {.within = 0s})};
  for (const supervision& how : wrong) {
    const auto made = world.try_spawn<mortal>({.name = "who", .on_failure = how}, &life);
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error(), spawn_error::strategy_invalid);
    EXPECT_EQ(refusals.expect<spawn_refused>().why, spawn_error::strategy_invalid);
    EXPECT_TRUE(book.lines.empty()) << "the caller has the error";
    (void)world.spawn<mortal>({.name = "who", .on_failure = how}, &life);
    EXPECT_EQ(refusals.expect<spawn_refused>().why, spawn_error::strategy_invalid);
    ASSERT_FALSE(book.lines.empty());
    EXPECT_NE(book.lines.back().text.find("on_failure"), std::string::npos);
    EXPECT_NE(book.lines.back().text.find("restart.within"), std::string::npos);
    book.lines.clear();
  }
  EXPECT_EQ(world.live(), 1u);
  EXPECT_TRUE(life.made_ns.empty());
}

struct cycle {
  static decision left(const failure& why);
  static decision right(const failure& why);
};
constexpr supervision goes_left = decide_by([](const failure& why) { return cycle::left(why); });
constexpr supervision goes_right = decide_by([](const failure& why) { return cycle::right(why); });
decision cycle::left(const failure& /*why*/) {
  return goes_right;
}
decision cycle::right(const failure& /*why*/) {
  return goes_left;
}

// spec: V1 V4
TEST_F(a_supervised_actor, whose_strategies_delegate_in_a_cycle_is_escalated_with_advice) {
  const auto who = spawn(goes_left);
  who.tell(die{});
  world.run_to_idle();
  EXPECT_EQ(world.live(), 0u);
  ASSERT_FALSE(book.lines.empty());
  EXPECT_EQ(book.lines[0].fields["decided"], "escalate");
  EXPECT_NE(book.lines[0].fields["because"].find("let one return a directive"), std::string::npos);
  const root_failure found = cause();
  EXPECT_EQ(found.why.text(), "no item");
}

// spec: V4
TEST_F(a_supervised_actor, whose_decider_throws_at_the_root_stops_the_system_with_that) {
  const auto who =
      spawn(decide_by([](const failure&) -> decision { throw bad_reading("decider"); }));
  who.tell(die{});
  world.run_to_idle();
  EXPECT_EQ(world.live(), 0u);
  const root_failure found = cause();
  EXPECT_EQ(found.why.text(), "decider");
  EXPECT_TRUE(found.why.from() == failure::origin::thrown);
}

// spec: P2 I3
TEST_F(a_supervised_actor, is_suspended_for_its_failure_until_it_is_restarted) {
  auto events = world.spawn_probe<actor_suspended, actor_resumed, actor_restarted>("events");
  world.events().subscribe<actor_suspended>(events.ref());
  world.events().subscribe<actor_resumed>(events.ref());
  world.events().subscribe<actor_restarted>(events.ref());
  const auto who = spawn(restart{.delay = {.min = 100ms, .max = 100ms}});
  who.tell(die{});
  auto answer = world.ask(who, ping{}, 10s);
  world.run_for(50ms);
  const auto suspended = events.expect<actor_suspended>(0ms);
  EXPECT_EQ(suspended.who, who);
  EXPECT_TRUE(suspended.reasons.has(suspend_reason::failure));
  EXPECT_EQ(life.gone, 1);
  EXPECT_EQ(std::move(answer).get().value_or(0), 1);
  EXPECT_EQ(events.expect<actor_restarted>(0ms).restarts, 1u);
  EXPECT_EQ(events.expect<actor_resumed>(0ms).who, who);
  EXPECT_EQ(world.metrics().suspensions, 1u);
  EXPECT_EQ(world.metrics().resumes, 1u);
  EXPECT_EQ(world.metrics().restarts, 1u);
}

/// Never starts.
class stillborn : public actor<ping> {
public:
  explicit stillborn(int* attempts) : attempts_(attempts) {}
  std::expected<void, failure> pre_start(context& /*ctx*/) {
    ++*attempts_;
    return std::unexpected{failure{"not today"}};
  }
  int receive(context& /*ctx*/, ping) { return *attempts_; }

private:
  int* attempts_;
};

// spec: V1 D3
TEST(supervised, an_actor_whose_restarts_keep_failing_lets_others_run_and_can_be_stopped) {
  simulation world{seed{1}};
  int attempts = 0;
  const auto who = world.spawn<stillborn>({.on_failure = restart{}}, &attempts);
  world.run_to_idle(100);
  EXPECT_EQ(attempts, 2) << "the first restart is at once";
  world.run_for(1s);
  EXPECT_GT(attempts, 6);
  EXPECT_LT(attempts, 12) << "and the next ever later";
  world.stop(who);
  world.run_to_idle(100);
  EXPECT_EQ(world.live(), 0u);
}

// spec: A2d V1
TEST(supervised, an_actor_whose_restarts_keep_failing_can_be_drained) {
  simulation world{seed{1}};
  int attempts = 0;
  const auto who = world.spawn<stillborn>({.on_failure = restart{}}, &attempts);
  EXPECT_TRUE(world.run_one());
  who.tell(ping{});
  world.drain(who);
  ASSERT_TRUE(world.run_until([&] { return world.live() == 0 || attempts > 100'000; }));
  EXPECT_EQ(world.live(), 0u);
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::stopped), 1u);
}

/// The top of a line of descendants; the lowest fails when all are there.
class descendant : public actor<ping> {
public:
  explicit descendant(int below) : below_(below) {}
  void pre_start(context& ctx) {
    const spawn_options escalates{.on_failure = directive::escalate};
    if (below_ == 0) {
      ctx.self().tell(ping{});
    } else {
      (void)ctx.spawn<descendant>(escalates, below_ - 1);
    }
  }
  std::expected<int, failure> receive(context& /*ctx*/, ping) {
    if (below_ == 0) return std::unexpected{failure{"deep"}};
    return below_;
  }

private:
  int below_;
};

// spec: V1 V4
TEST(supervised, a_failure_escalates_from_any_depth_in_linear_time) {
  constexpr int levels = 100'000;
  simulation world{seed{1}};
  int failed = 0;
  std::string last;
  const auto counter = world.spawn("counter", [&](context&, const actor_failed& event) {
    ++failed;
    last = event.path.view();
  });
  ASSERT_TRUE(world.events().subscribe<actor_failed>(counter));
  (void)world.spawn<descendant>({.name = "top", .on_failure = directive::stop}, levels - 1);
  (void)world.run_to_idle();
  EXPECT_EQ(failed, levels);
  EXPECT_EQ(last, "/user/top");
  EXPECT_EQ(world.live(), 1u);
}

// spec: V4
TEST_F(a_supervised_actor, with_a_long_path_is_named_by_its_end) {
  const auto path_of = [&](const actor_ref<>& who) {
    event_text text;
    world.core().write_path(text, *who.slot());
    event_text found;
    world.core().write_path(found, who.index());
    EXPECT_EQ(text.view(), found.view());
    return std::string{text.view()};
  };
  struct folder : actor<die> {
    explicit folder(std::string name, std::vector<actor_ref<>>* const& all)
        : name_(std::move(name)), all_(all) {}
    void pre_start(context& ctx) {
      all_->push_back(ctx.self());
      if (all_->size() < 40) (void)ctx.spawn<folder>(name_, name_, all_);
    }
    void receive(context& /*ctx*/, die) {}
    std::string name_;
    std::vector<actor_ref<>>* all_;
  };
  std::vector<actor_ref<>> all;
  const std::string name = "folder89";
  (void)world.spawn<folder>(name, name, &all);
  (void)world.run_to_idle();
  ASSERT_EQ(all.size(), 40u);
  std::string whole = "/user";
  for (const actor_ref<>& each : all) {
    whole += "/" + name;
    const bool fits = whole.size() <= event_text::capacity;
    const std::string end =
        fits ? whole : "..." + whole.substr(whole.size() - event_text::capacity + 3);
    EXPECT_EQ(path_of(each), end);
  }
  const std::string long_name(200, 'x');
  const auto one = world.spawn<mortal>({.name = long_name}, &life);
  EXPECT_EQ(path_of(one), "..." + std::string(event_text::capacity - 3, 'x'));
}

// spec: A1 V2c
TEST_F(a_supervised_actor, that_became_another_behaviour_restarts_with_the_first) {
  using moody = behaviour<ping, die>;
  const moody at_first{[](moody::context& ctx, ping) {
                         ctx.become(moody{[](moody::context&, ping) { return 2; },
                                          [](moody::context&, die) -> std::expected<void, failure> {
                                            return std::unexpected{failure{"enough"}};
                                          }});
                         return 1;
                       },
                       [](moody::context&, die) {}};
  const auto who = world.spawn({.on_failure = restart{}}, at_first);
  const auto answer = [&] { return world.ask(who, ping{}, 1s).get().value_or(0); };
  EXPECT_EQ(answer(), 1);
  EXPECT_EQ(answer(), 2);
  who.tell(die{});
  EXPECT_EQ(answer(), 1);
  EXPECT_EQ(answer(), 2);
  EXPECT_EQ(world.metrics().restarts, 1u);
}

// spec: V1 V4
TEST_F(a_supervised_actor, that_restarts_with_a_sibling_is_reported_with_its_number) {
  auto events = world.spawn_probe<actor_restarted>("events");
  EXPECT_TRUE(world.events().subscribe<actor_restarted>(events.ref()));
  const supervision together = restart{.scope = failure_scope::all_for_one};
  const auto first = world.spawn<mortal>({.on_failure = together}, &life);
  const auto second = world.spawn<mortal>({.on_failure = together}, &life);
  std::map<std::uint32_t, std::uint32_t> restarts;
  for (const auto& who : {first, second, first}) {
    who.tell(die{});
    for (int each = 0; each < 3; ++each) {  // the probe is a sibling, too
      const actor_restarted told = events.expect<actor_restarted>(0ms);
      if (told.who == events.ref()) continue;
      EXPECT_EQ(told.restarts, ++restarts[told.who.index().slot]);
    }
  }
  EXPECT_EQ(restarts[first.index().slot], 3u);
  EXPECT_EQ(restarts[second.index().slot], 3u);
}

// Has a child, and makes another if there is none.
class manager : public actor<die> {
public:
  explicit manager(trace* const& children) : children_(children) {}
  void pre_start(context& ctx) {
    if (ctx.children().empty()) (void)ctx.spawn<mortal>("child", children_);
  }
  std::expected<void, failure> receive(context& /*ctx*/, die) {
    return std::unexpected{failure{"no item"}};
  }

private:
  trace* children_;
};

// spec: V1 V2a
// case: SV-17
TEST_F(a_supervised_actor, that_restarts_with_a_sibling_keeps_its_children_if_it_is_told_to) {
  trace kept{.world = &world, .made_ns = {}};
  const restart together{.scope = failure_scope::all_for_one};
  const restart keeps{.scope = failure_scope::all_for_one, .keep_children = true};
  const auto fails = world.spawn<mortal>({.on_failure = together}, &life);
  (void)world.spawn<manager>({.name = "keeps", .on_failure = keeps}, &kept);
  trace stopped{.world = &world, .made_ns = {}};
  (void)world.spawn<manager>({.name = "stops", .on_failure = together}, &stopped);
  world.run_to_idle();
  fails.tell(die{});
  world.run_to_idle();
  EXPECT_EQ(world.metrics().restarts, 3u);
  EXPECT_EQ(kept.gone, 0);
  EXPECT_EQ(kept.made_ns.size(), 1u);
  EXPECT_EQ(stopped.gone, 1);
  EXPECT_EQ(stopped.made_ns.size(), 2u);
  (void)world.shutdown();  // the actors refer to what stands here
}

// Has children that escalate their failures.
class head : public actor<die> {
public:
  head(const supervision& of_children, std::vector<mortal::ref>* const& children, trace* const& of)
      : how_(of_children), children_(children), of_(of) {}
  void pre_start(context& ctx) {
    while (children_->size() < 3)
      children_->push_back(ctx.spawn<mortal>({.on_failure = how_}, of_));
  }
  void receive(context& /*ctx*/, die) {}

private:
  supervision how_;
  std::vector<mortal::ref>* children_;
  trace* of_;
};
// Has one child, which is a `head`.
class chief : public actor<die> {
public:
  chief(std::vector<mortal::ref>* const& children, trace* const& of)
      : children_(children), of_(of) {}
  void pre_start(context& ctx) {
    if (ctx.children().empty())
      (void)ctx.spawn<head>({.name = "head", .on_failure = directive::escalate},
                            directive::escalate, children_, of_);
  }
  void receive(context& /*ctx*/, die) {}

private:
  std::vector<mortal::ref>* children_;
  trace* of_;
};

// spec: V1
// case: SV-13
TEST(supervised, children_that_escalate_at_the_same_time_get_the_directive_of_their_parent) {
  for (std::uint64_t from = 0; from < 20; ++from) {
    for (const bool deep : {false, true}) {
      trace life;
      std::vector<mortal::ref> children;
      simulation world{seed{from}, {.log = {.sink = {ignore_record, nullptr}}}};
      life.world = &world;
      const spawn_options resumed{.name = "top", .on_failure = directive::resume};
      if (deep) {
        (void)world.spawn<chief>(resumed, &children, &life);
      } else {
        (void)world.spawn<head>(resumed, directive::escalate, &children, &life);
      }
      world.run_to_idle();
      ASSERT_EQ(children.size(), 3u);
      for (const auto& each : children)
        EXPECT_EQ(world.ask(each, ping{}, 1s).get(), 1);
      for (const auto& each : children)
        each.tell(die{});
      for (const auto& each : children)
        EXPECT_EQ(world.ask(each, ping{}, 1s).get(), 2) << "it goes on with its state: " << from;
      EXPECT_EQ(life.gone, 0);
    }
  }
}

}  // namespace
}  // namespace tactor
