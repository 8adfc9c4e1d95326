// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/cell/suspend_reasons.hpp"

#include "tactor/core/dispatch/suspend_reason.hpp"

#include <gtest/gtest.h>

#include <array>

namespace tactor {
namespace {

constexpr std::array every_reason{suspend_reason::backpressure, suspend_reason::await_external,
                                  suspend_reason::rate_limit, suspend_reason::user_defined,
                                  suspend_reason::failure};

// spec: P2
TEST(suspend_reasons, are_empty_by_default) {
  const suspend_reasons none;
  EXPECT_TRUE(none.empty());
  for (const suspend_reason each : every_reason)
    EXPECT_FALSE(none.has(each));
}

// spec: P2
TEST(suspend_reasons, hold_each_reason_once) {
  for (const suspend_reason each : every_reason) {
    suspend_reasons reasons;
    reasons.add(each);
    reasons.add(each);
    EXPECT_TRUE(reasons.has(each));
    EXPECT_EQ(reasons.first(), each);
    EXPECT_EQ(reasons, suspend_reasons{each});
    reasons.remove(each);
    EXPECT_TRUE(reasons.empty());
    reasons.remove(each);
    EXPECT_TRUE(reasons.empty());
  }
}

// spec: P2
TEST(suspend_reasons, are_empty_when_the_last_one_is_taken_away) {
  for (const suspend_reason one : every_reason) {
    for (const suspend_reason other : every_reason) {
      if (one == other) continue;
      suspend_reasons both{one};
      both.add(other);
      both.remove(one);
      EXPECT_FALSE(both.empty());
      EXPECT_FALSE(both.has(one));
      EXPECT_TRUE(both.has(other));
      both.remove(other);
      EXPECT_TRUE(both.empty());
    }
  }
}

// spec: P2
TEST(suspend_reasons, of_a_child_that_is_held_are_not_its_own_failure) {
  suspend_reasons reasons;
  reasons.suspend_by_parent();
  EXPECT_FALSE(reasons.empty());
  EXPECT_TRUE(reasons.suspended_by_parent());
  EXPECT_TRUE(reasons.has(suspend_reason::failure));
  EXPECT_EQ(reasons.first(), suspend_reason::failure);
  EXPECT_FALSE(reasons.failed_itself());
  EXPECT_TRUE(reasons.has_more_than_failure());

  reasons.add(suspend_reason::failure);
  reasons.resume_from_parent();
  EXPECT_FALSE(reasons.has_more_than_failure());
  EXPECT_TRUE(reasons.failed_itself());
  EXPECT_FALSE(reasons.suspended_by_parent());
  reasons.suspend_by_parent();
  reasons.remove(suspend_reason::failure);
  EXPECT_TRUE(reasons.suspended_by_parent());
  EXPECT_FALSE(reasons.empty());
  reasons.resume_from_parent();
  EXPECT_TRUE(reasons.empty());
}

TEST(suspend_reasons, are_taken_one_after_the_other_in_the_order_of_their_declaration) {
  suspend_reasons reasons{suspend_reason::failure};
  reasons.add(suspend_reason::backpressure);
  reasons.suspend_by_parent();
  EXPECT_EQ(reasons.first(), suspend_reason::backpressure);
  reasons.remove_first();
  EXPECT_EQ(reasons.first(), suspend_reason::failure);
  reasons.remove_first();
  EXPECT_TRUE(reasons.empty());
}

}  // namespace
}  // namespace tactor
