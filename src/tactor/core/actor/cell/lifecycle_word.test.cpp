// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/cell/lifecycle_word.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace tactor {
namespace {

// spec: M5
TEST(life_word, a_slot_that_nobody_has_used_has_generation_0_and_the_first_tenant_1) {
  const life_word unused;
  EXPECT_EQ(unused.generation(), 0u);
  EXPECT_FALSE(unused.occupied());

  const life_word first = unused.next_generation();
  EXPECT_EQ(first.generation(), 1u);
  EXPECT_TRUE(first.occupied());
  EXPECT_FALSE(first.next_generation().occupied());
}

// spec: M5
TEST(life_word, what_was_asked_of_one_tenant_is_not_asked_of_the_next) {
  const life_word asked = life_word{}.next_generation().asked_to_stop().asked_to_drain();
  EXPECT_TRUE(asked.stop_asked());
  EXPECT_TRUE(asked.drain_asked());
  EXPECT_EQ(asked.generation(), 1u) << "asking does not change whom it is asked of";

  const life_word next = asked.next_generation().next_generation();
  EXPECT_EQ(next.generation(), 3u);
  EXPECT_FALSE(next.stop_asked());
  EXPECT_FALSE(next.drain_asked());
}

// spec: M5
TEST(life_word, the_last_generation_is_an_empty_slot_and_none_before_it_is_used_up) {
  constexpr std::uint32_t last = life_word::last_generation;
  EXPECT_TRUE(life_word::with_generation(last).used_up());
  EXPECT_FALSE(life_word::with_generation(last).occupied());
  EXPECT_FALSE(life_word::with_generation(last - 1).used_up());
  EXPECT_FALSE(life_word::with_generation(last - 2).used_up());

  const life_word tenant = life_word::with_generation(last - 2).next_generation();
  EXPECT_TRUE(tenant.occupied());
  EXPECT_EQ(tenant.generation(), last - 1);
  EXPECT_TRUE(tenant.asked_to_stop().next_generation().used_up());
}

}  // namespace
}  // namespace tactor
