// SPDX-License-Identifier: BSL-1.0
// A loop without actors that has deadlines. Compiled by the tests, not linked.
#include "tactor/bare.hpp"

#include <chrono>
#include <optional>

using namespace std::chrono_literals;

tactor::duration time_since_the_last_round();
void end_lease();
void sleep_for(const std::optional<tactor::duration>& longest);

namespace {

constinit tactor::bare::manual_deadline_timer<8> deadlines;  // at most eight at once

}  // namespace

void lease_loop();
void lease_loop() {
  deadlines.start();
  const auto lease = deadlines.insert(5s);
  while (true) {
    deadlines.advance(time_since_the_last_round());
    while (const auto reached = deadlines.poll_expired())
      if (*reached == *lease) end_lease();
    sleep_for(deadlines.time_left());  // nothing: no deadline is set
  }
}
