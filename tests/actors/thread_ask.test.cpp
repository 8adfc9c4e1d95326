// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/ask/thread_ask.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct quote {
  std::string item;
  using reply = std::string;
};
struct divide {
  int by = 1;
  using reply = int;
};
struct fetch {
  using reply = std::unique_ptr<int>;
};
struct save {
  int what = 0;
  using reply = void;
};

class teller : public actor<quote, divide, fetch, save> {
public:
  std::string receive(context&, const quote& q) { return q.item + "!"; }
  std::expected<int, failure> receive(context&, divide d) {
    if (d.by == 0) return std::unexpected{failure{"divided by zero", 33}};
    return 100 / d.by;
  }
  std::unique_ptr<int> receive(context&, fetch) { return std::make_unique<int>(4); }
  std::expected<void, failure> receive(context&, save s) {
    if (s.what < 0) return std::unexpected{failure{"negative"}};
    saved_ = s.what;
    return {};
  }

private:
  int saved_ = 0;
};

// spec: A2b
TEST(try_ask, sends_the_ask_or_returns_the_message_and_makes_no_dead_letter) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>({.name = "desk", .mailbox = mailbox_presets::bounded(1)});
  world.run_to_idle();
  auto first = world.try_ask(desk, quote{"tea"}, 1s);
  ASSERT_TRUE(first.has_value());
  auto full = world.try_ask(desk, quote{"coffee"}, 1s);
  ASSERT_FALSE(full.has_value());
  EXPECT_EQ(full.error().why, tell_result::full);
  EXPECT_EQ(full.error().message.item, "coffee");
  EXPECT_EQ(std::move(*first).get().value_or(""), "tea!");
  world.stop(desk);
  world.run_to_idle();
  const auto gone = world.try_ask(desk, quote{"milk"}, 1s);
  ASSERT_FALSE(gone.has_value());
  EXPECT_EQ(gone.error().why, tell_result::closed);
  EXPECT_EQ(gone.error().message.item, "milk");
  auto untimed = world.try_ask(desk, quote{"milk"}, 0s);
  ASSERT_TRUE(untimed.has_value());
  EXPECT_EQ(std::move(*untimed).get().error().kind, ask_failure::refused);
  EXPECT_EQ(world.metrics().all_dead_letters(), 0u);
}

// spec: A2b
// case: AK-01
TEST(thread_ask, is_answered_by_what_the_handler_returns) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>("desk");
  EXPECT_EQ(world.ask(desk, quote{"tea"}, 1s).get().value_or(""), "tea!");
  EXPECT_EQ(world.ask(desk, divide{4}, 1s).get().value_or(0), 25);
  EXPECT_EQ(*world.ask(desk, fetch{}, 1s).get().value(), 4);  // an answer that only moves
  EXPECT_TRUE(world.ask(desk, save{1}, 1s).get().has_value());
}

// spec: A2b I3
TEST(thread_ask, whose_handler_returns_a_failure_is_told_so_at_once) {
  simulation world{seed{1}};
  for (int i = 0; i < 2; ++i) {
    const auto desk = world.spawn<teller>("desk");
    const auto error = i == 0 ? world.ask(desk, divide{0}, 1h).get().error()
                              : world.ask(desk, save{-1}, 1h).get().error();
    EXPECT_EQ(error.kind, ask_failure::target_failed);
    EXPECT_EQ(error.target, desk);
    EXPECT_EQ(error.waited, duration{});
    EXPECT_TRUE(error.message_type.find(i == 0 ? "divide" : "save") != std::string_view::npos);
    EXPECT_EQ(world.live(), 0u);
  }
}

/// Receives the log of a system, and notes whether the ask was answered before the failure was
/// logged.
struct failure_log {
  std::optional<pending_reply<int>> asked;
  int failures = 0;
  bool answered_before = false;

  static void take(void* to, const log_record& record) noexcept {
    auto& log = *static_cast<failure_log*>(to);
    if (record.level != log_level::error) return;
    ++log.failures;
    log.answered_before = log.answered_before || log.asked->ready();
  }
};

// spec: I3
TEST(thread_ask, is_told_of_a_failure_after_the_failure_was_logged) {
  for (const supervision& how : {supervision{}, supervision{restart{}}}) {
    failure_log log;
    simulation world{seed{1}, {.log = {.sink = {failure_log::take, &log}}}};
    const auto desk = world.spawn<teller>({.name = "desk", .on_failure = how});
    log.asked.emplace(world.ask(desk, divide{0}, 1h));
    world.run_to_idle();
    EXPECT_EQ(log.failures, 1);
    EXPECT_FALSE(log.answered_before);
    EXPECT_EQ(std::move(*log.asked).get().error().kind, ask_failure::target_failed);
  }
}

// spec: A2b
// case: AK-02
TEST(thread_ask, to_an_actor_that_is_gone_fails_at_once) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>("desk");
  world.stop(desk);
  world.run_to_idle();
  for (const actor_ref<quote>& to : {actor_ref<quote>{desk}, actor_ref<quote>{}}) {
    const auto answer = world.ask(to, quote{"x"}, 1h).get();
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().kind, ask_failure::target_terminated);
    EXPECT_EQ(answer.error().waited, duration{});
  }
}

// spec: A2b
// case: AK-08
TEST(thread_ask, that_waits_in_the_mailbox_of_an_actor_that_stops_fails_at_once) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>("desk");
  auto answer = world.ask(desk, quote{"x"}, 1h);
  world.stop(desk);
  const auto said = std::move(answer).get();
  ASSERT_FALSE(said.has_value());
  EXPECT_EQ(said.error().kind, ask_failure::target_terminated);
}

// spec: A2b
// case: AK-08
TEST(thread_ask, that_was_taken_by_an_actor_that_stops_before_it_answers_fails_at_once) {
  simulation world{seed{1}};
  class slow : public actor<divide> {
  public:
    delegated<int> receive(context& ctx, divide) {
      duty_ = ctx.reply_later<int>();
      return duty_.as_delegated();
    }

  private:
    reply_to<int> duty_;
  };
  const auto desk = world.spawn("desk", [] { return slow{}; });
  auto answer = world.ask(desk, divide{1}, 1h);
  world.run_to_idle();
  EXPECT_FALSE(answer.ready());
  world.stop(desk);
  const auto said = std::move(answer).get();
  ASSERT_FALSE(said.has_value());
  EXPECT_EQ(said.error().kind, ask_failure::target_terminated);
}

// spec: A2b
// case: AK-03
TEST(thread_ask, without_time_is_refused_at_once) {
  simulation world{seed{1}};
  auto desk = world.spawn_probe<divide>("desk");
  for (const duration none : {duration{}, duration{-1s}}) {
    auto answer = world.ask(desk.ref(), divide{1}, none);
    EXPECT_TRUE(answer.ready());
    const auto said = std::move(answer).get();
    ASSERT_FALSE(said.has_value());
    EXPECT_EQ(said.error().kind, ask_failure::refused);
    EXPECT_EQ(said.error().target, desk.ref());
    EXPECT_EQ(said.error().waited, duration{});
  }
  world.run_to_idle();
  EXPECT_EQ(desk.waiting(), 0u);
}

// spec: A2b
TEST(thread_ask, may_be_built_from_its_parts) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>("desk");
  EXPECT_EQ(world.ask<quote>(desk, 1s, "tea").get().value_or(""), "tea!");
  struct nap {
    duration length;
    using reply = std::int64_t;
  };
  const auto bed =
      world.spawn("bed", [](tactor::context&, const nap& n) { return n.length.nanoseconds(); });
  EXPECT_EQ(world.ask<nap>(bed, 1s, 5ns).get().value_or(0), 5);  // a part that is a time, too
}

// spec: A2b
// case: AK-04
TEST(thread_ask, has_waited_since_it_was_asked) {
  simulation world{seed{1}};
  auto silent = world.spawn_probe<divide>("silent");
  auto answer = world.ask(silent.ref(), divide{1}, 1h);
  (void)silent.expect<divide>();  // it has the duty to answer
  world.run_for(3s);
  world.stop(silent.ref());
  const auto said = std::move(answer).get();
  ASSERT_FALSE(said.has_value());
  EXPECT_EQ(said.error().kind, ask_failure::target_terminated);
  EXPECT_EQ(said.error().waited, duration{3s});
}

// spec: A2b
TEST(thread_ask, has_waited_until_it_ended_and_not_until_somebody_looked) {
  simulation world{seed{1}};
  auto silent = world.spawn_probe<divide>("silent");
  auto refused = world.ask(silent.ref(), divide{1}, 1h);
  auto late = world.ask(silent.ref(), divide{2}, 250ms);
  world.run_for(3s);
  world.stop(silent.ref());
  world.run_for(2s);
  EXPECT_EQ(std::move(refused).get().error().waited, duration{3s});
  EXPECT_EQ(std::move(late).get().error().waited, duration{250ms});
}

// spec: A2b
TEST(thread_ask, refused_by_a_full_mailbox_fails_at_once) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>({.name = "desk", .mailbox = {.capacity = 1}});
  auto first = world.ask(desk, quote{"x"}, 1s);
  const auto second = world.ask(desk, quote{"y"}, 1s).get();
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().kind, ask_failure::refused);
  EXPECT_EQ(std::move(first).get().value_or(""), "x!");
}

// spec: A2b
// case: AK-04
TEST(thread_ask, without_an_answer_fails_after_its_timeout) {
  simulation world{seed{1}};
  auto silent = world.spawn_probe<quote>("silent");
  ASSERT_TRUE(world.schedule_once(10s, silent.ref(), quote{"later"}).has_value());
  const auto said = world.ask(silent.ref(), quote{"x"}, 250ms).get();
  ASSERT_FALSE(said.has_value());
  EXPECT_EQ(said.error().kind, ask_failure::timed_out);
  EXPECT_EQ(said.error().waited, duration{250ms});
  EXPECT_EQ(said.error().target, silent.ref());
  EXPECT_EQ(silent.waiting(), 1u);

  // The late answer goes nowhere, and is seen to.
  (void)silent.expect<quote>();
  silent.reply<quote>("too late");
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::late_answer), 1u);
}

struct answer_now {};
/// Answers after half a second.
class late_teller : public actor<divide, answer_now> {
public:
  delegated<int> receive(context& ctx, divide) {
    held_.push_back(ctx.reply_later<int>());
    (void)ctx.start_timer(1, after(500ms), answer_now{});
    return held_.back().as_delegated();
  }
  void receive(context&, answer_now) {
    for (auto& each : held_)
      each.send(1);
    held_.clear();
  }

private:
  std::vector<reply_to<int>> held_;
};

// spec: A2b
// case: AK-04
TEST(thread_ask, refuses_an_answer_that_comes_after_its_timeout) {
  simulation world{seed{1}};
  const auto desk = world.spawn<late_teller>("desk");
  auto answer = world.ask(desk, divide{1}, 100ms);
  auto other = world.try_ask(desk, divide{1}, 100ms);
  ASSERT_TRUE(other.has_value());
  world.run_for(1s);
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::late_answer), 2u);
  const auto said = std::move(answer).get();
  ASSERT_FALSE(said.has_value());
  EXPECT_EQ(said.error().kind, ask_failure::timed_out);
  EXPECT_EQ(std::move(*other).get().error().kind, ask_failure::timed_out);
}

// spec: A2b
TEST(thread_ask, refuses_a_late_answer_of_a_thread_outside) {
  simulation world{seed{1}};
  auto desk = world.spawn_probe<divide>("desk");
  auto answer = world.ask(desk.ref(), divide{1}, 100ms);
  world.run_for(101ms);
  (void)desk.expect<divide>();
  desk.reply<divide>(1);
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::late_answer), 1u);
  EXPECT_EQ(std::move(answer).get().error().kind, ask_failure::timed_out);
}

// spec: A2b
TEST(thread_ask, keeps_an_answer_that_came_in_time_for_a_late_get) {
  simulation world{seed{1}};
  const auto desk = world.spawn<late_teller>("desk");
  auto answer = world.ask(desk, divide{1}, 500ms);
  world.run_for(1h);
  EXPECT_EQ(std::move(answer).get().value_or(0), 1);
  EXPECT_EQ(world.metrics().all_dead_letters(), 0u);
}

// spec: A2b
TEST(thread_ask, is_ready_when_its_time_is_over) {
  simulation world{seed{1}};
  auto silent = world.spawn_probe<quote>("silent");
  auto answer = world.ask(silent.ref(), quote{"x"}, 250ms);
  world.run_for(249ms);
  EXPECT_FALSE(answer.ready());
  world.run_for(1ms);
  EXPECT_TRUE(answer.ready()) << "or who polls would do so for ever";
  EXPECT_EQ(std::move(answer).get().error().kind, ask_failure::timed_out);
}

// case: AK-02
TEST(thread_ask, whose_slot_is_reused_never_gets_the_late_answer_of_the_previous_ask) {
  simulation world{seed{1}};
  auto slow = world.spawn_probe<divide>("slow");
  auto quick = world.spawn_probe<divide>("quick");
  {
    const auto forgotten = world.ask(slow.ref(), divide{1}, 1s);
    (void)forgotten;
    world.run_to_idle();
  }
  auto waiting = world.ask(quick.ref(), divide{2}, 1s);  // in the same slot
  (void)slow.expect<divide>();
  slow.reply<divide>(111);
  world.run_to_idle();
  EXPECT_FALSE(waiting.ready());
  (void)quick.expect<divide>();
  quick.reply<divide>(222);
  EXPECT_EQ(std::move(waiting).get().value_or(0), 222);
}

TEST(thread_ask, closed_with_its_answer_inside_destroys_it) {
  simulation world{seed{1}};
  auto held = std::make_shared<int>(1);
  struct lend {
    using reply = std::shared_ptr<int>;
  };
  const auto desk = world.spawn("desk", [held](tactor::context&, lend) { return held; });
  const long before = held.use_count();
  {
    auto answer = world.ask(desk, lend{}, 1s);
    world.run_to_idle();
    EXPECT_TRUE(answer.ready());
    EXPECT_EQ(held.use_count(), before + 1 + 1);  // the actor is built, and the answer waits
  }
  EXPECT_EQ(held.use_count(), before + 1);
}

// spec: A2b
TEST(thread_ask, is_answered_before_the_handlers_later_messages_are_handled) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>("desk");
  for (int i = 1; i <= 1000; ++i)
    EXPECT_EQ(world.ask(desk, divide{i}, 1s).get().value_or(-1), 100 / i);
  EXPECT_EQ(world.metrics().all_dead_letters(), 0u);
}

}  // namespace
}  // namespace tactor
