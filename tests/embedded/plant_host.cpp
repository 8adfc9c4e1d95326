// SPDX-License-Identifier: BSL-1.0

// The plant in a simulation: seed 0 runs the actors in the order in which they became ready, like a
// board does.
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include "embedded/journal.hpp"
#include "embedded/plant.hpp"

#include <cstdio>

int main() {
  tactor::testkit::simulation world{tactor::testkit::seed{0}};
  embedded::said = {.write = [](const char* text) { std::fputs(text, stdout); },
                    .clock = &world.clock()};
  if (!plant::spawn(world)) return 1;
  world.run_for(plant::length);
  world.begin_stop();
  world.run_to_idle();
  embedded::say_totals(world.metrics());
  return 0;
}
