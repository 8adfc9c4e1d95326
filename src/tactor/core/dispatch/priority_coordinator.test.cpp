// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/dispatch/priority_coordinator.hpp"

#include "tactor/core/dispatch/coordinator_suite.test.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace tactor {
namespace {

/// A coordinator and its levels.
template <std::size_t Levels>
struct leveled {
  std::array<priority_coordinator::level, Levels> levels;
  priority_coordinator subject{levels};
};

TEST(priority_coordinator, cells_of_one_priority_are_served_like_those_of_any_coordinator) {
  leveled<3> use;
  coordinator_suite::a_registered_cell_is_drained_once(use.subject);
  coordinator_suite::a_cell_that_is_registered_twice_is_drained_once(use.subject);
  coordinator_suite::an_unregistered_cell_is_not_drained(use.subject);
  coordinator_suite::an_unregistered_cell_that_is_registered_again_is_drained_once(use.subject);
  coordinator_suite::a_skipped_cell_does_not_count_in_a_drain(use.subject);
  coordinator_suite::a_result_queues_the_cell_again_if_there_is_more_to_do(use.subject);
  coordinator_suite::a_cell_that_yields_waits_behind_queued_cells(use.subject);
  coordinator_suite::the_signal_says_whether_there_is_something_to_drain(use.subject);
}

TEST(priority_coordinator, a_drain_takes_as_many_as_it_may_first_come_first_served) {
  leveled<1> use;
  coordinator_suite::a_drain_takes_as_many_as_it_may_first_come_first_served(use.subject);
}

TEST(priority_coordinator, the_highest_priority_is_served_first_and_each_in_order) {
  leveled<3> use;
  coordinator_suite::cells some;
  some[1].priority = 1;
  some[3].priority = 2;
  some[4].priority = 1;
  some[5].priority = 2;
  for (unsigned n = 1; n <= 5; ++n)
    use.subject.register_ready(some[n]);
  EXPECT_EQ(some.drain(use.subject, 10), 35'142u);
}

TEST(priority_coordinator, a_cell_that_becomes_ready_overtakes_those_that_wait) {
  leveled<2> use;
  coordinator_suite::cells some;
  some[3].priority = 1;
  use.subject.register_ready(some[1]);
  use.subject.register_ready(some[2]);
  EXPECT_EQ(some.drain(use.subject, 1), 1u);
  use.subject.register_ready(some[3]);  // as an interrupt does
  EXPECT_EQ(some.drain(use.subject, 1), 3u);
  EXPECT_EQ(some.drain(use.subject, 10), 2u);
}

TEST(priority_coordinator, it_has_32_levels_at_most_and_a_cell_above_them_is_in_the_highest) {
  leveled<priority_coordinator::most_levels> use;
  coordinator_suite::cells some;
  some[2].priority = 31;
  some[3].priority = 255;
  for (unsigned n = 1; n <= 3; ++n)
    use.subject.register_ready(some[n]);
  EXPECT_EQ(some.drain(use.subject, 10), 231u);
  EXPECT_EQ(use.subject.poll_wait_signal(), wait_signal::pending);
}

TEST(priority_coordinator, a_cell_is_taken_out_wherever_it_waits) {
  leveled<2> use;
  coordinator_suite::cells some;
  some[2].priority = 1;
  for (unsigned n = 1; n <= 3; ++n)
    use.subject.register_ready(some[n]);
  use.subject.unregister(some[2]);  // in the inbox
  EXPECT_EQ(use.subject.usage().cells, 2u);
  EXPECT_EQ(some.drain(use.subject, 1), 1u);
  use.subject.unregister(some[3]);  // sorted
  EXPECT_EQ(use.subject.usage().cells, 0u);
  EXPECT_EQ(use.subject.usage().bytes, sizeof(use));
  EXPECT_EQ(use.subject.poll_wait_signal(), wait_signal::pending);
  EXPECT_EQ(some.drain(use.subject, 10), 0u);
}

}  // namespace
}  // namespace tactor
