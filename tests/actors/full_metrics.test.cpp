// SPDX-License-Identifier: BSL-1.0
// Times, and figures of workers and single actors.
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/metrics/metrics_report.hpp"
#include "tactor/host/metrics/prometheus.hpp"
#include "tactor/host/string_sink.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/system_drive.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <latch>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using namespace tactor::testkit;

struct pulse {};
struct fills_its_block {
  std::array<char, 32> bytes{};
};
struct send_and_wait {
  actor_ref<pulse, fills_its_block> next;
  std::latch* begun;
  std::latch* go_on;
};
struct count_down_from {
  int left;
};

class measured_actor : public actor<pulse, fills_its_block, send_and_wait, count_down_from> {
public:
  void receive(context&, const pulse&) {}
  void receive(context&, const fills_its_block&) {}
  void receive(context&, const send_and_wait& w) {
    w.next.tell(fills_its_block{});
    w.next.tell(pulse{});
    w.begun->count_down();
    w.go_on->wait();
  }
  void receive(context& ctx, const count_down_from& c) {
    if (c.left > 1) ctx.self().tell(count_down_from{c.left - 1});
  }
};

system_config at_level(manual_clock& clock, metrics_level level) {
  return {.workers = 1,
          .clock = {.source = &clock, .use = clock_use::test},
          .metrics = {.level = level}};
}

/// Lets `first` handle a message for 3 ms, in which it sends to `second`.
template <class First, class Second>
void be_slow(actor_system& system, manual_clock& clock, const First& first, const Second& second) {
  std::latch begun{1}, go_on{1};
  first.tell(send_and_wait{second, &begun, &go_on});
  begun.wait();
  clock.jump(3ms);
  go_on.count_down();
  system_steps::settle(system);
}

bool is_about_3_ms(const histogram_counts& counts) {
  return counts.below(1 << 21) == 0 && counts.below(1 << 22) == counts.size();
}

const actor_report* find(const metrics_report& in, std::string_view label) {
  const auto found = std::ranges::find(in.actors, label, &actor_report::label);
  return found == in.actors.end() ? nullptr : &*found;
}

// spec: O2
TEST(full_metrics, measure_how_long_a_handler_takes_and_how_long_a_message_waits) {
  manual_clock clock{1'000'000};
  actor_system system{at_level(clock, metrics_level::system)};
  const auto first = system.spawn<measured_actor>("first");
  const auto second = system.spawn<measured_actor>("second");
  system_steps::settle(system);
  EXPECT_EQ(system.full_metrics().invoke_duration.size(), 0u);

  for (int i = 0; i < 2'000; ++i)  // one turn in 509 is measured
    be_slow(system, clock, first, second);
  system_steps::settle(system);

  const metrics_report all = system.full_metrics();
  EXPECT_GE(all.invoke_duration.size(), 7u);
  EXPECT_LE(all.invoke_duration.size(), 9u);
  EXPECT_GE(all.invoke_duration.sum, 3'000'000u);
  EXPECT_GE(all.latency.size(), 1u);
  EXPECT_EQ(all.invoke_duration.sum % 3'000'000, 0u);
  EXPECT_TRUE(all.actors.empty()) << "that is level `actor`";
}

// spec: O1, O2
TEST(full_metrics, know_how_long_each_worker_was_busy) {
  manual_clock clock{1'000'000};
  actor_system system{at_level(clock, metrics_level::system)};
  const auto first = system.spawn<measured_actor>("first");
  system_steps::settle(system);
  clock.jump(9ms);
  be_slow(system, clock, first, first);
  system_steps::settle(system);
  const metrics_report all = system.full_metrics();
  ASSERT_EQ(all.workers.size(), 1u);
  EXPECT_EQ(all.workers[0].name, "worker-0");
  EXPECT_EQ(all.workers[0].busy_ns, 3'000'000u);
  EXPECT_EQ(all.workers[0].idle_ns, 9'000'000u);
  EXPECT_DOUBLE_EQ(all.workers[0].busy_ratio(), 0.25);
}

// spec: O2
TEST(full_metrics, tell_actors_apart_at_level_actor) {
  manual_clock clock{1'000'000};
  actor_system system{at_level(clock, metrics_level::actor)};
  const auto first = system.spawn<measured_actor>("first");
  const auto second = system.spawn<measured_actor>("second");
  for (int i = 0; i < 3; ++i)
    system.spawn<measured_actor>("many").tell(pulse{});
  system.spawn<measured_actor>(spawn_options{}).tell(pulse{});
  for (int i = 0; i < 2'000; ++i)
    be_slow(system, clock, first, second);
  system_steps::settle(system);

  const metrics_report all = system.full_metrics();
  ASSERT_NE(find(all, "/user/first"), nullptr);
  ASSERT_NE(find(all, "/user/second"), nullptr);
  ASSERT_NE(find(all, "/user/many-*"), nullptr);
  ASSERT_NE(find(all, "/user/$"), nullptr);
  EXPECT_EQ(find(all, "/user/first")->taken, 2'000u);
  EXPECT_EQ(find(all, "/user/second")->taken, 4'000u);
  EXPECT_EQ(find(all, "/user/many")->taken, 1u);
  EXPECT_EQ(find(all, "/user/many-*")->taken, 2u);
  EXPECT_EQ(find(all, "/user/$")->taken, 1u);
  EXPECT_EQ(all.labels_left_out, 0u);

  histogram_counts durations, latencies;
  for (const actor_report& each : all.actors) {
    durations += each.duration;
    latencies += each.latency;
  }
  EXPECT_EQ(durations, all.invoke_duration);
  EXPECT_EQ(latencies, all.latency);
  EXPECT_GE(find(all, "/user/second")->latency.size(), 1u);
  EXPECT_TRUE(is_about_3_ms(find(all, "/user/second")->latency));
}

// spec: O2
TEST(full_metrics, know_how_many_messages_wait_in_a_mailbox_with_a_capacity) {
  std::latch begun{1}, go_on{1};
  manual_clock clock{1'000'000};
  actor_system system{at_level(clock, metrics_level::actor)};
  const auto one =
      system.spawn<measured_actor>(spawn_options{.name = "one", .mailbox = {.capacity = 10}});
  one.tell(pulse{});
  system_steps::settle(system);
  one.tell(send_and_wait{{}, &begun, &go_on});
  begun.wait();
  one.tell(pulse{});
  one.tell(pulse{});
  EXPECT_EQ(find(system.full_metrics(), "/user/one")->waiting, 2u);
  EXPECT_EQ(find(system.full_metrics(), "/user/one")->taken, 1u);
  go_on.count_down();
  system_steps::settle(system);
  EXPECT_EQ(find(system.full_metrics(), "/user/one")->waiting, 0u);
  EXPECT_EQ(find(system.full_metrics(), "/user/one")->taken, 4u);
}

// spec: O2 O7b
TEST(full_metrics, do_not_know_how_many_messages_wait_in_a_mailbox_that_does_not_count) {
  std::latch begun{1}, go_on{1};
  manual_clock clock{1'000'000};
  actor_system system{at_level(clock, metrics_level::actor)};
  const auto one = system.spawn<measured_actor>("one");
  one.tell(pulse{});
  system_steps::settle(system);
  EXPECT_EQ(find(system.full_metrics(), "/user/one")->waiting, 0u);
  one.tell(send_and_wait{{}, &begun, &go_on});
  begun.wait();
  one.tell(pulse{});
  const metrics_report busy = system.full_metrics();
  EXPECT_EQ(find(busy, "/user/one")->waiting, std::nullopt) << "some, and 0 would be wrong";
  std::string text;
  string_sink to{text};
  write_prometheus(busy, to);
  EXPECT_NE(text.find("enqueued_total{actor=\"/user/one\""), std::string::npos);
  EXPECT_EQ(text.find("depth{actor=\"/user/one\""), std::string::npos);
  go_on.count_down();
  system_steps::settle(system);
  EXPECT_EQ(find(system.full_metrics(), "/user/one")->waiting, 0u);
}

struct ranked {
  int number;
  int priority;
};
struct hold {
  std::latch* begun;
  std::latch* go_on;
};
class ranked_actor : public actor<ranked, hold> {
public:
  explicit ranked_actor(std::vector<int>* seen) : seen_(seen) {}
  void receive(context&, const ranked& r) { seen_->push_back(r.number); }
  void receive(context&, const hold& h) {
    h.begun->count_down();
    h.go_on->wait();
  }

private:
  std::vector<int>* seen_;
};

// The first message of a thread is noted.
TEST(full_metrics, leave_a_message_its_priority_when_its_send_is_noted) {
  std::vector<int> seen;
  std::latch begun{1}, go_on{1};
  manual_clock clock{1'000'000};
  actor_system system{at_level(clock, metrics_level::system)};
  const auto one = system.spawn<ranked_actor>(
      spawn_options{.name = "one", .mailbox = {.capacity = 10, .order = mailbox_order::priority}},
      &seen);
  one.tell(hold{&begun, &go_on});
  begun.wait();
  one.tell(ranked{1, 50});
  std::thread{[&] { one.tell(ranked{2, 3}); }}.join();
  go_on.count_down();
  system_steps::settle(system);
  EXPECT_EQ(seen, (std::vector<int>{2, 1}));
}

// spec: O1
TEST(full_metrics, follow_a_level_that_is_changed_while_the_system_runs) {
  manual_clock clock{1'000'000};
  actor_system system{at_level(clock, metrics_level::off)};
  const auto one = system.spawn<measured_actor>("one");
  const auto work = [&] {
    one.tell(count_down_from{10});
    actor_ref<pulse>{}.tell(pulse{});
    system_steps::settle(system);
  };
  work();
  EXPECT_EQ(system.metrics(), metrics_snapshot{});

  system.set_metrics_level(metrics_level::system);
  EXPECT_EQ(system.measured_level(), metrics_level::system);
  EXPECT_EQ(system.metrics().messages_sent, 0u) << "what was sent at `off` is not counted";
  work();
  EXPECT_EQ(system.metrics().messages_sent, 10u);
  EXPECT_EQ(system.metrics().messages_handled, 10u);
  EXPECT_TRUE(system.full_metrics().actors.empty());

  system.set_metrics_level(metrics_level::off);
  work();
  EXPECT_EQ(system.metrics(), metrics_snapshot{});
  EXPECT_TRUE(system.full_metrics().workers.empty());

  system.set_metrics_level(metrics_level::trace);
  work();
  EXPECT_EQ(system.metrics().messages_sent, 20u);
  EXPECT_EQ(system.metrics().messages_handled, 20u);
  ASSERT_NE(find(system.full_metrics(), "/user/one"), nullptr);
  EXPECT_EQ(find(system.full_metrics(), "/user/one")->taken, 10u);
}

// spec: O2
TEST(full_metrics, have_the_times_of_suspensions) {
  manual_clock clock{1'000'000};
  actor_system system{at_level(clock, metrics_level::system)};
  const auto one = system.spawn<measured_actor>("one");
  system_steps::settle(system);
  system.suspend(one);
  system_steps::settle(system);
  clock.jump(3ms);
  system.resume(one);
  system_steps::settle(system);
  const metrics_report all = system.full_metrics();
  EXPECT_EQ(all.suspended.size(), 1u);
  EXPECT_EQ(all.suspended.sum, 3'000'000u);
  EXPECT_EQ(all.resume_latency.size(), 1u);
}

// spec: O1
TEST(full_metrics, keep_what_threads_measured_that_have_ended) {
  manual_clock clock{1'000'000};
  actor_system system{at_level(clock, metrics_level::actor)};
  const auto pinned = system.spawn<measured_actor>(
      spawn_options{.name = "pinned", .dispatcher = dispatcher::pinned});
  pinned.tell(pulse{});
  pinned.tell(pulse{});
  system_steps::settle(system);
  EXPECT_EQ(system.full_metrics().workers.size(), 2u);
  const std::uint64_t measured = system.full_metrics().invoke_duration.size();
  system.stop(pinned);
  while (system.full_metrics().workers.size() == 2) {
  }
  const metrics_report all = system.full_metrics();
  ASSERT_NE(find(all, "/user/pinned"), nullptr);
  EXPECT_EQ(find(all, "/user/pinned")->taken, 2u);
  EXPECT_EQ(all.invoke_duration.size(), measured);
}

}  // namespace
}  // namespace tactor
