// SPDX-License-Identifier: BSL-1.0
#include "market.hpp"

#include "tactor/host.hpp"

#include <chrono>
#include <cstdio>

using namespace std::chrono_literals;

int main() {
  tactor::actor_system system{{.name = "market"}};
  const auto prices = system.spawn<pricing>("pricing");
  const auto desk = system.spawn<shop>("shop", prices);

  const auto price = system.ask(desk, order{"tea"}, 1s).get();  // expected<int, ask_error>
  std::printf("tea costs %d\n", price.value_or(-1));

  system.stop(prices);
  const auto again = system.ask(desk, order{"tea"}, 1s).get();  // says so at once, not after 1 s
  const bool gone = !again && again.error().kind == tactor::ask_failure::target_terminated;
  std::puts(gone ? "pricing is gone" : "?");
}
