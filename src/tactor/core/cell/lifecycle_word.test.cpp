// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/cell/lifecycle_word.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace tactor {

using namespace tactor::internal;

namespace {

// spec: M5
TEST(lifecycle_word, an_unused_slot_has_generation_0_and_its_first_tenant_1) {
  const lifecycle_word unused;
  EXPECT_EQ(unused.generation(), 0u);
  EXPECT_FALSE(unused.occupied());

  const lifecycle_word first = unused.next_generation();
  EXPECT_EQ(first.generation(), 1u);
  EXPECT_TRUE(first.occupied());
  EXPECT_FALSE(first.next_generation().occupied());
}

// spec: M5
TEST(lifecycle_word, a_request_to_one_tenant_is_no_request_to_the_next) {
  const lifecycle_word asked =
      lifecycle_word{}.next_generation().with_stop_request().with_drain_request();
  EXPECT_TRUE(asked.stop_requested());
  EXPECT_TRUE(asked.drain_requested());
  EXPECT_EQ(asked.generation(), 1u) << "a request does not change the generation";

  const lifecycle_word next = asked.next_generation().next_generation();
  EXPECT_EQ(next.generation(), 3u);
  EXPECT_FALSE(next.stop_requested());
  EXPECT_FALSE(next.drain_requested());
}

// spec: M5
TEST(lifecycle_word, the_last_generation_is_an_empty_slot_and_no_earlier_generation_is_used_up) {
  constexpr std::uint32_t last = lifecycle_word::last_generation;
  EXPECT_TRUE(lifecycle_word::with_generation(last).used_up());
  EXPECT_FALSE(lifecycle_word::with_generation(last).occupied());
  EXPECT_FALSE(lifecycle_word::with_generation(last - 1).used_up());
  EXPECT_FALSE(lifecycle_word::with_generation(last - 2).used_up());

  const lifecycle_word tenant = lifecycle_word::with_generation(last - 2).next_generation();
  EXPECT_TRUE(tenant.occupied());
  EXPECT_EQ(tenant.generation(), last - 1);
  EXPECT_TRUE(tenant.with_stop_request().next_generation().used_up());
}

}  // namespace
}  // namespace tactor
