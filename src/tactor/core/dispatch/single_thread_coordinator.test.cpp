// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/dispatch/single_thread_coordinator.hpp"

#include "tactor/core/dispatch/coordinator_suite.test.hpp"

#include <gtest/gtest.h>

namespace tactor {
namespace {

// spec: D1
// case: RQ-01
TEST(single_thread_coordinator, a_registered_cell_is_drained_once) {
  single_thread_coordinator subject;
  coordinator_suite::a_registered_cell_is_drained_once(subject);
}

// spec: D1
// case: RQ-02
TEST(single_thread_coordinator, a_cell_that_is_registered_twice_is_drained_once) {
  single_thread_coordinator subject;
  coordinator_suite::a_cell_that_is_registered_twice_is_drained_once(subject);
}

// An interrupt registers a cell that was idle.
// case: RQ-03
TEST(single_thread_coordinator, a_cell_that_an_interrupt_registers_waits_behind_queued_cells) {
  single_thread_coordinator subject;
  ready_cell first;
  ready_cell second;
  subject.register_ready(first);
  subject.register_ready(second);
  subject.register_ready(second);  // it keeps its position, and is there once
  ready_cell* taken[3] = {};
  ASSERT_EQ(subject.drain_ready_cycle(taken), 2u);
  EXPECT_EQ(taken[0], &first);
  EXPECT_EQ(taken[1], &second);
}

// case: RQ-03
TEST(single_thread_coordinator, a_drain_takes_as_many_as_it_may_first_come_first_served) {
  single_thread_coordinator subject;
  coordinator_suite::a_drain_takes_as_many_as_it_may_first_come_first_served(subject);
}

// case: RQ-04
TEST(single_thread_coordinator, an_unregistered_cell_is_not_drained) {
  single_thread_coordinator subject;
  coordinator_suite::an_unregistered_cell_is_not_drained(subject);
}

// case: RQ-04
TEST(single_thread_coordinator, an_unregistered_cell_that_is_registered_again_is_drained_once) {
  single_thread_coordinator subject;
  coordinator_suite::an_unregistered_cell_that_is_registered_again_is_drained_once(subject);
}

// case: RQ-04
TEST(single_thread_coordinator, a_skipped_cell_does_not_count_in_a_drain) {
  single_thread_coordinator subject;
  coordinator_suite::a_skipped_cell_does_not_count_in_a_drain(subject);
}

// spec: D1 I1a
// case: RQ-05
TEST(single_thread_coordinator, a_result_queues_the_cell_again_if_there_is_more_to_do) {
  single_thread_coordinator subject;
  coordinator_suite::a_result_queues_the_cell_again_if_there_is_more_to_do(subject);
}

// spec: D3
TEST(single_thread_coordinator, a_cell_that_yields_waits_behind_queued_cells) {
  single_thread_coordinator subject;
  coordinator_suite::a_cell_that_yields_waits_behind_queued_cells(subject);
}

// case: RQ-06
TEST(single_thread_coordinator, the_signal_says_whether_there_is_something_to_drain) {
  single_thread_coordinator subject;
  coordinator_suite::the_signal_says_whether_there_is_something_to_drain(subject);
}

TEST(single_thread_coordinator, its_usage_is_the_number_of_cells_that_wait) {
  single_thread_coordinator subject;
  coordinator_suite::cells some;
  EXPECT_EQ(subject.usage().cells, 0u);
  subject.register_ready(some[1]);
  subject.register_ready(some[2]);
  subject.register_ready(some[3]);
  EXPECT_EQ(subject.usage().cells, 3u);
  EXPECT_EQ(subject.usage().bytes, sizeof(subject));
  subject.unregister(some[2]);
  EXPECT_EQ(some.drain(subject, 1), 1u);
  EXPECT_EQ(subject.usage().cells, 1u);
}

}  // namespace
}  // namespace tactor
