// SPDX-License-Identifier: BSL-1.0

// A timer interrupts at 1 kHz, and the processor sleeps in between: it wakes once for each of 500
// ticks (EM-02).
#include "tactor/bare.hpp"

#include "embedded/interrupt_board.hpp"
#include <gtest/gtest.h>

#include <cstdint>

namespace tactor {
namespace {

constexpr std::uint32_t in_all = 500;

struct unused {};

class idle : public actor<unused> {
public:
  void receive(context&, unused) {}
};

constinit bare::system<{.actors = 1, .envelopes = 1, .timers = 0}> sys;
constinit bare::systick_clock board_clock{1'000'000};

}  // namespace
}  // namespace tactor

extern "C" void sys_tick_handler() {
  tactor::board_clock.on_interrupt();
}

namespace tactor {
namespace {

// spec: E3
TEST(ticks, each_of_them_wakes_the_processor_once) {
  sys.start(board_clock);
  EXPECT_TRUE(sys.try_spawn<idle>("").has_value());
  std::uint32_t wakes = 0;
  embedded::sys_tick::start(TACTOR_CORE_HZ / 1000);
  sys.run(
      [&](auto) {
        bare::wait_for_interrupt();
        ++wakes;
      },
      [] {
        if (board_clock.now().ticks == in_all) sys.begin_stop();
        return false;
      });
  embedded::sys_tick::stop();
  EXPECT_EQ(wakes, in_all);
  EXPECT_EQ(board_clock.now().ticks, std::uint64_t{in_all});
}

}  // namespace
}  // namespace tactor
