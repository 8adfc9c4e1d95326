// SPDX-License-Identifier: BSL-1.0
// Coroutines of one actor that meet each other, timers, notifications and middleware.
#include "tactor/core/actor/coroutine/task.hpp"
#include "tactor/core/actor/reply_to.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/turn/middleware.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <utility>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct begin_now {};
struct question {
  using reply = int;
};
struct tick {};
struct other {};

/// Asks itself, the first time.
template <class Task>
class self_asker : public actor<question> {
public:
  explicit self_asker(std::vector<std::string>* said) : said_(said) {}
  Task receive(context& ctx, question) {
    if (!said_->empty()) co_return 7;
    said_->emplace_back("asks");
    const auto answer = co_await ctx.template ask<question>(
        actor_ref<question>{ctx.self().slot(), ctx.self().generation()}, 10s);
    said_->emplace_back(answer ? std::to_string(*answer) : to_text(answer.error().kind));
    co_return 8;
  }

private:
  std::vector<std::string>* said_;
};

// spec: A2b
TEST(task_corners, a_task_that_asks_its_own_actor_is_refused_at_once) {
  std::vector<std::string> said;
  simulation world{seed{1}};
  auto letters = world.spawn_probe<dead_letter>("letters");
  ASSERT_TRUE(world.events().subscribe<dead_letter>(letters.ref()));
  const auto who = world.spawn<self_asker<task<int>>>("who", &said);
  (void)who.tell(question{});
  (void)world.run_to_idle();
  EXPECT_EQ(said, (std::vector<std::string>{"asks", to_text(ask_failure::would_deadlock)}));
  const dead_letter lost = letters.expect<dead_letter>();
  EXPECT_EQ(lost.reason, drop_reason::would_deadlock);
  EXPECT_EQ(lost.sender, actor_ref<>{who});
}

// spec: A2b P7
TEST(task_corners, a_reentrant_task_may_ask_its_own_actor) {
  std::vector<std::string> said;
  simulation world{seed{1}};
  const auto who = world.spawn<self_asker<reentrant_task<int>>>("who", &said);
  (void)who.tell(question{});
  (void)world.run_to_idle();
  EXPECT_EQ(said, (std::vector<std::string>{"asks", "7"}));
}

// Awaits helpers that await helpers.
class family : public actor<begin_now> {
public:
  explicit family(std::vector<int>* did) : did_(did) {}
  task<void> receive(context& ctx, begin_now) {
    const auto first = co_await first_of(branch(ctx), at_once(ctx));
    did_->push_back(static_cast<int>(first.index()));
    const auto [a, b] = co_await all_of(leaf(ctx, 30), leaf(ctx, 40));
    did_->push_back(a + b);
  }

private:
  task<int> leaf(context& ctx, int number) {
    did_->push_back(number);
    (void)co_await ctx.sleep(10ms);
    co_return number;
  }
  task<int> branch(context& ctx) {
    const auto [a, b] = co_await all_of(leaf(ctx, 10), leaf(ctx, 20));
    co_return a + b;
  }
  task<int> at_once(context&) { co_return 0; }

  std::vector<int>* did_;
};

// spec: A3
TEST(task_corners, what_first_of_destroys_does_not_begin_with_its_own_helpers) {
  std::vector<int> did;
  simulation world{seed{1}};
  world.spawn<family>("family", &did).tell(begin_now{});
  world.run_for(1s);
  EXPECT_EQ(did, (std::vector<int>{1, 30, 40, 70}));
}

// Awaits twice in one expression.
class sum : public actor<begin_now> {
public:
  explicit sum(std::vector<int>* did) : did_(did) {}
  task<void> receive(context& ctx, begin_now) {
    const bool slept = (co_await first_of(at_once(ctx), late(ctx))).index() == 0 &&
                       (co_await ctx.sleep(100ms)).has_value();
    did_->push_back(slept ? 1 : 0);
  }

private:
  task<int> at_once(context& ctx) {
    (void)co_await ctx.sleep(10ms);
    co_return 0;
  }
  task<int> late(context& ctx) {
    (void)co_await ctx.sleep(20ms);
    did_->push_back(99);
    co_return 0;
  }

  std::vector<int>* did_;
};

// spec: A3
TEST(task_corners, first_of_destroys_the_others_before_its_expression_ends) {
  std::vector<int> did;
  simulation world{seed{1}};
  world.spawn<sum>("sum", &did).tell(begin_now{});
  world.run_for(1s);
  EXPECT_EQ(did, std::vector<int>{1});
}

// Has handlers of all kinds.
class mixed_handlers : public actor<begin_now, tick, other> {
public:
  explicit mixed_handlers(std::vector<int>* did) : did_(did) {}
  reentrant_task<void> receive(context& ctx, begin_now) {
    (void)co_await ctx.sleep(20ms);
    did_->push_back(1);
  }
  task<void> receive(context& ctx, tick) {
    (void)co_await ctx.sleep(15ms);  // goes on in the same tick, before the other one
    did_->push_back(2);
    (void)co_await ctx.sleep(1s);
    did_->push_back(3);
  }
  void receive(context&, other) { did_->push_back(4); }

private:
  std::vector<int>* did_;
};

struct fill {
  int how = 0;
};

/// Fills a mailbox that blocks its producers, and awaits something that takes no time.
class filling : public actor<fill> {
public:
  filling(actor_ref<other> to, std::vector<int>* steps) : to_(to), steps_(steps) {}
  task<void> receive(context& ctx, fill f) {
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(to_.tell(other{}), tell_result::ok);
    steps_->push_back(1);
    bool came = true;
    if (f.how == 0) came = co_await ctx.until(signal_key{5});
    if (f.how == 1) came = !co_await ctx.until(signal_key{6}, 0ms);
    if (f.how == 2) came = !(co_await ctx.sleep(-1ms)).has_value();
    EXPECT_TRUE(came);
    steps_->push_back(2);
  }

private:
  actor_ref<other> to_;
  std::vector<int>* steps_;
};

// spec: M4b A3
TEST(task_corners, an_await_that_takes_no_time_waits_for_the_outboxes) {
  for (int how = 0; how < 3; ++how) {
    simulation world;
    std::vector<int> steps;
    int received = 0;
    const auto to = world.spawn({.name = "to", .mailbox = mailbox_presets::lossless(1)},
                                [&](context&, other) { ++received; });
    const auto who = world.spawn<filling>("who", to, &steps);
    EXPECT_TRUE(world.signal(who, signal_key{5}));
    EXPECT_TRUE(world.suspend(to));
    (void)world.run_to_idle();
    who.tell(fill{how});
    (void)world.run_to_idle();
    EXPECT_EQ(steps, std::vector<int>{1}) << how << ": it is suspended";
    EXPECT_TRUE(world.resume(to));
    (void)world.run_to_idle();
    EXPECT_EQ(steps, (std::vector<int>{1, 2})) << how;
    EXPECT_EQ(received, 3) << how;
    EXPECT_EQ(world.metrics().all_dead_letters(), 0u) << how;
  }
}

struct begin_work {};

/// Its handler takes longer than its receive timeout.
class busy_idler : public actor<begin_work> {
public:
  explicit busy_idler(std::vector<std::uint64_t>* idle_ms) : idle_ms_(idle_ms) {}
  void pre_start(context& ctx) { EXPECT_TRUE(ctx.set_receive_timeout(100ms, *this)); }
  reentrant_task<void> receive(context& ctx, begin_work) { (void)co_await ctx.sleep(250ms); }
  void receive(context& ctx, const receive_timeout&) {
    idle_ms_->push_back(ctx.now_ns() / 1'000'000);
  }

private:
  std::vector<std::uint64_t>* idle_ms_;
};

// spec: R1 R2
TEST(task_corners, a_message_restarts_the_receive_timeout_when_its_reentrant_handler_begins) {
  simulation world;
  std::vector<std::uint64_t> idle_ms;
  const auto who = world.spawn<busy_idler>("who", &idle_ms);
  world.run_for(60ms);
  who.tell(begin_work{});
  world.run_for(240ms);
  EXPECT_EQ(idle_ms, (std::vector<std::uint64_t>{160, 260}));
  world.run_for(150ms);
  EXPECT_EQ(idle_ms, (std::vector<std::uint64_t>{160, 260, 410})) << "and when it ends";
}

// spec: P7
TEST(task_corners, a_task_suspends_its_actor_also_while_a_reentrant_one_is_ready) {
  std::vector<int> did;
  simulation world{seed{1}};
  const auto who = world.spawn<mixed_handlers>("mixed", &did);
  who.tell(begin_now{});
  who.tell(tick{});
  who.tell(other{});
  world.run_for(500ms);
  EXPECT_EQ(did, std::vector<int>{2});
  world.run_for(1s);
  EXPECT_EQ(did, (std::vector<int>{2, 1, 3, 4}));
}

// Yields until `other` has come; for a tick, three times.
class poller : public actor<question, tick, other> {
public:
  explicit poller(std::vector<int>* did) : did_(did) {}
  reentrant_task<int> receive(context& ctx, question) {
    int yields = 0;
    while (!open_ && yields < 100) {
      ++yields;
      co_await ctx.yield();
    }
    co_return yields;
  }
  task<void> receive(context& ctx, tick) {
    for (int part = 0; part < 3; ++part) {
      did_->push_back(part);
      co_await ctx.yield();
    }
  }
  void receive(context&, other) {
    open_ = true;
    did_->push_back(7);
  }

private:
  std::vector<int>* did_;
  bool open_ = false;
};

// spec: A3 P7
TEST(task_corners, a_reentrant_handler_that_yields_lets_its_actor_handle_a_message) {
  for (const mailbox_options& box : {mailbox_presets::unbounded, mailbox_presets::prioritized}) {
    std::vector<int> did;
    simulation world{seed{1}};
    const auto who = world.spawn<poller>({.name = "poller", .mailbox = box}, &did);
    auto yields = world.ask(who, question{}, 1s);
    who.tell(other{});
    EXPECT_EQ(std::move(yields).get(), 1);
    EXPECT_EQ(did, (std::vector<int>{7}));
  }
}

// spec: A3 P7
TEST(task_corners, a_handler_that_yields_and_is_not_reentrant_lets_no_message_pass) {
  std::vector<int> did;
  simulation world{seed{1}};
  const auto who = world.spawn<poller>("poller", &did);
  who.tell(tick{});
  who.tell(other{});
  (void)world.run_to_idle();
  EXPECT_EQ(did, (std::vector<int>{0, 1, 2, 7}));
}

// Owes an answer, and keeps the obligation in itself, in a continuation or in a coroutine.
class debtor : public actor<question, tick, begin_now, other> {
public:
  explicit debtor(actor_ref<question> silent) : silent_(silent) {}
  delegated<int> receive(context& ctx, question) {
    owed_ = ctx.reply_later<int>();
    return owed_.as_delegated();
  }
  void receive(context& ctx, tick) {
    ctx.ask(silent_, question{}, 10s,
            [owed = std::move(owed_)](auto answer) mutable { owed.send(answer.value_or(0)); });
  }
  reentrant_task<void> receive(context& ctx, begin_now) {
    auto owed = std::move(owed_);
    (void)co_await ctx.sleep(10s);
    owed.send(0);
  }
  std::expected<void, failure> receive(context&, other) {
    return std::unexpected{failure{"it cannot pay"}};
  }

private:
  actor_ref<question> silent_;
  reply_to<int> owed_;
};

// spec: A2b
TEST(task_corners, an_answer_that_a_restart_drops_wherever_it_was_kept_is_no_end_of_the_actor) {
  for (const bool restarts : {true, false}) {
    const auto expected = restarts ? ask_failure::no_reply : ask_failure::target_terminated;
    const supervision how = restarts ? supervision{restart{}} : supervision{};
    for (const int kept_in : {0, 1, 2}) {
      simulation world{seed{1}};
      const auto silent = world.spawn_probe<question>("silent");
      const auto who = world.spawn<debtor>({.name = "who", .on_failure = how}, silent.ref());
      auto answer = world.ask(who, question{}, 1s);
      if (kept_in == 1) who.tell(tick{});
      if (kept_in == 2) who.tell(begin_now{});
      who.tell(other{});
      const auto got = std::move(answer).get();
      ASSERT_FALSE(got.has_value());
      EXPECT_EQ(got.error().kind, expected) << kept_in;
      EXPECT_EQ(got.error().waited, 0ms);
    }
  }
}

// Stashes the message of a periodic timer after an await.
class late_stasher : public actor<tick> {
public:
  explicit late_stasher(std::vector<int>* did) : did_(did) {}
  void pre_start(context& ctx) { (void)ctx.start_timer(1, every(100ms), tick{}); }
  task<void> receive(context& ctx, tick t) {
    (void)co_await ctx.sleep(10ms);
    did_->push_back(ctx.stash(t) ? 1 : 0);
  }

private:
  std::vector<int>* did_;
};

// spec: A2e A3
TEST(task_corners, each_message_of_a_periodic_timer_can_be_stashed_after_an_await) {
  std::vector<int> did;
  simulation world{seed{1}};
  (void)world.spawn<late_stasher>("stasher", &did);
  world.run_for(350ms);
  EXPECT_EQ(did, (std::vector<int>{1, 1, 1}));
}

// A coroutine handles its timeouts.
class idle_watcher : public actor<other, tick> {
public:
  explicit idle_watcher(std::vector<int>* at_ms) : at_ms_(at_ms) {}
  void pre_start(context& ctx) { (void)ctx.set_receive_timeout(100ms, *this); }
  void receive(context&, other) {}
  reentrant_task<void> receive(context& ctx, tick t) {
    (void)co_await ctx.sleep(60ms);
    (void)ctx.stash(t);
  }
  reentrant_task<void> receive(context& ctx, receive_timeout) {
    at_ms_->push_back(static_cast<int>(ctx.now_ns() / 1'000'000));
    (void)co_await ctx.sleep(60ms);
  }

private:
  std::vector<int>* at_ms_;
};

// spec: R3
TEST(task_corners, the_coroutine_of_a_timeout_is_no_activity) {
  std::vector<int> at_ms;
  simulation world{seed{1}};
  (void)world.spawn<idle_watcher>("idle", &at_ms);
  world.run_for(350ms);
  EXPECT_EQ(at_ms, (std::vector<int>{100, 200, 300}));
}

// spec: R2
TEST(task_corners, a_message_that_a_coroutine_stashes_is_no_activity) {
  std::vector<int> at_ms;
  simulation world{seed{1}};
  world.spawn<idle_watcher>("idle", &at_ms).tell(tick{});
  world.run_for(150ms);
  EXPECT_EQ(at_ms, std::vector<int>{100});
}

class call_count final : public middleware {
public:
  invoke_decision before_invoke(const invocation&) noexcept override {
    ++before;
    return {};
  }
  void after_invoke(const invocation&, invoke_outcome) noexcept override { ++after; }

  int before = 0;
  int after = 0;
};

// spec: I2
TEST(task_corners, middleware_sees_no_notification_that_a_coroutine_handles) {
  std::vector<int> at_ms;
  call_count calls;
  const std::array<middleware*, 1> all{&calls};
  const middleware_chain chain{all};
  simulation world{seed{1}};
  (void)world.spawn<idle_watcher>({.name = "idle", .middleware = &chain}, &at_ms);
  world.run_for(350ms);
  EXPECT_EQ(at_ms.size(), 3U);
  EXPECT_EQ(calls.before, 0);
  EXPECT_EQ(calls.after, 0);
}

// Handles its notifications after a pause. Until it is open it stashes what it is told.
class slow_watcher : public actor<begin_now> {
public:
  slow_watcher(const actor_ref<>& whom, std::vector<int>* did) : whom_(whom), did_(did) {}
  void pre_start(context& ctx) {
    (void)ctx.watch(whom_, *this);
    (void)ctx.set_receive_timeout(100ms, *this);
  }
  void receive(context& ctx, begin_now) {
    open_ = true;
    ctx.unstash_all();
  }
  task<void> receive(context& ctx, terminated t) {
    (void)co_await ctx.sleep(10ms);
    if (!open_) {
      did_->push_back(ctx.stash(t) ? 1 : 0);
      co_return;
    }
    did_->push_back(ctx.sender() == t.who ? 2 : 0);
    co_await ctx.fail("nobody is left");
  }
  task<void> receive(context& ctx, receive_timeout) {
    (void)co_await ctx.sleep(10ms);
    co_await ctx.fail("nothing came");
  }

private:
  actor_ref<> whom_;
  std::vector<int>* did_;
  bool open_ = false;
};

// spec: A3 V4
// case: ST-10
TEST(task_corners, a_notification_that_a_coroutine_handles_keeps_its_type) {
  std::vector<int> did;
  std::vector<std::string> failed_in;
  simulation world{seed{1}};
  const auto events = world.spawn(
      "events", [&](context&, const actor_failed& f) { failed_in.emplace_back(f.message_type); });
  EXPECT_TRUE(world.events().subscribe<actor_failed>(events));
  const auto other_one = world.spawn("other", [](context&, other) {});
  const auto who =
      world.spawn<slow_watcher>({.name = "slow", .on_failure = directive::resume}, other_one, &did);
  world.run_for(10ms);
  world.stop(other_one);
  world.run_for(50ms);
  EXPECT_EQ(did, (std::vector<int>{1})) << "it can be stashed after an await";
  who.tell(begin_now{});
  world.run_for(50ms);
  EXPECT_EQ(did, (std::vector<int>{1, 2}));
  world.run_for(100ms);
  EXPECT_EQ(failed_in, (std::vector<std::string>{"tactor::terminated", "tactor::receive_timeout"}));
}

// Is told of an end while its task is under way.
class busy_watcher : public actor<begin_now> {
public:
  busy_watcher(const actor_ref<>& whom, std::vector<int>* did) : whom_(whom), did_(did) {}
  void pre_start(context& ctx) { (void)ctx.watch(whom_, *this); }
  task<void> receive(context& ctx, begin_now) {
    did_->push_back(1);
    (void)co_await ctx.sleep(20ms);
    did_->push_back(2);
    (void)co_await ctx.sleep(20ms);
    did_->push_back(3);
  }
  void receive(context&, const terminated&) { did_->push_back(8); }

private:
  actor_ref<> whom_;
  std::vector<int>* did_;
};

// spec: P1 P7
TEST(task_corners, a_termination_waits_until_the_task_has_ended) {
  std::vector<int> did;
  simulation world{seed{1}};
  const auto other_one = world.spawn("other", [](context&, other) {});
  const auto who = world.spawn<busy_watcher>("busy", other_one, &did);
  who.tell(begin_now{});
  world.run_for(10ms);
  world.stop(other_one);
  world.run_for(50ms);
  EXPECT_EQ(did, (std::vector<int>{1, 2, 3, 8}));
}

// Yields twice.
class pausing : public actor<begin_now> {
public:
  explicit pausing(std::vector<int>* did) : did_(did) {}
  void pre_start(context& ctx) { (void)ctx.set_receive_timeout(100ms, *this); }
  task<void> receive(context& ctx, begin_now) {
    for (int part = 1; part <= 3; ++part) {
      did_->push_back(part);
      co_await ctx.yield();
    }
    did_->push_back(4);
  }
  void receive(context&, receive_timeout) { did_->push_back(9); }

private:
  std::vector<int>* did_;
};

// spec: A3
TEST(task_corners, a_receive_timeout_does_not_come_between_two_parts_of_a_task) {
  std::vector<int> did;
  simulation world{seed{1}};
  world.spawn<pausing>("pausing", &did).tell(begin_now{});
  EXPECT_TRUE(world.run_until([&] { return !did.empty(); }));
  world.clock().jump(150ms);  // the timeout is reached before the next part
  world.run_for(90ms);
  EXPECT_EQ(did, (std::vector<int>{1, 2, 3, 4}));
  world.run_for(20ms);
  EXPECT_EQ(did, (std::vector<int>{1, 2, 3, 4, 9}));
}

struct await_key {
  std::uint64_t key;
  int number;
};

// Each message awaits a signal of its own.
class listener : public actor<await_key> {
public:
  explicit listener(std::vector<int>* did) : did_(did) {}
  reentrant_task<void> receive(context& ctx, await_key w) {
    if (w.number % 2 == 0) {
      (void)co_await ctx.until(signal_key{w.key}, 1h);
    } else {
      co_await ctx.until(signal_key{w.key});
    }
    did_->push_back(w.number);
  }

private:
  std::vector<int>* did_;
};

// spec: A3
TEST(task_corners, a_signal_resumes_all_that_await_it_in_order_and_no_others) {
  std::vector<int> did;
  simulation world{seed{1}};
  const auto who = world.spawn<listener>("who", &did);
  for (int i = 0; i < 40; ++i)
    who.tell(await_key{.key = static_cast<std::uint64_t>(i % 4), .number = i});
  world.run_to_idle();
  EXPECT_TRUE(world.signal(who, signal_key{2}).has_value());
  world.run_to_idle();
  EXPECT_EQ(did, (std::vector<int>{2, 6, 10, 14, 18, 22, 26, 30, 34, 38}));
  did.clear();
  EXPECT_TRUE(world.signal(who, signal_key{3}).has_value());
  world.run_to_idle();
  EXPECT_EQ(did, (std::vector<int>{3, 7, 11, 15, 19, 23, 27, 31, 35, 39}));
  did.clear();
  world.run_for(2h);  // those with a timeout
  EXPECT_EQ(did, (std::vector<int>{0, 4, 8, 12, 16, 20, 24, 28, 32, 36}));
}

// Lends its context.
class lender : public actor<begin_now> {
public:
  explicit lender(tactor::context** to) : to_(to) {}
  void receive(context& ctx, begin_now) { *to_ = &ctx; }

private:
  tactor::context** to_;
};
class borrower : public actor<begin_now, question> {
public:
  explicit borrower(tactor::context** from) : from_(from) {}
  task<void> receive(context&, begin_now) { co_await pause(**from_); }
  task<int> receive(context& ctx, question) {
    (void)co_await all_of(pause(ctx), pause(**from_));
    co_return 1;
  }

private:
  static task<void> pause(tactor::context& ctx) { co_await ctx.sleep(1ms); }
  tactor::context** from_;
};

// Otherwise the helper would be in the lists of another actor, which may run on another thread.
// spec: A3
TEST(task_corners, a_helper_with_the_context_of_another_actor_is_the_handlers_failure) {
  std::vector<std::string> failures;
  simulation world{seed{1}};
  const auto listener = world.spawn(
      "listener", [&](context&, const actor_failed& f) { failures.emplace_back(f.why.text()); });
  ASSERT_TRUE(world.events().subscribe<actor_failed>(listener));
  tactor::context* lent = nullptr;
  const auto other = world.spawn<lender>("lender", &lent);
  other.tell(begin_now{});
  (void)world.run_to_idle();
  const auto who = world.spawn<borrower>({.on_failure = directive::resume}, &lent);
  who.tell(begin_now{});
  const auto answer = world.ask(who, question{}, 1h).get();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ask_failure::target_failed);
  (void)world.run_to_idle();
  ASSERT_EQ(failures.size(), 2u);
  for (const std::string& each : failures)
    EXPECT_NE(each.find("context of another actor"), std::string::npos) << each;
  world.stop(other);
  world.stop(who);
  world.run_for(1s);
  EXPECT_EQ(world.live(), 1u);
}

// spec: A3
TEST(task_corners, a_handler_may_await_another_of_either_kind) {
  class both : public actor<begin_now, question> {
  public:
    reentrant_task<int> receive(context& ctx, question) {
      co_await ctx.sleep(1ms);
      co_return 4;
    }
    task<void> receive(context& ctx, begin_now) {
      const int four = co_await receive(ctx, question{});
      EXPECT_EQ(four, 4);
      EXPECT_EQ(ctx.now_ns(), 10'000'000u);
    }
  };
  simulation world{seed{1}};
  const auto who = world.spawn<both>("both");
  who.tell(begin_now{});
  (void)world.run_to_idle();
  auto answer = world.ask(who, question{}, 1h);
  world.run_for(19ms);
  EXPECT_FALSE(answer.ready()) << "the task suspends its actor";
  EXPECT_EQ(std::move(answer).get(), 4);
}

}  // namespace
}  // namespace tactor
