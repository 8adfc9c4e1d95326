// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/thread_setup.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

// Each test has a thread of its own, whose processors it may change.
void on_a_thread(const std::function<void()>& test) {
  std::thread{test}.join();
}

TEST(leave_processor, moves_the_thread_and_it_may_use_the_same_processors_afterwards) {
  const std::vector<std::uint32_t> before = usable_processor_numbers();
  if (before.size() < 2) GTEST_SKIP() << "needs two processors";
  on_a_thread([&] {
    // The system may move the thread itself between two of these lines, so once has to suffice.
    bool moved = false;
    for (int i = 0; i < 100 && !moved; ++i) {
      const std::uint32_t here = processor_here();
      leave_processor(here);
      moved = processor_here() != here;
      EXPECT_EQ(usable_processor_numbers(), before);
    }
    EXPECT_TRUE(moved);
  });
}

TEST(leave_processor, leaves_a_thread_that_is_bound_to_one_where_it_is) {
  on_a_thread([] {
    const std::uint32_t here = processor_here();
    ASSERT_TRUE(stay_on_processor(here));
    leave_processor(here);
    EXPECT_EQ(processor_here(), here);
    EXPECT_EQ(usable_processor_numbers(), std::vector{here});
  });
}

TEST(leave_processor, has_no_effect_for_a_processor_on_which_the_thread_does_not_run) {
  const std::vector<std::uint32_t> before = usable_processor_numbers();
  on_a_thread([&] {
    leave_processor(~std::uint32_t{0});
    EXPECT_EQ(usable_processor_numbers(), before);
  });
}

TEST(leave_processor, keeps_a_restriction_of_the_thread) {
  on_a_thread([] {
    const std::vector<std::uint32_t> all = usable_processor_numbers();
    ASSERT_TRUE(stay_on_processor(all.front()));
    leave_processor(all.front());
    leave_processor(all.back());
    EXPECT_EQ(usable_processor_numbers(), std::vector{all.front()});
  });
}

}  // namespace
}  // namespace tactor::inline v0::host
