// SPDX-License-Identifier: BSL-1.0

// The station in a simulation: seed 0 runs the actors in the order in which they became ready, like
// a board does.
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include "embedded/journal.hpp"
#include "embedded/living.hpp"

#include <cstdio>

int main() {
  tactor::testkit::simulation world{tactor::testkit::seed{0}};
  embedded::said = {.write = [](const char* text) { std::fputs(text, stdout); },
                    .clock = &world.clock()};
  if (!living::spawn(world)) return 1;
  world.run_for(living::length);
  world.begin_stop();
  world.run_to_idle();
  living::say_totals(world.metrics());
  return 0;
}
