// SPDX-License-Identifier: BSL-1.0

// The plant on a clock that the program itself advances, from deadline to deadline.
#include "tactor/bare/system.hpp"
#include "tactor/testkit/manual_clock.hpp"

#include "embedded/journal.hpp"
#include "embedded/plant.hpp"
#include "embedded/semihosting.hpp"

#include <chrono>
#include <cstdint>

namespace {

constinit tactor::bare::system<{
    .actors = 3, .envelopes = 4, .timers = 3, .name = 8, .arguments = 8}>
    sys;

void run_to_idle() {
  while (sys.poll()) {
  }
}

void move(tactor::testkit::manual_clock& clock, std::uint64_t then_ns) {
  const auto way = static_cast<std::int64_t>(then_ns - clock.now().ticks);
  clock.advance(std::chrono::nanoseconds{way});
  run_to_idle();
}

void run_until(tactor::testkit::manual_clock& clock, std::uint64_t end_ns) {
  constexpr std::uint64_t tick_ns = 10'000'000;
  run_to_idle();
  for (auto next = sys.next_deadline(); next && next->count * tick_ns <= end_ns;
       next = sys.next_deadline())
    move(clock, next->count * tick_ns);
  move(clock, end_ns);
}

}  // namespace

int main() {
  tactor::testkit::manual_clock clock;
  embedded::said = {.write = [](const char* text) { embedded::write(text); }, .clock = &clock};
  sys.start(clock);
  if (!plant::spawn(sys)) return 1;
  run_until(clock, static_cast<std::uint64_t>(std::chrono::nanoseconds{plant::length}.count()));
  sys.begin_stop();
  run_to_idle();
  if (!sys.stopped()) return 2;
  embedded::say_totals(sys.metrics());
  return 0;
}
