// SPDX-License-Identifier: BSL-1.0

// The station on SysTick, one interrupt for each tick of the timers, asleep in between.
#include "tactor/bare/sleep.hpp"
#include "tactor/bare/system.hpp"
#include "tactor/bare/systick_clock.hpp"

#include "embedded/board.hpp"
#include "embedded/journal.hpp"
#include "embedded/living.hpp"
#include "embedded/semihosting.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace {

using namespace std::chrono_literals;

// The three blocks of `further` are the subscriptions of the observer.
constinit tactor::bare::system<{.actors = 5,
                                .envelopes = 8,
                                .payload = sizeof(tactor::actor_resumed),
                                .timers = 2,
                                .name = 8,
                                .arguments = 8,
                                .supervised = 1,
                                .watches = 1,
                                .receive_timeouts = 1,
                                .suspended = 1,
                                .signalled = 1,
                                .suspension_commands = 1,
                                .reports = true,
                                .further = {0, 3}}>
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
  if (!living::spawn(sys)) return 1;
  embedded::sys_tick::start(TACTOR_CORE_HZ / 100);
  sys.run([](std::optional<tactor::tick>) {
    if (board_clock.now().ticks < static_cast<std::uint64_t>(living::length / 10ms)) {
      tactor::bare::wait_for_interrupt();
    } else {
      sys.begin_stop();
    }
  });
  living::say_totals(sys.metrics());
  return 0;
}
