// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/actor_deadlines.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include "few_timers.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>  // NOLINT(portability-restrict-system-includes): for tests
#include <optional>
#include <string>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct order;
using puppet_context = actor_context<order, struct riddle>;
struct order {
  std::function<void(puppet_context&)> what;
};
struct riddle {
  using reply = int;
};

// Records what happened, and when: "idle 100;".
struct diary {
  std::string text;
  void add(const char* what, const context& ctx) {
    text += std::string{what} + " " + std::to_string(ctx.now_ns() / 1'000'000) + ";";
  }
  // In the order of words, where chance decides what comes first.
  [[nodiscard]] std::string sorted() const {
    std::vector<std::string> words;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
      end = text.find(';', begin);
      words.push_back(text.substr(begin, end - begin + 1));
    }
    std::ranges::sort(words);
    std::string all;
    for (const std::string& each : words)
      all += each;
    return all;
  }
};

class puppet : public actor<order, riddle> {
public:
  explicit puppet(diary* book) : book_(book) {}
  void receive(context& ctx, const order& o) { o.what(ctx); }
  delegated<int> receive(context& ctx, riddle) {  // never answered: kept
    kept_.push_back(ctx.reply_later<int>());
    return kept_.back().as_delegated();
  }
  void receive(context& ctx, const receive_timeout&) { book_->add("idle", ctx); }

private:
  diary* book_;
  std::deque<reply_to<int>> kept_;
};

// The deadlines of an actor, set and polled by hand in its handler.
class deadlines_of_an_actor : public ::testing::Test {
protected:
  explicit deadlines_of_an_actor(const system_config& config = {}) : world(seed{1}, config) {}

  template <class What>
  void let(What what) {
    (void)who.tell(order{what});
    (void)world.run_to_idle();
  }
  // `what(deadlines, set)`, where `set(key, ms)`.
  template <class What>
  void with(What what) {
    let([this, what](puppet_context& ctx) {
      thread_record& here = this_thread();
      cell& c = *who.slot();
      actor_deadlines& deadlines = parts_of(here, c)->deadlines;
      what(deadlines, [&](deadline_of key, std::uint64_t at_ms) {
        return deadlines.set(*here.services, c, key, at_ms * 1'000'000, ctx.now_ns());
      });
    });
  }
  [[nodiscard]] std::uint64_t scheduled() { return world.timers().metrics().scheduled_total; }
  [[nodiscard]] std::uint64_t active() { return world.timers().metrics().active_total; }

  diary book;
  simulation world;
  puppet::ref who = world.spawn<puppet>("who", &book);
};

constexpr std::uint64_t at_ms(std::uint64_t n) {
  return n * 1'000'000;
}

TEST_F(deadlines_of_an_actor, are_polled_each_when_it_has_been_reached) {
  with([](actor_deadlines& deadlines, auto set) {
    EXPECT_TRUE(set(deadline_of::rate_limit, 30));
    EXPECT_TRUE(set(deadline_of::asks, 20));
    EXPECT_TRUE(set(deadline_of::receive_timeout, 20));
    EXPECT_EQ(deadlines.poll_expired(at_ms(20) - 1), std::nullopt);
    EXPECT_EQ(deadlines.poll_expired(at_ms(20)), deadline_of::asks);
    EXPECT_EQ(deadlines.poll_expired(at_ms(20)), deadline_of::receive_timeout);
    EXPECT_EQ(deadlines.poll_expired(at_ms(20)), std::nullopt);
    EXPECT_EQ(deadlines.poll_expired(at_ms(1000)), deadline_of::rate_limit);
    EXPECT_EQ(deadlines.poll_expired(at_ms(1000)), std::nullopt);
  });
}

TEST_F(deadlines_of_an_actor, are_moved_and_cancelled_by_their_keys) {
  with([](actor_deadlines& deadlines, auto set) {
    EXPECT_TRUE(set(deadline_of::asks, 20));
    EXPECT_TRUE(set(deadline_of::receive_timeout, 30));
    EXPECT_TRUE(set(deadline_of::asks, 50));
    EXPECT_TRUE(deadlines.covers(deadline_of::asks, at_ms(50)));
    EXPECT_FALSE(deadlines.covers(deadline_of::asks, at_ms(49)));
    EXPECT_EQ(deadlines.poll_expired(at_ms(40)), deadline_of::receive_timeout);
    EXPECT_EQ(deadlines.poll_expired(at_ms(40)), std::nullopt);
    deadlines.cancel(deadline_of::asks);
    EXPECT_FALSE(deadlines.covers(deadline_of::asks, ~std::uint64_t{0}));
    EXPECT_EQ(deadlines.poll_expired(at_ms(1000)), std::nullopt);
    EXPECT_TRUE(set(deadline_of::asks, 0)) << "a time that has passed";
    EXPECT_EQ(deadlines.poll_expired(at_ms(1)), deadline_of::asks);
  });
}

// spec: R2 R5c
TEST_F(deadlines_of_an_actor, need_a_timer_only_for_a_deadline_earlier_than_all_others) {
  with([this](actor_deadlines& deadlines, auto set) {
    EXPECT_TRUE(set(deadline_of::receive_timeout, 100));
    EXPECT_EQ(scheduled(), 1U);
    EXPECT_TRUE(set(deadline_of::receive_timeout, 200));
    EXPECT_TRUE(set(deadline_of::asks, 100));
    EXPECT_TRUE(set(deadline_of::asks, 300));
    EXPECT_EQ(scheduled(), 1U) << "later, or at the same time";
    EXPECT_TRUE(set(deadline_of::asks, 50));
    EXPECT_EQ(scheduled(), 2U);
    deadlines.cancel(deadline_of::asks);
    deadlines.cancel(deadline_of::receive_timeout);
    EXPECT_TRUE(set(deadline_of::receive_timeout, 60));
    EXPECT_EQ(scheduled(), 2U) << "the timer stays";
    deadlines.cancel_with_timer(deadline_of::asks);
    EXPECT_TRUE(deadlines.covers(deadline_of::receive_timeout, at_ms(60)));
  });
  EXPECT_EQ(active(), 1U);
  with([](actor_deadlines& deadlines, auto) {
    deadlines.cancel_with_timer(deadline_of::receive_timeout);
  });
  world.run_for(10ms);
  EXPECT_EQ(active(), 0U);
}

TEST_F(deadlines_of_an_actor, are_gone_with_their_timer_when_all_are_cancelled) {
  with([](actor_deadlines& deadlines, auto set) {
    EXPECT_TRUE(set(deadline_of::asks, 100));
    EXPECT_TRUE(set(deadline_of::restart, 50));
    deadlines.cancel_all();
    EXPECT_EQ(deadlines.poll_expired(~std::uint64_t{0}), std::nullopt);
  });
  world.run_for(10ms);
  EXPECT_EQ(active(), 0U);
}

TEST_F(deadlines_of_an_actor, may_be_farther_than_the_timers_go) {
  with([](actor_deadlines& deadlines, auto set) {
    EXPECT_TRUE(set(deadline_of::asks, 1'000'000'000'000));
    EXPECT_EQ(deadlines.poll_expired(at_ms(1000)), std::nullopt);
    deadlines.cancel_all();
  });
}

class deadlines_without_timers : public deadlines_of_an_actor {
protected:
  deadlines_without_timers() : deadlines_of_an_actor(small_quota()) {}
  static system_config small_quota() {
    system_config few;
    few.scheduler.system_quota = 1;
    return few;
  }
  few_timers one{world.timers(), 1};
};

TEST_F(deadlines_without_timers, are_refused_and_nothing_changes) {
  with([](actor_deadlines& deadlines, auto set) {
    EXPECT_TRUE(set(deadline_of::asks, 100));
    EXPECT_FALSE(set(deadline_of::receive_timeout, 50)) << "there is no second timer";
    EXPECT_FALSE(deadlines.covers(deadline_of::receive_timeout, ~std::uint64_t{0}));
    EXPECT_FALSE(set(deadline_of::asks, 50));
    EXPECT_TRUE(deadlines.covers(deadline_of::asks, at_ms(100))) << "it is as it was";
    EXPECT_TRUE(set(deadline_of::receive_timeout, 150)) << "later ones need none";
    deadlines.cancel_all();
  });
}

// spec: A2b
TEST_F(deadlines_without_timers, leave_an_ask_its_timeout_when_another_is_refused) {
  const auto silent = world.spawn<puppet>("silent", &book);
  let([&](puppet_context& ctx) {
    const auto then = [this](const char* what) {
      return [this, what](puppet_context& later, std::expected<int, ask_error> said) {
        book.add(said.error().kind == ask_failure::timed_out ? what : "refused", later);
      };
    };
    ctx.ask(silent, riddle{}, 200ms, then("first"));
    ctx.ask(silent, riddle{}, 50ms, then("second"));  // earlier: it needs another timer
  });
  world.run_for(1s);
  EXPECT_EQ(book.text, "refused 0;first 200;");
}

// spec: R5c
TEST_F(deadlines_of_an_actor, are_met_each_at_its_own_time) {
  const auto silent = world.spawn<puppet>("silent", &book);
  const auto ask = [&](puppet_context& ctx, duration time) {
    ctx.ask(silent, riddle{}, time, [this](puppet_context& later, std::expected<int, ask_error>) {
      book.add("ask", later);
    });
  };
  let([&](puppet_context& ctx) {
    ask(ctx, 250ms);
    EXPECT_TRUE(ctx.set_receive_timeout<puppet>(100ms));
    ask(ctx, 30ms);
    ask(ctx, 130ms);
  });
  world.run_for(400ms);
  EXPECT_EQ(book.text, "ask 30;idle 100;ask 130;idle 200;ask 250;idle 300;idle 400;");
  EXPECT_EQ(active(), 1U) << "one timer for all of them";
}

// spec: P2 R5c
TEST_F(deadlines_of_an_actor, end_a_suspension_among_others) {
  const auto silent = world.spawn<puppet>("silent", &book);
  let([&](puppet_context& ctx) {
    ctx.ask(silent, riddle{}, 50ms, [this](puppet_context& later, std::expected<int, ask_error>) {
      book.add("ask", later);
    });
    EXPECT_TRUE(ctx.set_receive_timeout<puppet>(100ms));
    EXPECT_TRUE(ctx.suspend(suspend_reason::rate_limit, resume_after(200ms)));
    EXPECT_TRUE(ctx.suspend(suspend_reason::user_defined, resume_after(120ms)));
  });
  (void)who.tell(order{[this](puppet_context& ctx) { book.add("mail", ctx); }});
  world.run_for(330ms);
  EXPECT_EQ(world.metrics().resumes, 1U);
  // A continuation is code of the actor: it waits until the actor runs.
  EXPECT_EQ(book.sorted(), "ask 200;idle 300;mail 200;") << book.text;
}

// spec: P1
TEST_F(deadlines_of_an_actor, that_pass_while_it_is_suspended_cost_nothing_until_it_resumes) {
  const auto silent = world.spawn<puppet>("silent", &book);
  let([&](puppet_context& ctx) {
    for (const auto time : {50ms, 60ms, 5000ms})
      ctx.ask(silent, riddle{}, time, [this](puppet_context& later, std::expected<int, ask_error>) {
        book.add("ask", later);
      });
    EXPECT_TRUE(ctx.set_receive_timeout<puppet>(30ms));
    EXPECT_TRUE(ctx.suspend());
  });
  world.run_for(100ms);
  const auto timers = scheduled();
  const auto turns = world.metrics().turns;
  world.run_for(900ms);
  EXPECT_EQ(scheduled(), timers);
  EXPECT_EQ(world.metrics().turns, turns);
  EXPECT_EQ(book.text, "");
  (void)world.resume(who);
  world.run_for(40ms);
  // On the next tick at the latest.
  EXPECT_TRUE(book.text == "ask 1000;ask 1000;idle 1030;" ||
              book.text == "ask 1010;ask 1010;idle 1030;")
      << book.text;
  let([](puppet_context& ctx) { ctx.cancel_receive_timeout(); });
  book.text.clear();
  world.run_for(5s);
  EXPECT_EQ(book.text, "ask 5000;");
}

}  // namespace
}  // namespace tactor
