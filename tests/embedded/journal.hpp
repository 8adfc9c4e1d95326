// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"

#include <cstdint>

namespace embedded {

/// The output of actors, and the clock of its times. A board and a simulation on the host must
/// print the same output.
struct journal {
  void (*write)(const char* text) = nullptr;
  const tactor::monotonic_clock* clock = nullptr;
};
inline constinit journal said{};

inline void say_number(std::uint64_t number) {
  char text[21];
  char* first = text + sizeof text - 1;
  *first = '\0';
  do {
    *--first = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  said.write(first);
}
/// Prints one line: the time in whole ticks of 10 ms, the actor, the event, a number.
inline void say(const char* who, const char* what, std::uint64_t how_much) {
  const tactor::timer_instant now = said.clock->now();
  say_number(now.ticks / (10'000'000 / now.resolution_ns) * 10);
  said.write(" ms ");
  said.write(who);
  said.write(" ");
  said.write(what);
  said.write(" ");
  say_number(how_much);
  said.write("\n");
}

/// The last lines.
inline void say_totals(const tactor::metrics_snapshot& counts) {
  say("all", "handled", counts.messages_handled);
  say("all", "turns", counts.turns);
  say("all", "started", counts.actors_started);
  say("all", "stopped", counts.actors_stopped);
  say("all", "dead letters", counts.all_dead_letters());
}

}  // namespace embedded
