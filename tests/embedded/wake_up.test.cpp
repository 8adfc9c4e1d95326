// SPDX-License-Identifier: BSL-1.0

// One interrupt at a time, at 400 successive moments around the last check before the processor
// sleeps: none is lost (EM-05). Nothing else wakes the processor, so a lost one hangs.
// check_mutant.cmake runs it with the check outside of the mask: then it must hang.
#include "tactor/bare.hpp"

#include "embedded/interrupt_board.hpp"
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace tactor {
namespace {

using embedded::shared_number;

constexpr std::uint32_t moments = 400;
constexpr std::uint32_t long_period = 20'000;
constexpr std::uint32_t long_ones = 2;  // the first turn takes longer than the others

struct wake_up {};

constinit bare::system<{.actors = 1, .envelopes = 2, .timers = 1}> sys;
constinit bare::systick_clock board_clock{1'000'000};
shared_number interrupts;
shared_number longest;  // from the interrupt's time to its handler, in counts of SysTick
shared_number shortest = 0xFF'FFFF;
shared_number before_sleep;  // counts of SysTick from the handler to the sleep

/// Starts the timer anew: first for long periods, to find out when the processor sleeps, then for
/// all periods around that.
class sleeper : public actor<wake_up> {
public:
  void receive(context&, wake_up) {
    if (++woken_ > long_ones + moments) return sys.begin_stop();
    const bool is_long = woken_ <= long_ones;
    const std::uint32_t first = before_sleep - moments / 2;
    embedded::sys_tick::start(is_long ? long_period : first + woken_ - long_ones);
  }

private:
  std::uint32_t woken_ = 0;
};

constinit sleeper::ref woken;

}  // namespace
}  // namespace tactor

extern "C" void sys_tick_handler() {
  using namespace tactor;
  const std::uint32_t late = embedded::sys_tick::period() - 1 - embedded::sys_tick::value();
  embedded::sys_tick::stop();
  if (late > longest) longest = late;
  if (late < shortest) shortest = late;
  embedded::increment(interrupts);
  (void)woken.tell(wake_up{});
}

namespace tactor {
namespace {

// spec: E3
TEST(wake_up, no_interrupt_is_lost_between_the_last_check_and_the_sleep) {
  sys.start(board_clock);
  const auto spawned = sys.try_spawn<sleeper>("");
  ASSERT_TRUE(spawned.has_value());
  woken = *spawned;
  std::uint32_t sleeps = 0;

  EXPECT_EQ(woken.tell(wake_up{}), tell_result::ok);
  sys.run([&](std::optional<tick>) {
    if (++sleeps == long_ones) before_sleep = long_period - embedded::sys_tick::value();
    bare::wait_for_interrupt();
  });

  EXPECT_EQ(interrupts, long_ones + moments);
  EXPECT_GT(sleeps, 50u) << "the moments are all before the sleep";
  EXPECT_LT(sleeps, moments) << "the moments are all after the sleep";
  embedded::print("sleeps ", sleeps);
  const std::uint32_t masked = (longest - shortest) * 65'536 / embedded::counts_per_64k();
  embedded::print("masked ", masked);
  EXPECT_LE(masked, embedded::longest_masked);
}

}  // namespace
}  // namespace tactor
