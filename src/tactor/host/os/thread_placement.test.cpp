// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/thread_placement.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>

namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

cpu_set_t allowed() {
  cpu_set_t now;
  CPU_ZERO(&now);
  EXPECT_EQ(::sched_getaffinity(0, sizeof now, &now), 0);
  return now;
}
void allow(const cpu_set_t& these) {
  EXPECT_EQ(::sched_setaffinity(0, sizeof these, &these), 0);
}
cpu_set_t only(std::uint32_t processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  return one;
}
bool are_same(const cpu_set_t& one, const cpu_set_t& other) {
  return CPU_EQUAL(&one, &other) != 0;
}

// Each test has a thread of its own, whose processors it may change.
void on_a_thread(const std::function<void()>& test) {
  std::thread{test}.join();
}

class processor_ban_on_two : public testing::Test {
protected:
  void SetUp() override {
    const cpu_set_t all = allowed();
    if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "needs two processors";
  }
};

TEST_F(processor_ban_on_two, moves_the_thread_away_until_it_ends) {
  on_a_thread([] {
    const cpu_set_t before = allowed();
    processor_ban ban;
    for (int i = 0; i < 3; ++i) {
      const std::uint32_t here = processor_here();
      ban.begin(here);
      EXPECT_NE(processor_here(), here);
      EXPECT_FALSE(are_same(allowed(), before));
      ban.end();
      EXPECT_TRUE(are_same(allowed(), before));
    }
  });
}

TEST_F(processor_ban_on_two, is_replaced_by_another) {
  on_a_thread([] {
    const cpu_set_t before = allowed();
    processor_ban ban;
    ban.begin(processor_here());
    const std::uint32_t here = processor_here();
    ban.begin(here);
    EXPECT_NE(processor_here(), here);
    ban.end();
    EXPECT_TRUE(are_same(allowed(), before));
  });
}

TEST_F(processor_ban_on_two, leaves_a_thread_that_is_bound_to_one_where_it_is) {
  on_a_thread([] {
    const std::uint32_t here = processor_here();
    const cpu_set_t one = only(here);
    allow(one);
    processor_ban ban;
    ban.begin(here);
    EXPECT_TRUE(are_same(allowed(), one));
    ban.end();
    EXPECT_TRUE(are_same(allowed(), one));
  });
}

TEST_F(processor_ban_on_two, keeps_what_was_said_about_the_thread_meanwhile) {
  on_a_thread([] {
    processor_ban ban;
    const std::uint32_t here = processor_here();
    ban.begin(here);
    allow(only(here));
    ban.end();
    EXPECT_TRUE(are_same(allowed(), only(here)));
    ban.begin(here);
    EXPECT_TRUE(are_same(allowed(), only(here))) << "it has no other";
    ban.end();
    EXPECT_TRUE(are_same(allowed(), only(here)));
  });
}

TEST(processor_ban, of_an_unknown_processor_has_no_effect) {
  on_a_thread([] {
    const cpu_set_t before = allowed();
    processor_ban ban;
    ban.begin(~std::uint32_t{0});
    ban.begin(CPU_SETSIZE - 1);
    EXPECT_TRUE(are_same(allowed(), before));
    ban.end();
    EXPECT_TRUE(are_same(allowed(), before));
  });
}

}  // namespace
}  // namespace tactor::inline v0::host
