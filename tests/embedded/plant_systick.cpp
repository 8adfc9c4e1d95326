// SPDX-License-Identifier: BSL-1.0

// The plant on SysTick, one interrupt for each tick of the timers, asleep in between.
#include "tactor/bare/sleep.hpp"
#include "tactor/bare/system.hpp"
#include "tactor/bare/systick_clock.hpp"

#include "embedded/board.hpp"
#include "embedded/journal.hpp"
#include "embedded/plant.hpp"
#include "embedded/semihosting.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace {

using namespace std::chrono_literals;

constinit tactor::bare::system<{
    .actors = 3, .envelopes = 4, .timers = 3, .name = 8, .arguments = 8}>
    sys;
constinit tactor::bare::systick_clock board_clock{10'000'000};

}  // namespace

extern "C" void sys_tick_handler() {
  board_clock.on_interrupt();
}

int main() {
  embedded::said = {.write = [](const char* text) { embedded::write(text); },
                    .clock = &board_clock};
  sys.start(board_clock);
  if (!plant::spawn(sys)) return 1;
  embedded::sys_tick::start(TACTOR_CORE_HZ / 100);
  sys.run([](std::optional<tactor::tick>) {
    if (board_clock.now().ticks < static_cast<std::uint64_t>(plant::length / 10ms)) {
      tactor::bare::wait_for_interrupt();
    } else {
      sys.begin_stop();
    }
  });
  embedded::say_totals(sys.metrics());
  return 0;
}
