// SPDX-License-Identifier: BSL-1.0
// A program that has its own loop. Compiled by the tests, not linked.
#include "lamp.hpp"

#include <optional>

void do_other_work();
void sleep_until(const std::optional<tactor::tick>& next);

void loop();
void loop() {
  while (true) {
    const std::optional<tactor::tick> next = board.run_once(8);  // at most eight turns
    do_other_work();
    sleep_until(next);  // nothing: until an interrupt
  }
}
