// SPDX-License-Identifier: BSL-1.0
// What a router believes to wait at a worker, after each way in which a message can end.
#include "tactor/patterns/router.hpp"
#include "tactor/testkit.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tactor::patterns {
namespace {

using namespace std::chrono_literals;
using testkit::simulation;

enum class task_kind : std::uint8_t {
  nothing,
  fail,
  keep,     // stash it
  unstash,  // the stash is handled
  clear,    // the stash is dropped
  babble,   // ten messages to itself
  tick,     // a message to itself every second
  pass_on,  // to another actor
  sleep,    // for an hour
  sleep_then_keep,
  unstash_too_early,
  small_stash,
};

struct job {
  task_kind what = task_kind::nothing;
  int priority = 100;
};
struct own {};  // of a worker to itself
struct question {
  using reply = int;
};

struct seen_loads {
  std::vector<route_load> loads;
};

// Sends all to the first worker, and remembers the loads.
class to_first {
public:
  explicit to_first(seen_loads* seen) : seen_(seen) {}
  template <class Message, class LoadOf>
  std::size_t choose(const Message&, std::size_t count, const LoadOf& load_of) const {
    seen_->loads.clear();
    for (std::size_t i = 0; i < count; ++i)
      seen_->loads.push_back(load_of(i));
    return 0;
  }

private:
  seen_loads* seen_;
};

struct log {
  int own = 0;
  int passed_on = 0;
  actor_ref<> worker;
  actor_ref<job> other;
};

class worker : public actor<job, own, question> {
public:
  explicit worker(log* to) : log_(to) {}
  reentrant_task<void> receive(context& ctx, job j) {
    log_->worker = ctx.self();
    if (j.what == task_kind::sleep || j.what == task_kind::sleep_then_keep) co_await ctx.sleep(1h);
    switch (j.what) {
    case task_kind::fail:
      co_await ctx.fail("as told");
      break;
    case task_kind::sleep_then_keep:
    case task_kind::keep:
      if (!ready_) {
        (void)ctx.stash(j);
        co_return;
      }
      break;
    case task_kind::unstash:
      ready_ = true;
      (void)ctx.unstash_all();
      break;
    case task_kind::unstash_too_early:
      (void)ctx.unstash_all();
      break;
    case task_kind::small_stash:
      (void)ctx.set_stash_capacity(1);
      break;
    case task_kind::clear:
      ctx.clear_stash();
      break;
    case task_kind::babble:
      for (int each = 0; each < 10; ++each)
        ctx.self().tell(own{});
      break;
    case task_kind::tick:
      (void)ctx.start_timer("tick", every(1s), own{});
      break;
    case task_kind::pass_on:
      (void)ctx.forward(log_->other, j);
      break;
    default:
      break;
    }
  }
  void receive(context&, own) { ++log_->own; }
  int receive(context&, question) { return 1; }

private:
  log* log_;
  bool ready_ = false;
};

class route_loads : public ::testing::Test {
protected:
  void make(const spawn_options& options = {}) {
    to = spawn_pool<worker>(world, {.workers = 1, .worker = options}, to_first{&seen}, &what);
    (void)world.run_to_idle();
  }
  void tell(task_kind kind, int times = 1) {
    for (int each = 0; each < times; ++each)
      to.tell(job{.what = kind});
    (void)world.run_to_idle();
  }
  // How many wait at the first worker.
  std::uint64_t waiting() {
    to.tell(job{});  // asks for the load, then is handled
    (void)world.run_to_idle();
    return seen.loads.at(0).forwarded - seen.loads.at(0).handled;
  }
  void expect_idle() {
    EXPECT_EQ(waiting(), 0U);
    EXPECT_EQ(counts().handled, counts().forwarded);
  }
  router_counts counts() { return *world.ask(to, count_routed{}, 1s).get(); }

  log what;
  seen_loads seen;
  simulation world;
  actor_ref<job, own, question, resize_pool, count_routed> to;
};

// spec: A7
TEST_F(route_loads, know_nothing_of_what_a_worker_sends_to_itself) {
  make();
  tell(task_kind::babble);
  tell(task_kind::tick);
  tell(task_kind::sleep, 3);
  world.run_for(10s);
  EXPECT_EQ(what.own, 20);
  EXPECT_EQ(waiting(), 3U);
  EXPECT_EQ(counts().handled, 3U) << "babble, tick, and the question for the load";
  world.run_for(1h);
  expect_idle();
}

// spec: A7
TEST_F(route_loads, count_stashed_messages_until_they_end) {
  make();
  tell(task_kind::keep, 3);
  EXPECT_EQ(waiting(), 3U);
  tell(task_kind::clear);
  EXPECT_EQ(waiting(), 0U);
  tell(task_kind::keep, 3);
  tell(task_kind::unstash);
  expect_idle();
}

// spec: A7
TEST_F(route_loads, count_messages_that_coroutines_stash) {
  make();
  tell(task_kind::sleep_then_keep, 3);
  world.run_for(1h);
  EXPECT_EQ(waiting(), 3U);
  EXPECT_EQ(counts().handled, 1U);
  tell(task_kind::unstash);
  EXPECT_EQ(waiting(), 3U) << "they sleep again";
  world.run_for(1h);
  expect_idle();
}

// spec: A7
TEST_F(route_loads, end_with_a_message_that_did_not_fit_the_stash) {
  make();
  tell(task_kind::small_stash);
  tell(task_kind::keep, 3);
  EXPECT_EQ(waiting(), 1U);
  tell(task_kind::clear);
  expect_idle();
}

// A message that is stashed again and again is one message.
// spec: A7
TEST_F(route_loads, count_a_message_that_is_stashed_again_once) {
  make();
  tell(task_kind::keep, 2);
  for (int each = 0; each < 3; ++each)
    tell(task_kind::unstash_too_early);
  EXPECT_EQ(waiting(), 2U);
  tell(task_kind::unstash);
  expect_idle();
}

// spec: A7
TEST_F(route_loads, end_with_failures_and_restarts) {
  for (const directive what_then : {directive::restart, directive::resume}) {
    make({.on_failure = what_then});
    tell(task_kind::keep, 2);
    tell(task_kind::sleep, 3);
    EXPECT_EQ(waiting(), 5U);
    tell(task_kind::fail, 2);
    const bool restarts = what_then == directive::restart;  // coroutines end, the stash is handled
    EXPECT_EQ(waiting(), restarts ? 2U : 5U) << "and stashed again";
    world.run_for(1h);
    EXPECT_EQ(waiting(), 2U);
    tell(task_kind::unstash);
    expect_idle();
  }
}

// spec: A7
TEST_F(route_loads, end_with_what_a_mailbox_drops) {
  using enum overflow_strategy;
  for (const overflow_strategy rule : {drop_oldest, drop_newest, reject, dead_letter}) {
    for (const mailbox_order order : {mailbox_order::arrival, mailbox_order::priority}) {
      make({.mailbox = {.capacity = 3, .overflow = rule, .order = order}});
      tell(task_kind::nothing);
      ASSERT_TRUE(world.suspend(what.worker));
      (void)world.run_to_idle();
      for (int each = 0; each < 10; ++each)
        to.tell(job{.what = task_kind::nothing, .priority = 100 - each});
      (void)world.run_to_idle();
      EXPECT_EQ(waiting(), 3U);
      ASSERT_TRUE(world.resume(what.worker));
      (void)world.run_to_idle();
      const router_counts now = counts();
      EXPECT_EQ(now.forwarded, 12U);
      EXPECT_EQ(now.handled, 4U) << "the others are dead letters";
      EXPECT_EQ(waiting(), 0U);
    }
  }
}

// spec: A7
TEST_F(route_loads, count_what_waits_in_the_outbox_of_the_router) {
  make({.mailbox = mailbox_presets::lossless(2)});
  tell(task_kind::nothing);
  ASSERT_TRUE(world.suspend(what.worker));
  (void)world.run_to_idle();
  for (int each = 0; each < 5; ++each)
    to.tell(job{});
  (void)world.run_to_idle();  // two are there, and with the third the router waits
  ASSERT_TRUE(world.resume(what.worker));
  (void)world.run_to_idle();
  expect_idle();
}

// Drops messages that fail, and holds all while told.
class guard final : public middleware {
public:
  invoke_decision before_invoke(const invocation& next) noexcept override {
    const job* const it = next.message<job>();
    if (it != nullptr && it->what == task_kind::fail) return {.what = invoke_decision::kind::drop};
    if (holds)
      return {.what = invoke_decision::kind::hold, .until = resume_after(std::chrono::seconds{1})};
    return {};
  }
  bool holds = false;
};

// spec: A7
TEST_F(route_loads, end_with_what_a_middleware_drops) {
  guard keeper;
  const std::array<middleware*, 1> all{&keeper};
  const middleware_chain chain{all};
  make({.middleware = &chain});
  tell(task_kind::fail, 3);
  EXPECT_EQ(waiting(), 0U);
  EXPECT_EQ(counts().handled, 1U);
  keeper.holds = true;
  tell(task_kind::nothing, 3);
  EXPECT_EQ(waiting(), 3U);
  keeper.holds = false;
  world.run_for(1s);
  EXPECT_EQ(waiting(), 0U);
  world.shutdown();
}

// spec: A7
TEST_F(route_loads, end_when_a_worker_passes_a_message_on) {
  what.other = world.spawn("other", [this](context&, const job&) { ++what.passed_on; });
  make();
  tell(task_kind::pass_on, 3);
  EXPECT_EQ(what.passed_on, 3);
  expect_idle();
}

// spec: A7
TEST_F(route_loads, of_a_worker_that_ended_are_forgotten) {
  make();
  tell(task_kind::keep, 2);
  tell(task_kind::sleep, 2);
  world.stop(what.worker);
  world.run_for(1s);
  EXPECT_EQ(waiting(), 0U);
  EXPECT_EQ(counts().handled, 2U + 1U) << "what was stashed is lost";
  tell(task_kind::sleep, 2);
  to.tell(resize_pool{0});
  world.run_for(2h);
  EXPECT_EQ(counts().handled, 5U);
}

// spec: A7
TEST_F(route_loads, are_known_of_the_members_of_a_group) {
  const auto one = world.spawn<worker>("one", &what);
  const auto two = world.spawn<worker>("two", &what);
  const std::vector<actor_ref<job, own, question>> members{one, two};
  const auto group = spawn_group(world, "group", least_queued{}, members);
  for (int each = 0; each < 3; ++each) {
    group.tell(job{.what = task_kind::sleep});
    (void)world.run_to_idle();
  }
  const auto three = world.spawn<worker>("three", &what);
  group.tell(add_member<job, own, question>{three});
  group.tell(job{});
  (void)world.run_to_idle();
  EXPECT_EQ(what.worker, actor_ref<>{three});
  for (int each = 0; each < 2; ++each) {
    group.tell(job{.what = task_kind::sleep});
    (void)world.run_to_idle();
  }
  EXPECT_EQ(what.worker, actor_ref<>{two}) << "it has one, as the new one";
  EXPECT_EQ(world.ask(group, count_routed{}, 1s).get()->handled, 1U);
  for (int each = 0; each < 2; ++each)  // also what is handled after the removal
    group.tell(remove_member{each == 0 ? one : three});
  world.run_for(1h);
  EXPECT_EQ(world.ask(group, count_routed{}, 1s).get()->handled, 6U);
  group.tell(remove_member{two});
  EXPECT_EQ(world.ask(group, count_routed{}, 1s).get()->handled, 6U);
  EXPECT_EQ(world.ask(group, count_routed{}, 1s).get()->workers, 0U);
}

// A message that is routed is the same message.
struct alignas(64) wide {
  static constexpr const char* type_name = "wide";
  explicit wide(int of) : number(std::make_unique<int>(of)) {}
  std::unique_ptr<int> number;
  std::array<char, 2000> more{};
};
class keeper : public actor<wide, own> {
public:
  explicit keeper(std::vector<int>* numbers) : numbers_(numbers) {}
  void receive(context& ctx, wide w) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&w) % alignof(wide), 0U);
    numbers_->push_back(*w.number);
    if (numbers_->size() > 3 && *w.number != 3) return;
    EXPECT_TRUE(ctx.stash(std::move(w)));
    if (numbers_->size() > 3) return;
    const wide* const first = ctx.stash_front<wide>();
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(*first->number, 1);
  }
  void receive(context& ctx, own) { EXPECT_TRUE(ctx.unstash_all()); }

private:
  std::vector<int>* numbers_;
};

// spec: A7
TEST_F(route_loads, of_messages_that_are_large_aligned_and_only_moved) {
  std::vector<int> numbers;
  std::vector<std::string> lost;
  const auto watcher = world.spawn("watcher", [&](context&, const dead_letter& d) {
    EXPECT_EQ(d.message_type, "wide");
    lost.emplace_back(d.message.view());
  });
  ASSERT_TRUE(world.events().subscribe<dead_letter>(watcher));
  const auto pool = spawn_pool<keeper>(world, {.workers = 1}, round_robin{}, &numbers);
  for (const int each : {1, 2, 3})
    pool.tell(wide{each});
  (void)world.run_to_idle();
  EXPECT_EQ(world.ask(pool, count_routed{}, 1s).get()->handled, 0U);
  pool.tell(own{});
  (void)world.run_to_idle();
  EXPECT_EQ(numbers, (std::vector{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(world.ask(pool, count_routed{}, 1s).get()->handled, 3U);
  pool.tell(resize_pool{0});
  (void)world.run_to_idle();
  const std::string text = "wide (" + std::to_string(sizeof(wide)) + " bytes)";
  EXPECT_EQ(lost, (std::vector{text})) << "it was stashed once more";
}

// spec: A7
TEST_F(route_loads, count_the_copies_of_a_message) {
  const auto all = spawn_pool<worker>(world, {.workers = 3}, broadcast{}, &what);
  const auto first = spawn_pool<worker>(world, {.workers = 3}, first_answer{1s}, &what);
  EXPECT_EQ(world.ask(all, question{}, 1s).get(), 1);
  EXPECT_EQ(world.ask(first, question{}, 1s).get(), 1);
  all.tell(job{});
  first.tell(job{});
  (void)world.run_to_idle();
  for (const actor_ref<count_routed>& each : {actor_ref<count_routed>{all}, {first}}) {
    const router_counts now = *world.ask(each, count_routed{}, 1s).get();
    EXPECT_EQ(now.forwarded, 6U);
    EXPECT_EQ(now.handled, 6U);
  }
}

}  // namespace
}  // namespace tactor::patterns
