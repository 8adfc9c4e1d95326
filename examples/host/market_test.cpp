// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit.hpp"

#include "market.hpp"

#include <chrono>
#include <cstdio>
#include <utility>

using namespace std::chrono_literals;
using tactor::testkit::seed;
using tactor::testkit::simulation;

int main() {
  simulation world{seed{42}};
  auto prices = world.spawn_probe<quote>("pricing");  // in place of the real one
  const auto desk = world.spawn<shop>("shop", prices.ref());

  auto answer = world.ask(desk, order{"tea"}, 1s);
  const bool asked = prices.expect<quote>().item == "tea";
  prices.reply<quote>(3);
  const bool passed_on = std::move(answer).get() == 3;

  auto silence = world.ask(desk, order{"milk"}, 1s);
  world.run_for(1s);  // takes no time
  const auto nothing = std::move(silence).get();
  const bool timed_out = !nothing && nothing.error().kind == tactor::ask_failure::timed_out;

  const bool passed = asked && passed_on && timed_out;
  std::puts(passed ? "passed" : "FAILED");
  return passed ? 0 : 1;
}
