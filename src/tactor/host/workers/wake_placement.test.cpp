// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/wake_placement.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

constexpr std::uint64_t soon = wake_placement::late_ns - 1;
constexpr std::uint64_t late = wake_placement::late_ns;

TEST(wake_placement, leaves_the_choice_to_a_system_that_finds_other_processors) {
  wake_placement worker;
  EXPECT_EQ(worker.before_sleep(), std::nullopt);
  EXPECT_FALSE(worker.is_shared(0, 1, soon));
  EXPECT_EQ(worker.before_sleep(), std::nullopt);
}

TEST(wake_placement, stays_away_from_the_processor_on_which_it_was_woken_beside_its_waker) {
  wake_placement worker;
  EXPECT_TRUE(worker.is_shared(3, 3, soon));
  EXPECT_EQ(worker.before_sleep(), 3u);
  EXPECT_EQ(worker.before_sleep(), 3u) << "also if another thread woke it in between";
}

TEST(wake_placement, follows_the_worker_that_wakes_it) {
  wake_placement worker;
  EXPECT_TRUE(worker.is_shared(3, 3, soon));
  EXPECT_FALSE(worker.is_shared(0, 1, soon)) << "the waker has moved";
  EXPECT_EQ(worker.before_sleep(), 0u);
}

TEST(wake_placement, tries_the_system_again_after_a_while) {
  wake_placement worker;
  EXPECT_TRUE(worker.is_shared(0, 0, soon));
  for (std::uint32_t i = 0; i < wake_placement::lasts; ++i) {
    EXPECT_EQ(worker.before_sleep(), 0u);
    EXPECT_FALSE(worker.is_shared(0, 1, soon));
  }
  EXPECT_EQ(worker.before_sleep(), std::nullopt);
  EXPECT_TRUE(worker.is_shared(0, 0, soon));
  EXPECT_EQ(worker.before_sleep(), 0u);
}

TEST(wake_placement, leaves_the_choice_to_the_system_while_the_other_processors_are_busy) {
  for (const bool it_moved : {false, true}) {
    wake_placement worker;
    EXPECT_TRUE(worker.is_shared(0, 0, late)) << "it waited for its waker";
    if (it_moved) {
      worker.came_after(late);
    } else {
      EXPECT_EQ(worker.before_sleep(), 0u);
      EXPECT_FALSE(worker.is_shared(0, 1, late)) << "it waited elsewhere";
    }
    for (std::uint32_t i = it_moved ? 0 : 1; i < wake_placement::lasts; ++i) {
      EXPECT_EQ(worker.before_sleep(), std::nullopt);
      EXPECT_FALSE(worker.is_shared(0, 0, late));
    }
    EXPECT_TRUE(worker.is_shared(0, 0, soon)) << "it tries again";
  }
}

TEST(wake_placement, a_move_in_time_counts) {
  wake_placement worker;
  EXPECT_TRUE(worker.is_shared(0, 0, soon));
  worker.came_after(soon);
  EXPECT_EQ(worker.before_sleep(), 0u);
}

}  // namespace
}  // namespace tactor::inline v0::host
