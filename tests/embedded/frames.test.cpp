// SPDX-License-Identifier: BSL-1.0

// Coroutine handlers on a board: their frames are blocks of the system, and one that does not fit
// is refused (EM-11).
#include "tactor/bare.hpp"
#include "tactor/coroutine.hpp"

#include "embedded/board.hpp"
#include "embedded/semihosting.hpp"
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace tactor {
namespace {

using namespace std::chrono_literals;

struct begin {};

std::uint32_t steps;
std::uint32_t ended;

class walker : public actor<begin> {
public:
  task<void> receive(context& ctx, begin) {
    for (int n = 0; n < 3; ++n) {
      co_await ctx.sleep(10ms);
      ++steps;
    }
    ++ended;
  }
};

// One frame of up to 232 bytes fits besides what the size covers.
constinit bare::system<{.actors = 2,
                        .envelopes = 4,
                        .timers = 2,
                        .receive_timeouts = 2,
                        .suspended = 2,
                        .coroutines = true,
                        .further = {0, 2, 1, 1, 0}}>
    sys;
constinit bare::systick_clock board_clock{10'000'000};

}  // namespace
}  // namespace tactor

extern "C" void sys_tick_handler() {
  tactor::board_clock.on_interrupt();
}

namespace tactor {
namespace {

// spec: E1
TEST(frames, of_coroutines_are_static_memory_and_one_too_many_is_refused) {
  sys.start(board_clock);
  const auto first = sys.try_spawn<walker>("");
  ASSERT_TRUE(first.has_value());
  const auto second = sys.try_spawn<walker>("");
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(first->tell(begin{}), tell_result::ok);
  EXPECT_EQ(second->tell(begin{}), tell_result::ok);

  embedded::sys_tick::start(TACTOR_CORE_HZ / 100);
  while (board_clock.now().ticks < 10)
    (void)sys.poll();

  EXPECT_EQ(ended, 1u);
  EXPECT_EQ(steps, 3u);
  EXPECT_EQ(sys.metrics().failures, 1u) << "the second coroutine had no frame";
  EXPECT_EQ(sys.live(), 1u);

  // Its frame is free again.
  EXPECT_EQ(first->tell(begin{}), tell_result::ok);
  while (board_clock.now().ticks < 20)
    (void)sys.poll();
  embedded::sys_tick::stop();
  EXPECT_EQ(ended, 2u);
}

}  // namespace
}  // namespace tactor
