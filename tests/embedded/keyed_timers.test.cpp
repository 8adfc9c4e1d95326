// SPDX-License-Identifier: BSL-1.0

// Timers by key on a board whose size names them, and nothing else that would leave memory.
#include "tactor/bare.hpp"

#include "embedded/board.hpp"
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace tactor {
namespace {

using namespace std::chrono_literals;

struct sample {
  std::uint32_t number;
};
struct due {};

constinit std::uint32_t accepted = 0;
constinit scheduler_error refused = scheduler_error::shutdown;

class debounced : public actor<sample, due> {
public:
  void receive(context& ctx, sample s) {
    if (const auto started = ctx.start_timer(timer_key{s.number}, after(10ms), due{}); started) {
      ++accepted;
    } else {
      refused = started.error();
    }
  }
  void receive(context&, due) {}
};

constinit bare::system<{
    .actors = 1, .envelopes = 8, .timers = 3, .periodic = 0, .state = 8, .keyed_timers = 2}>
    sys;
constinit bare::systick_clock board_clock{1'000'000};

// spec: A2f E1
TEST(keyed_timers, are_accepted_and_replaced_as_the_size_says) {
  sys.start(board_clock);
  const auto who = sys.try_spawn<debounced>("");
  ASSERT_TRUE(who.has_value());

  for (std::uint32_t n = 0; n < 16; ++n) {
    EXPECT_EQ(who->tell(sample{n % 2}), tell_result::ok);
    while (sys.poll()) {
    }
  }
  EXPECT_EQ(accepted, 16u);

  EXPECT_EQ(who->tell(sample{7}), tell_result::ok);  // one more key
  while (sys.poll()) {
  }
  EXPECT_EQ(accepted, 16u);
  EXPECT_EQ(refused, scheduler_error::capacity_exceeded);
}

}  // namespace
}  // namespace tactor
