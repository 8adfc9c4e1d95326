// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/simulation_coordinator.hpp"

#include "tactor/core/dispatch/coordinator_suite.test.hpp"
#include "tactor/testkit/seed.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace tactor {
namespace {

// spec: D1
// case: RQ-01
TEST(simulation_coordinator, a_registered_cell_is_drained_once) {
  testkit::simulation_coordinator subject{testkit::seed{0}};
  coordinator_suite::a_registered_cell_is_drained_once(subject);
}

// spec: D1
// case: RQ-02
TEST(simulation_coordinator, a_cell_that_is_registered_twice_is_drained_once) {
  testkit::simulation_coordinator subject{testkit::seed{0}};
  coordinator_suite::a_cell_that_is_registered_twice_is_drained_once(subject);
}

// case: RQ-03
TEST(simulation_coordinator, a_drain_takes_as_many_as_it_may_first_come_first_served) {
  testkit::simulation_coordinator subject{testkit::seed{0}};
  coordinator_suite::a_drain_takes_as_many_as_it_may_first_come_first_served(subject);
}

// case: RQ-04
TEST(simulation_coordinator, an_unregistered_cell_is_not_drained) {
  testkit::simulation_coordinator subject{testkit::seed{0}};
  coordinator_suite::an_unregistered_cell_is_not_drained(subject);
}

// case: RQ-04
TEST(simulation_coordinator, an_unregistered_cell_that_is_registered_again_is_drained_once) {
  testkit::simulation_coordinator subject{testkit::seed{0}};
  coordinator_suite::an_unregistered_cell_that_is_registered_again_is_drained_once(subject);
}

// case: RQ-04
TEST(simulation_coordinator, a_skipped_cell_does_not_count_in_a_drain) {
  testkit::simulation_coordinator subject{testkit::seed{0}};
  coordinator_suite::a_skipped_cell_does_not_count_in_a_drain(subject);
}

// spec: D1 I1a
// case: RQ-05
TEST(simulation_coordinator, a_result_queues_the_cell_again_if_there_is_more_to_do) {
  testkit::simulation_coordinator subject{testkit::seed{0}};
  coordinator_suite::a_result_queues_the_cell_again_if_there_is_more_to_do(subject);
}

// spec: D3
TEST(simulation_coordinator, a_cell_that_yields_waits_behind_queued_cells) {
  testkit::simulation_coordinator subject{testkit::seed{0}};
  coordinator_suite::a_cell_that_yields_waits_behind_queued_cells(subject);
}

// case: RQ-06
TEST(simulation_coordinator, the_signal_says_whether_there_is_something_to_drain) {
  testkit::simulation_coordinator subject{testkit::seed{0}};
  coordinator_suite::the_signal_says_whether_there_is_something_to_drain(subject);
}

// With another seed the order is chance, but it is all of them, once.
// spec: D1
TEST(simulation_coordinator, with_a_seed_each_cell_is_drained_once_in_some_order) {
  for (std::uint64_t from = 1; from < 50; ++from) {
    testkit::simulation_coordinator subject{testkit::seed{from}};
    coordinator_suite::cells some;
    for (unsigned i = 1; i <= 5; ++i)
      subject.register_ready(some[i]);
    subject.unregister(some[2]);
    unsigned seen = 0;
    for (unsigned turn = 0; turn < 4; ++turn)
      seen |= 1U << some.drain(subject, 1);
    EXPECT_EQ(seen, 0b111010U);
    EXPECT_EQ(subject.poll_wait_signal(), wait_signal::pending);
  }
}

}  // namespace
}  // namespace tactor
