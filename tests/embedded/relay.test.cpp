// SPDX-License-Identifier: BSL-1.0

// The relay on SysTick, one interrupt for each tick of the timers, asleep in between.
#include "embedded/relay.hpp"

#include "tactor/bare.hpp"

#include "embedded/board.hpp"
#include "embedded/journal.hpp"
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>

namespace {

using namespace std::chrono_literals;

constinit tactor::bare::system<{.actors = 3,
                                .envelopes = 24,
                                .timers = 1,
                                .name = 8,
                                .arguments = 8,
                                .supervised = 1,
                                .receive_timeouts = 1,
                                .suspended = 1}>
    sys;
constinit tactor::bare::systick_clock board_clock{10'000'000};

}  // namespace

extern "C" void sys_tick_handler() {
  board_clock.on_interrupt();
}

namespace {

// spec: E2
TEST(relay_on_a_board, has_the_same_events_as_on_the_host) {
  sys.start(board_clock);
  relay::begin(board_clock);
  ASSERT_TRUE(relay::spawn(sys));
  bool over = false;
  embedded::sys_tick::start(TACTOR_CORE_HZ / 100);
  while (!over) {
    while (sys.poll()) {
    }
    over = board_clock.now().ticks >= static_cast<std::uint64_t>(relay::length / 10ms);
    if (!over && !sys.ready())
      tactor::bare::wait_for_interrupt();  // SysTick is periodic: none is missed for long
  }
  embedded::sys_tick::stop();
  embedded::say_totals(sys.metrics());

  EXPECT_TRUE(relay::result.is_complete()) << relay::result.equal << " characters are equal";
}

}  // namespace
