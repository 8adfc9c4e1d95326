// SPDX-License-Identifier: BSL-1.0

// An actor ends, for each reason (ENDS_BY_...), in the smallest system.
#include "tactor/bare.hpp"

#include "embedded/board.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <expected>

namespace tactor {
namespace {

struct go {};

class ending : public actor<go> {
public:
#if defined(ENDS_BY_FAILURE)
  std::expected<void, failure> receive(context&, go) { return std::unexpected{failure{"over"}}; }
#elif defined(ENDS_BY_FAILED_START)
  std::expected<void, failure> pre_start(context&) { return std::unexpected{failure{"over"}}; }
  void receive(context&, go) {}
#elif defined(ENDS_BY_STOP)
  void receive(context& ctx, go) { ctx.stop(); }
#else
  void receive(context&, go) {}
#endif

#if defined(ENDS_WITHOUT_MEMORY)
private:
  std::array<std::byte, 600> too_large_{};  // for each block of the system
#endif
};

constinit bare::system<{.actors = 2, .envelopes = 4, .timers = 0}> sys;
constinit bare::systick_clock board_clock{1'000'000};

TEST(ends, the_actor_ends) {
  sys.start(board_clock);
  const auto made = sys.try_spawn<ending>("");
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(sys.live(), 1U);
  EXPECT_EQ(made->tell(go{}), tell_result::ok);
#if defined(ENDS_BY_REQUEST)
  while (sys.poll()) {
  }
  EXPECT_EQ(sys.live(), 1U);
  sys.stop(*made);
#elif defined(ENDS_WITH_THE_SYSTEM)
  sys.begin_stop();
#endif
  while (sys.poll()) {
  }
  EXPECT_EQ(sys.live(), 0U);
  EXPECT_EQ(made->tell(go{}), tell_result::closed);
#if defined(ENDS_WITH_THE_SYSTEM)
  EXPECT_TRUE(sys.stopped());
#else
  EXPECT_TRUE(sys.try_spawn<ending>("").has_value());  // its place is free again
  EXPECT_TRUE(sys.try_spawn<ending>("").has_value());
#endif
}

}  // namespace
}  // namespace tactor
