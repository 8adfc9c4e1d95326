// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/observe/metrics_hub.hpp"

#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/observe/worker_counters.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace tactor {

using namespace tactor::internal;

namespace {

// All zero, so that static objects need no flash and no code before `main`.
[[maybe_unused]] constinit metrics_hub static_one;
[[maybe_unused]] constinit worker_counters static_counters;

// spec: O1
TEST(metrics_hub, adds_up_what_all_threads_have_counted) {
  metrics_snapshot of_ended;
  metrics_hub hub{metrics_level::system, &of_ended};
  worker_counters first, second;
  hub.attach(first);
  hub.attach(second);

  first.messages_handled.add(3);
  second.messages_handled.add(4);
  second.turns.add(1);

  const metrics_snapshot sums = hub.scrape();
  EXPECT_EQ(sums.messages_handled, 7u);
  EXPECT_EQ(sums.turns, 1u);
  EXPECT_EQ(sums.messages_sent, 0u);
  hub.detach(first);
  hub.detach(second);
}

// spec: O1
TEST(metrics_hub, adds_up_every_counter) {
  metrics_snapshot of_ended;
  metrics_hub hub{metrics_level::system, &of_ended};
  worker_counters block;
  hub.attach(block);
  block.messages_sent.add(1);
  block.messages_handled.add(2);
  block.system_messages_handled.add(3);
  block.turns.add(4);
  block.yields.add(5);
  block.actors_started.add(6);
  block.actors_stopped.add(7);
  block.failures.add(8);
  block.restarts.add(9);
  block.suspensions.add(10);
  block.resumes.add(11);
  block.suspended_ns.add(13);
  block.resumes_timed.add(14);
  block.resume_latency_ns.add(15);
  block.dead_letters_suppressed.add(12);
  block.mailbox_pressure.add(16);

  const metrics_snapshot expected{.messages_sent = 1,
                                  .messages_handled = 2,
                                  .system_messages_handled = 3,
                                  .turns = 4,
                                  .yields = 5,
                                  .actors_started = 6,
                                  .actors_stopped = 7,
                                  .failures = 8,
                                  .restarts = 9,
                                  .suspensions = 10,
                                  .resumes = 11,
                                  .suspended_ns = 13,
                                  .resumes_timed = 14,
                                  .resume_latency_ns = 15,
                                  .mailbox_pressure = 16,
                                  .dead_letters_suppressed = 12,
                                  .dead_letters = {},
                                  .timers = {}};
  EXPECT_EQ(hub.scrape(), expected);
  hub.detach(block);
}

// spec: O1
TEST(metrics_hub, keeps_the_counts_of_threads_that_ended) {
  metrics_snapshot of_ended;
  metrics_hub hub{metrics_level::system, &of_ended};
  worker_counters ended, other;
  hub.attach(ended);
  hub.attach(other);
  ended.failures.add(2);
  other.failures.add(1);
  ended.count_dead_letter(drop_reason::full);

  const metrics_snapshot before = hub.scrape();
  hub.detach(ended);
  EXPECT_EQ(hub.scrape(), before);

  other.failures.add(1);
  hub.detach(other);
  EXPECT_EQ(hub.scrape().failures, 4u);
}

// spec: O1
TEST(metrics_hub, takes_a_block_with_what_it_holds_already) {
  metrics_snapshot of_ended;
  metrics_hub hub{metrics_level::system, &of_ended};
  worker_counters block;
  block.messages_sent.add(9);
  hub.attach(block);
  EXPECT_EQ(hub.scrape().messages_sent, 9u);
  hub.detach(block);
}

// spec: O1
TEST(metrics_hub, tells_dead_letters_apart_by_reason) {
  metrics_snapshot of_ended;
  metrics_hub hub{metrics_level::system, &of_ended};
  worker_counters first, second;
  hub.attach(first);
  hub.attach(second);
  first.count_dead_letter(drop_reason::stopped);
  second.count_dead_letter(drop_reason::stopped);
  second.count_dead_letter(drop_reason::injected);

  const metrics_snapshot sums = hub.scrape();
  EXPECT_EQ(sums.dead_letters_for(drop_reason::stopped), 2u);
  EXPECT_EQ(sums.dead_letters_for(drop_reason::injected), 1u);
  EXPECT_EQ(sums.dead_letters_for(drop_reason::full), 0u);
  EXPECT_EQ(sums.all_dead_letters(), 3u);
  hub.detach(first);
  hub.detach(second);
}

TEST(metrics_snapshot, knows_how_many_actors_are_alive) {
  metrics_snapshot sums;
  sums.actors_started = 5;
  sums.actors_stopped = 2;
  EXPECT_EQ(sums.actors_alive(), 3u);

  sums.actors_stopped = 6;
  EXPECT_EQ(sums.actors_alive(), 0u);
}

// spec: O7a
TEST(metrics_snapshot, knows_how_many_messages_wait_also_after_refusals) {
  metrics_snapshot sums;
  sums.messages_sent = 10;
  sums.messages_handled = 3;
  sums.messages_cancelled = 1;
  EXPECT_EQ(sums.waiting(), 6u);

  for (std::uint64_t& each : sums.dead_letters)
    each = 5;
  EXPECT_EQ(sums.messages_refused(), drop_reasons * 5);
  EXPECT_EQ(sums.waiting(), 6u) << "refused messages were never counted as sent";

  sums.messages_lost = 2;
  EXPECT_EQ(sums.messages_refused(), drop_reasons * 5 - 2);
  EXPECT_EQ(sums.waiting(), 4u);

  sums.messages_handled = 20;  // read later than what was sent
  EXPECT_EQ(sums.waiting(), 0u);
}

// spec: O1
TEST(metrics_hub, without_a_block_has_sums_of_zero) {
  EXPECT_EQ((metrics_hub{metrics_level::actor}.scrape()), metrics_snapshot{});
}

// spec: O1
TEST(metrics_hub, without_memory_for_ended_blocks_loses_their_counts_only) {
  metrics_hub hub{metrics_level::system};
  worker_counters first, second;
  hub.attach(first);
  hub.attach(second);
  first.messages_sent.add(3);
  second.messages_sent.add(4);
  hub.detach(first);
  EXPECT_EQ(hub.scrape().messages_sent, 4u);
  hub.detach(second);
  EXPECT_EQ(hub.scrape(), metrics_snapshot{});
}

// spec: O1
TEST(metrics_hub, has_the_level_that_was_set_last) {
  metrics_hub hub{metrics_level::system};
  EXPECT_EQ(hub.level(), metrics_level::system);
  for (const metrics_level each : {metrics_level::actor, metrics_level::off}) {
    hub.set_level(each);
    EXPECT_EQ(hub.level(), each);
  }
}

TEST(metrics_hub, measures_nothing_unless_told) {
  EXPECT_EQ(metrics_hub{}.level(), metrics_level::off);
}

}  // namespace
}  // namespace tactor
