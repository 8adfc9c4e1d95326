// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/message_cost.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

// A worker as a searching worker sees it, and a clock.
struct observed {
  message_cost cost;
  worker_view view{.progress = 0, .idles = 1, .runs = true, .now_ns = 1'000'000};

  void look() { cost.observe(view); }
  void pass(std::uint64_t ns, std::uint64_t done) {
    view.now_ns += ns;
    view.progress += done;
  }
};

TEST(message_cost, is_unknown_after_one_look) {
  observed worker;
  worker.view.idles = 0;  // it has run since it started
  worker.look();
  EXPECT_EQ(worker.cost.ns(), 0u);
}

TEST(message_cost, is_the_average_between_two_looks) {
  observed worker;
  worker.look();
  worker.pass(100'000, 10);
  worker.look();
  EXPECT_EQ(worker.cost.ns(), 10'000u);
  worker.pass(100'000, 1000);
  worker.look();
  EXPECT_EQ(worker.cost.ns(), 100u) << "what was before does not count any more";
}

TEST(message_cost, is_not_judged_by_a_time_that_is_too_short) {
  observed worker;
  worker.look();
  worker.pass(message_cost::window_ns - 1, 1);
  worker.look();
  EXPECT_EQ(worker.cost.ns(), 0u);
  worker.pass(1, 1);
  worker.look();
  EXPECT_EQ(worker.cost.ns(), message_cost::window_ns / 2) << "from the first look";
}

TEST(message_cost, of_a_handler_that_has_not_returned_is_at_least_what_has_passed) {
  observed worker;
  worker.look();
  worker.pass(7'000, 0);
  worker.look();
  EXPECT_EQ(worker.cost.ns(), 7'000u);
  worker.pass(90'000, 0);
  worker.look();
  EXPECT_EQ(worker.cost.ns(), 97'000u);
}

TEST(message_cost, leaves_out_the_time_in_which_the_worker_was_idle) {
  observed worker;
  worker.look();
  worker.pass(1'000'000, 1);
  ++worker.view.idles;  // it had nothing to run in between
  worker.look();
  EXPECT_EQ(worker.cost.ns(), 0u);
  worker.pass(1'000'000, 0);
  worker.view.runs = false;  // it has nothing to run
  worker.look();
  worker.look();
  EXPECT_EQ(worker.cost.ns(), 0u);
  worker.view.runs = true;
  worker.pass(40'000, 4);
  worker.look();
  EXPECT_EQ(worker.cost.ns(), 10'000u);
}

TEST(message_cost, has_a_largest_value) {
  observed worker;
  worker.look();
  worker.pass(std::uint64_t{1} << 40, 0);
  worker.look();
  EXPECT_EQ(worker.cost.ns(), std::numeric_limits<std::uint32_t>::max());
}

TEST(message_cost, says_when_cells_are_worth_stealing) {
  EXPECT_FALSE(is_worth_stealing(7, 100));
  EXPECT_TRUE(is_worth_stealing(1, 5'000));
  EXPECT_FALSE(is_worth_stealing(0, 5'000));
}

TEST(message_cost, says_when_cells_are_worth_a_wake) {
  EXPECT_TRUE(is_worth_waking(1, 50'000))
      << "jobs of 100 µs: half for the turn, half for the message";
  EXPECT_FALSE(is_worth_waking(1, 5'000)) << "done before another worker starts";
  EXPECT_TRUE(is_worth_waking(4, 2'500));
  EXPECT_FALSE(is_worth_waking(0, 50'000));
  EXPECT_FALSE(is_worth_waking(1'000, 100)) << "the number of cells decides";
}

TEST(message_cost, says_when_a_watcher_searches) {
  EXPECT_TRUE(watcher_searches(0)) << "nothing is known";
  EXPECT_FALSE(watcher_searches(1));
  EXPECT_FALSE(watcher_searches(long_message_ns - 1));
  EXPECT_TRUE(watcher_searches(long_message_ns));
}

}  // namespace
}  // namespace tactor::inline v0::host
