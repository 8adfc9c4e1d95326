// SPDX-License-Identifier: BSL-1.0
// The metrics of a whole system.
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/metric_table.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/cooperative_system.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"
#include "tactor/testkit/system_drive.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <latch>
#include <string>
#include <thread>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using namespace tactor::testkit;

struct plain {};
struct pass_to {
  actor_ref<plain> next;
  int times;
};
struct doubled {
  int number;
  using reply = int;
};
struct ask_for_double {
  actor_ref<doubled> whom;
};
struct wait_for {
  std::latch* begun;
  std::latch* go_on;
};

class counted_actor : public actor<plain, pass_to, doubled, ask_for_double, wait_for> {
public:
  void receive(context&, const plain&) {}
  void receive(context&, const pass_to& p) {
    for (int i = 0; i < p.times; ++i)
      p.next.tell(plain{});
  }
  int receive(context&, const doubled& d) { return 2 * d.number; }
  void receive(context& ctx, const ask_for_double& a) {
    ctx.ask(a.whom, doubled{4}, 1s, [](context&, const std::expected<int, ask_error>&) {});
  }
  void receive(context&, const wait_for& w) {
    w.begun->count_down();
    w.go_on->wait();
  }
};

system_config on(manual_clock& clock, metrics_level level = metrics_level::system) {
  return {.workers = 2,
          .clock = {.source = &clock, .use = clock_use::test},
          .metrics = {.level = level}};
}

// spec: O1
TEST(metrics, count_messages_of_actors_threads_and_timers_that_a_mailbox_accepted) {
  manual_clock clock;
  actor_system system{on(clock)};
  actor_system other{on(clock)};
  const system_drive drive{clock, system};
  const auto one = system.spawn<counted_actor>("one");
  const auto two = system.spawn<counted_actor>("two");
  const auto elsewhere = other.spawn<counted_actor>("elsewhere");

  for (int i = 0; i < 5; ++i)
    one.tell(plain{});
  std::thread{[&] {
    for (int i = 0; i < 10; ++i) {
      two.tell(plain{});
      elsewhere.tell(plain{});
    }
  }}.join();
  testkit::system_steps::settle(system);
  testkit::system_steps::settle(other);
  EXPECT_EQ(system.metrics().messages_sent, 15u);
  EXPECT_EQ(other.metrics().messages_sent, 10u);

  one.tell(pass_to{two, 3});
  testkit::system_steps::settle(system);
  EXPECT_EQ(system.metrics().messages_sent, 19u);

  ASSERT_TRUE(system.schedule_once(10ms, one, plain{}).has_value());
  auto every = system.schedule_at_fixed_rate(10ms, 10ms, two, plain{});
  ASSERT_TRUE(every.has_value());
  clock.advance(40ms);
  every->cancel();
  EXPECT_EQ(system.metrics().messages_sent, 24u);

  one.tell(ask_for_double{two});  // the message, the ask and the answer
  testkit::system_steps::settle(system);
  EXPECT_EQ(system.metrics().messages_sent, 27u);
  EXPECT_EQ(system.metrics().messages_handled, 27u);
  EXPECT_EQ(other.metrics().messages_handled, 10u);
}

// spec: O1
TEST(metrics, do_not_count_answers_to_threads_outside_which_no_actor_handles) {
  actor_system system{{.workers = 1, .metrics = {.level = metrics_level::system}}};
  const auto one = system.spawn<counted_actor>("one");
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(system.ask(one, doubled{i}, 10s).get(), 2 * i);
  EXPECT_TRUE(system.shutdown(10s).complete);
  EXPECT_EQ(system.metrics().messages_sent, 5u);
  EXPECT_EQ(system.metrics().messages_handled, 5u);
}

// spec: O1
TEST(metrics, do_not_count_messages_that_were_refused) {
  manual_clock clock;
  actor_system system{on(clock)};
  const auto full = system.spawn<counted_actor>({.name = "full", .mailbox = {.capacity = 2}});
  std::latch begun{1}, go_on{1};
  full.tell(wait_for{&begun, &go_on});
  begun.wait();
  for (int i = 0; i < 5; ++i)
    full.tell(plain{});
  go_on.count_down();
  testkit::system_steps::settle(system);
  const metrics_snapshot counted = system.metrics();
  EXPECT_EQ(counted.messages_sent, 3u);
  EXPECT_EQ(counted.messages_handled, 3u);
  EXPECT_EQ(counted.dead_letters_for(drop_reason::full), 3u);

  system.stop(full);
  testkit::system_steps::settle(system);
  full.tell(plain{});
  EXPECT_EQ(system.metrics().messages_sent, 3u);
}

struct unknown {};

// spec: O1
TEST(metrics, count_a_message_without_a_handler_as_sent_and_unhandled_but_not_as_handled) {
  const auto send_to = [](const actor_ref<>& whom) {
    const actor_ref<plain, unknown> wrong{whom.slot(), whom.generation()};
    wrong.tell(plain{});
    wrong.tell(unknown{});
    wrong.tell(plain{});
    wrong.tell(unknown{});
  };
  const auto check = [](const metrics_snapshot& counted) {
    EXPECT_EQ(counted.messages_sent, 4u);
    EXPECT_EQ(counted.messages_handled, 2u);
    EXPECT_EQ(counted.dead_letters_for(drop_reason::unhandled), 2u);
  };
  manual_clock clock;
  actor_system system{on(clock)};
  send_to(system.spawn<counted_actor>("one"));
  testkit::system_steps::settle(system);
  check(system.metrics());

  cooperative_system alone;
  send_to(alone.spawn<counted_actor>("one"));
  while (alone.poll() != 0) {
  }
  check(alone.metrics());
}

// spec: O1
TEST(metrics, of_a_cooperative_system_count_sends_inside_and_outside_of_its_loop) {
  cooperative_system system;
  const auto one = system.spawn<counted_actor>("one");
  const auto two = system.spawn<counted_actor>("two");
  one.tell(pass_to{two, 3});
  EXPECT_EQ(system.metrics().messages_sent, 1u);
  EXPECT_EQ(system.metrics().ready_queue_depth, 2u);
  system.poll();
  EXPECT_EQ(system.metrics().messages_sent, 4u);
  EXPECT_EQ(system.metrics().ready_queue_depth, 0u);
}

struct fail_now {};
class asking_actor : public actor<ask_for_double, fail_now> {
public:
  void receive(context& ctx, const ask_for_double& a) {
    ctx.ask(a.whom, doubled{4}, 1s, [](context&, const std::expected<int, ask_error>&) {});
  }
  std::expected<void, failure> receive(context&, fail_now) {
    return std::unexpected{failure{"on purpose"}};
  }
};

// The mailbox has accepted it, behind the message with which the actor fails.
// spec: O1
TEST(metrics, count_the_news_that_no_answer_comes_also_if_the_ask_has_ended) {
  cooperative_system system{
      {.dispatch = {.throughput = 1}, .log = {.sink = +[](const log_record&) noexcept {}}}};
  const auto silent = system.spawn(
      "silent", [](context& ctx, const doubled&) { return ctx.reply_later<int>().as_delegated(); });
  const auto asks = system.spawn<asking_actor>({.name = "asks", .on_failure = restart{}});
  asks.tell(ask_for_double{silent});
  asks.tell(fail_now{});
  system.poll();
  const metrics_snapshot now = system.metrics();
  EXPECT_EQ(now.messages_sent, 4u);
  EXPECT_EQ(now.messages_handled, 4u);
  EXPECT_EQ(now.all_dead_letters(), 0u);
}

// spec: O1
TEST(metrics, are_measured_at_the_level_that_was_chosen) {
  for (const metrics_level level : {metrics_level::off, metrics_level::system}) {
    manual_clock clock;
    actor_system system{on(clock, level)};
    const auto one = system.spawn<counted_actor>("one");
    one.tell(pass_to{one, 2});
    actor_ref<plain>{}.tell(plain{});
    testkit::system_steps::settle(system);
    const bool measured = level != metrics_level::off;
    EXPECT_EQ(system.metrics() != metrics_snapshot{}, measured);
    EXPECT_EQ(system.metrics().messages_handled, measured ? 3u : 0u);
  }
}

// spec: O1
TEST(metrics, know_how_many_actors_wait_for_a_worker) {
  manual_clock clock;
  system_config config = on(clock);
  config.workers = 1;
  actor_system system{config};
  std::vector<actor_ref<plain>> others;
  for (int i = 0; i < 20; ++i)
    others.push_back(system.spawn<counted_actor>("other"));
  const auto blocked = system.spawn<counted_actor>("blocked");
  testkit::system_steps::settle(system);
  EXPECT_EQ(system.metrics().ready_queue_depth, 0u);
  std::latch begun{1}, go_on{1};
  blocked.tell(wait_for{&begun, &go_on});
  begun.wait();
  for (const auto& each : others)
    each.tell(plain{});
  EXPECT_EQ(system.metrics().ready_queue_depth, 20u);
  go_on.count_down();
  testkit::system_steps::settle(system);
  EXPECT_EQ(system.metrics().ready_queue_depth, 0u);
}

// spec: P5
TEST(metrics, add_up_how_long_actors_were_suspended_and_how_long_resumes_took) {
  simulation world{seed{1}};
  const auto one = world.spawn<counted_actor>("one");
  const auto two = world.spawn<counted_actor>("two");
  world.run_for(1ms);
  EXPECT_EQ(world.metrics().resumes_timed, 0u);
  world.suspend(one);
  world.suspend(two);
  world.run_for(10ms);
  EXPECT_EQ(world.metrics().suspended_ns, 0u);
  world.resume(one);
  world.run_for(5ms);
  EXPECT_EQ(world.metrics().suspended_ns, 10'000'000u);
  world.resume(two);
  world.clock().jump(2ms);  // the request waits
  world.run_for(1ms);
  const metrics_snapshot counted = world.metrics();
  EXPECT_EQ(counted.suspensions, 2u);
  EXPECT_EQ(counted.resumes, 2u);
  EXPECT_EQ(counted.suspended_ns, 27'000'000u);
  EXPECT_EQ(counted.resumes_timed, 2u);
  EXPECT_EQ(counted.resume_latency_ns, 2'000'000u);
}

TEST(metrics, know_the_memory_of_ready_queues_and_registry) {
  manual_clock clock;
  system_config config = on(clock);
  config.workers = 1;
  actor_system small{config};
  config.workers = 3;
  actor_system large{config};
  EXPECT_GT(large.metrics().coordinator_bytes, small.metrics().coordinator_bytes);
  const std::uint64_t before = small.metrics().registry_bytes;
  for (int i = 0; i < 100'000; ++i)
    (void)small.spawn<counted_actor>(spawn_options{});
  EXPECT_GE(small.metrics().registry_bytes, before);
  EXPECT_GE(small.metrics().registry_bytes, 100'000u * 256);
}

}  // namespace
}  // namespace tactor
