// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>

/// Tests for every coordinator that serves its cells in order. Each function is one test; an
/// implementation calls it with a coordinator of its own, empty and used by one thread.
namespace tactor::coordinator_suite {

/// Some cells, and which of them were drained.
struct cells {
  std::array<ready_cell, 6> all;
  std::array<ready_cell*, 16> drained{};

  /// Returns: the numbers of the cells that were drained, from 1, as digits.
  unsigned drain(ready_queue_coordinator& from, std::size_t most) {
    const std::size_t count = from.drain_ready_cycle(std::span{drained}.first(most));
    EXPECT_LE(count, most);
    unsigned digits = 0;
    for (ready_cell* const each : std::span{drained}.first(count))
      digits = digits * 10 + static_cast<unsigned>(each - all.data()) + 1;
    return digits;
  }
  ready_cell& operator[](unsigned number) { return all[number - 1]; }
};

inline void a_registered_cell_is_drained_once(ready_queue_coordinator& subject) {
  cells some;
  EXPECT_EQ(some.drain(subject, 10), 0u);
  subject.register_ready(some[1]);
  EXPECT_EQ(some.drain(subject, 10), 1u);
  EXPECT_EQ(some.drain(subject, 10), 0u);
}

inline void a_cell_that_is_registered_twice_is_drained_once(ready_queue_coordinator& subject) {
  cells some;
  subject.register_ready(some[1]);
  subject.register_ready(some[2]);
  subject.register_ready(some[1]);
  EXPECT_EQ(some.drain(subject, 10), 12u) << "and keeps its position";
  EXPECT_EQ(some.drain(subject, 10), 0u);

  subject.register_ready(some[1]);
  EXPECT_EQ(some.drain(subject, 10), 1u) << "a drained cell may be registered again";
}

inline void
a_drain_takes_as_many_as_it_may_first_come_first_served(ready_queue_coordinator& subject) {
  cells some;
  for (unsigned i = 1; i <= 5; ++i)
    subject.register_ready(some[i]);
  EXPECT_EQ(some.drain(subject, 0), 0u);
  EXPECT_EQ(some.drain(subject, 3), 123u);
  subject.register_ready(some[1]);
  EXPECT_EQ(some.drain(subject, 10), 451u);
}

inline void an_unregistered_cell_is_not_drained(ready_queue_coordinator& subject) {
  for (unsigned gone = 1; gone <= 3; ++gone) {
    cells some;
    for (unsigned i = 1; i <= 3; ++i)
      subject.register_ready(some[i]);
    subject.unregister(some[gone]);
    subject.unregister(some[gone]);
    subject.unregister(some[5]);  // was never queued
    subject.register_ready(some[4]);
    const std::array<unsigned, 3> expected{234, 134, 124};
    EXPECT_EQ(some.drain(subject, 10), expected[gone - 1]);
    subject.unregister(some[1]);  // no longer queued
    EXPECT_EQ(some.drain(subject, 10), 0u);

    subject.register_ready(some[gone]);
    EXPECT_EQ(some.drain(subject, 10), gone) << "it may be registered again";
  }
}

inline void
an_unregistered_cell_that_is_registered_again_is_drained_once(ready_queue_coordinator& subject) {
  cells some;
  subject.register_ready(some[1]);
  subject.register_ready(some[2]);
  subject.unregister(some[1]);
  subject.register_ready(some[1]);
  subject.register_ready(some[1]);
  const unsigned drained = some.drain(subject, 10);
  EXPECT_TRUE(drained == 12 || drained == 21) << drained;
  EXPECT_EQ(some.drain(subject, 10), 0u);
}

inline void a_skipped_cell_does_not_count_in_a_drain(ready_queue_coordinator& subject) {
  cells some;
  for (unsigned i = 1; i <= 4; ++i)
    subject.register_ready(some[i]);
  subject.unregister(some[1]);
  subject.unregister(some[2]);
  EXPECT_EQ(some.drain(subject, 1), 3u);
  EXPECT_EQ(some.drain(subject, 1), 4u);
}

inline void
a_result_queues_the_cell_again_if_there_is_more_to_do(ready_queue_coordinator& subject) {
  using outcome = invoke_result::outcome;
  struct expectation {
    invoke_result result;
    unsigned drained;
  };
  const std::array<expectation, 6> all{{
      {.result = {.how = outcome::completed, .ready_hint = true}, .drained = 1},
      {.result = {.how = outcome::completed, .ready_hint = false}, .drained = 0},
      {.result = {.how = outcome::yielded}, .drained = 1},
      {.result = {.how = outcome::suspended}, .drained = 0},
      {.result = {.how = outcome::failed}, .drained = 0},
      {.result = {.how = outcome::stopped}, .drained = 0},
  }};
  for (const expectation& each : all) {
    cells some;
    subject.register_ready(some[1]);
    EXPECT_EQ(some.drain(subject, 1), 1u);
    subject.handle_invoke_result(some[1], each.result);
    EXPECT_EQ(some.drain(subject, 10), each.drained);
  }
}

inline void a_cell_that_yields_waits_behind_queued_cells(ready_queue_coordinator& subject) {
  cells some;
  subject.register_ready(some[1]);
  subject.register_ready(some[2]);
  EXPECT_EQ(some.drain(subject, 1), 1u);
  subject.register_ready(some[3]);
  subject.handle_invoke_result(some[1], {.how = invoke_result::outcome::yielded});
  EXPECT_EQ(some.drain(subject, 10), 231u);
}

inline void the_signal_says_whether_there_is_something_to_drain(ready_queue_coordinator& subject) {
  cells some;
  EXPECT_EQ(subject.poll_wait_signal(), wait_signal::pending);
  subject.register_ready(some[1]);
  subject.register_ready(some[2]);
  EXPECT_EQ(subject.poll_wait_signal(), wait_signal::ready);
  EXPECT_EQ(subject.poll_wait_signal(), wait_signal::ready) << "polling does not consume it";
  EXPECT_EQ(some.drain(subject, 1), 1u);
  EXPECT_EQ(subject.poll_wait_signal(), wait_signal::ready);
  EXPECT_EQ(some.drain(subject, 1), 2u);
  EXPECT_EQ(subject.poll_wait_signal(), wait_signal::pending);

  subject.register_ready(some[1]);
  subject.unregister(some[1]);
  EXPECT_EQ(subject.poll_wait_signal(), wait_signal::pending) << "no worker is woken in vain";
  EXPECT_EQ(some.drain(subject, 10), 0u);
}

}  // namespace tactor::coordinator_suite
