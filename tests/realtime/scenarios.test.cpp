// SPDX-License-Identifier: BSL-1.0
// Whole programs on worker threads, as runs of the showcase: examples/host/scenarios. Every message
// is accounted for, and each ends within 30 s.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace tactor::realtime {
namespace {

/// Returns: the status of the program.
int status_of(const char* scenario) {
  return std::system((std::string{TACTOR_SHOWCASE " --scenario "} + scenario).c_str());
}

// spec: Q3
TEST(scenarios, one_actor) {
  EXPECT_EQ(status_of("one-actor"), 0);
}

// spec: Q3
TEST(scenarios, a_hundred_actors_with_ten_thousand_messages_each) {
  EXPECT_EQ(status_of("many-messages"), 0);
}

// spec: Q3
TEST(scenarios, a_spike_of_a_thousand_actors) {
  EXPECT_EQ(status_of("spike"), 0);
}

// spec: Q3
TEST(scenarios, suspended_and_resumed_again_and_again) {
  EXPECT_EQ(status_of("suspend"), 0);
}

// spec: Q3
TEST(scenarios, crash_and_restart) {
  EXPECT_EQ(status_of("restart"), 0);
}

// spec: Q3
TEST(scenarios, a_hundred_actors_with_ten_thousand_messages_a_second_for_twenty_seconds) {
  EXPECT_EQ(status_of("pace"), 0);
}

TEST(scenarios, that_do_not_exist_are_refused) {
  EXPECT_NE(status_of("none 2> /dev/null"), 0);
}

}  // namespace
}  // namespace tactor::realtime
