// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/job/timer_word.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <limits>

namespace tactor {

using namespace tactor::internal;

namespace {

constexpr timer_word one_shot = timer_word::fresh(repetition::once);
constexpr timer_word periodic = timer_word::fresh(repetition::periodic);

// spec: S3
TEST(timer_word, a_fresh_job_is_pending_in_the_drivers_command_queue) {
  EXPECT_EQ(one_shot.state(), timer_state::pending);
  EXPECT_TRUE(one_shot.driven() && one_shot.commanded());
  EXPECT_FALSE(one_shot.posted() || one_shot.periodic() || one_shot.ended());
  EXPECT_TRUE(periodic.periodic());
  EXPECT_EQ(timer_word{}.state(), timer_state::unused);
}

// spec: S3
TEST(timer_word, a_one_shot_goes_from_state_to_state) {
  const timer_word scheduled = one_shot.applied();
  EXPECT_EQ(scheduled.state(), timer_state::scheduled);
  EXPECT_TRUE(scheduled.driven() && !scheduled.commanded());
  const timer_word due = scheduled.fired_once();
  EXPECT_EQ(due.state(), timer_state::scheduled);
  EXPECT_TRUE(due.posted() && !due.driven());
  EXPECT_EQ(due.due_runs(), 1u);
  const timer_word executing = due.begun(1);
  EXPECT_EQ(executing.state(), timer_state::executing);
  EXPECT_EQ(executing.due_runs(), 0u);
  const timer_word over = executing.completed().not_posted();
  EXPECT_TRUE(over.ended());
  EXPECT_FALSE(over.commanded());  // the driver no longer has it
}

// spec: S3 S4
TEST(timer_word, says_when_a_job_can_be_cancelled) {
  EXPECT_FALSE(timer_word{}.cancellable());
  for (const timer_word fresh : {one_shot, periodic}) {
    EXPECT_TRUE(fresh.cancellable());
    EXPECT_TRUE(fresh.applied().cancellable());
    EXPECT_TRUE(fresh.applied().fired_once().cancellable());
    EXPECT_FALSE(fresh.cancelled().cancellable());
    EXPECT_FALSE(fresh.applied().fired_once().begun(1).completed().cancellable());
  }
  EXPECT_FALSE(one_shot.applied().fired_once().begun(1).cancellable());
  EXPECT_TRUE(periodic.applied().fired_once().begun(1).cancellable());
}

TEST(timer_word, an_end_tells_the_driver_only_if_the_driver_has_the_job) {
  EXPECT_TRUE(one_shot.applied().cancelled().commanded());
  EXPECT_FALSE(one_shot.applied().fired_once().cancelled().commanded());
  EXPECT_TRUE(periodic.applied().fired_again(1).cancelled().commanded());
  EXPECT_TRUE(one_shot.applied().claimed_for_close().commanded());
  EXPECT_EQ(one_shot.applied().claimed_for_close().due_runs(), 1u);
}

// spec: S6
TEST(timer_word, counts_runs_that_are_due_and_stops_at_the_largest_number) {
  const timer_word due = periodic.applied().fired_again(3).fired_again(4);
  EXPECT_EQ(due.due_runs(), 7u);
  EXPECT_TRUE(due.driven() && due.posted());
  EXPECT_EQ(due.begun(1).due_runs(), 6u);
  EXPECT_TRUE(due.begun(1).run_over().posted());
  EXPECT_FALSE(due.begun(7).run_over().posted());
  EXPECT_EQ(due.cancelled().due_runs(), 0u);

  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  const timer_word full = due.fired_again(most);
  EXPECT_EQ(full.fired_again(1).due_runs(), full.due_runs());
  EXPECT_EQ(full.state(), timer_state::scheduled);
  EXPECT_EQ(full.due_runs(), std::numeric_limits<std::uint32_t>::max() >> 9);
}

TEST(timer_word, a_hook_is_kept_until_the_end) {
  EXPECT_FALSE(one_shot.hooked() || periodic.hooked());
  const timer_word hooked = periodic.with_hook();
  EXPECT_EQ(hooked.state(), timer_state::pending);
  EXPECT_TRUE(hooked.hooked() && hooked.periodic() && hooked.driven());
  EXPECT_TRUE(hooked.applied().fired_again(3).begun(2).run_over().hooked());
  EXPECT_TRUE(hooked.applied().fired_once().begun(1).rearmed().hooked());
  EXPECT_TRUE(hooked.cancelled().for_hook().dropped_by_driver().hooked());
}

// spec: S7
TEST(timer_word, a_fixed_delay_job_goes_back_to_the_driver) {
  const timer_word back = periodic.applied().fired_once().begun(1).rearmed();
  EXPECT_EQ(back.state(), timer_state::scheduled);
  EXPECT_TRUE(back.driven() && back.commanded() && !back.posted());
}

// spec: S10
TEST(timer_word, a_job_counts_as_far_until_the_driver_takes_it_in) {
  const timer_word far = one_shot.with_far();
  EXPECT_TRUE(far.far() && far.cancelled().far());
  EXPECT_FALSE(far.applied().far());
  EXPECT_EQ(far.applied().bits, one_shot.applied().bits);
}

TEST(timer_word, a_job_that_was_taken_back_is_unused_and_says_so) {
  EXPECT_EQ(timer_word::taken_back().state(), timer_state::unused);
  EXPECT_TRUE(timer_word::taken_back().is_taken_back());
  EXPECT_FALSE(timer_word{}.is_taken_back() || one_shot.is_taken_back());
}

}  // namespace
}  // namespace tactor
