// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit.hpp"

#include <array>
#include <chrono>
#include <cstdio>

using namespace std::chrono_literals;

struct reminder : tactor::timer_entry {
  tactor::duration delay;
  const char* text;
};

int main() {
  constexpr tactor::timing_config config{.resolution = 10ms};
  tactor::testkit::manual_clock clock;
  tactor::static_timing_storage<64, 16> room;
  tactor::timer_wheel wheel{room.view(), tactor::tick{0}, config};

  std::array reminders{reminder{{}, 1h, "far: waited in the overflow"},
                       reminder{{}, 25ms, "rounded up to a tick, never early"},
                       reminder{{}, 640ms, "64 ticks: the last slot of the wheel"}};
  for (reminder& each : reminders) {
    const auto deadline = tactor::deadline_after(clock.now(), each.delay, config.resolution);
    if (!deadline || !wheel.insert(each, *deadline)) return 1;
  }

  tactor::tick now;
  while (const auto next = wheel.next_deadline()) {
    clock.advance(tactor::ticks_between(now, *next) * 10ms);  // on a host: sleep until then
    now = tactor::tick_at(clock.now(), config.resolution);
    while (const auto* due = static_cast<reminder*>(wheel.pop_due(now)))
      std::printf("%8.2f s  %s\n", static_cast<double>(clock.now().ticks) / 1e9, due->text);
  }
}
