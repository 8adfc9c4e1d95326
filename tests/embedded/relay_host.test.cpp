// SPDX-License-Identifier: BSL-1.0

// The relay in a simulation: seed 0 runs the actors in the order in which they became ready, like a
// board does.
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include "embedded/journal.hpp"
#include "embedded/relay.hpp"
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace {

// spec: E2
TEST(relay_on_the_host, has_the_same_events_as_on_boards) {
  tactor::testkit::simulation world{tactor::testkit::seed{0}};
  relay::begin(world.clock());
  if (std::getenv("SHOW_EVENTS") != nullptr)  // how relay.expected.inc was made
    embedded::said.write = [](const char* text) { std::fputs(text, stderr); };
  ASSERT_TRUE(relay::spawn(world));
  world.run_for(relay::length);
  embedded::say_totals(world.metrics());

  EXPECT_TRUE(relay::result.is_complete()) << relay::result.equal << " characters are equal";
}

}  // namespace
