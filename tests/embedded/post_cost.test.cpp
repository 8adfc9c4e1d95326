// SPDX-License-Identifier: BSL-1.0

// Counts the instructions of a `tell` in an interrupt: accepted, the first to an idle actor, and
// refused.
#include "tactor/bare.hpp"

#include "embedded/interrupt_board.hpp"
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace tactor {
namespace {

struct sample {
  std::uint32_t number;
};

class receiver : public actor<sample> {
public:
  void receive(context&, sample) {}
};

constinit bare::system<{.actors = 1, .envelopes = 4, .timers = 1}> sys;
constinit bare::systick_clock board_clock{1'000'000};
constinit receiver::ref target;
constexpr std::uint32_t posts = 8;
std::uint32_t counts[posts];
std::uint32_t counts_of_nothing;  // what the measurement itself takes
tell_result results[posts];

constexpr std::uint32_t most_with_memory = MOST_INSTRUCTIONS;
// The first measured values and a tenth; they only go down. When the blocks of its size are used
// up, a larger one is looked for.
constexpr std::uint32_t most_without = 480;
// In bytes, of the test runner, the thread and the interrupt; stack.cpp has no test runner.
constexpr std::size_t most_stack = 792;

}  // namespace
}  // namespace tactor

extern "C" void irq_0_handler() {
  using namespace tactor;
  const std::uint32_t begun = embedded::sys_tick::value();
  counts_of_nothing = (begun - embedded::sys_tick::value()) & 0xFF'FFFFU;
  for (std::uint32_t n = 0; n < posts; ++n) {
    const std::uint32_t before = embedded::sys_tick::value();
    const tell_result told = target.tell(sample{n});
    counts[n] = (before - embedded::sys_tick::value()) & 0xFF'FFFFU;
    results[n] = told;
  }
}

namespace tactor {
namespace {

TEST(post_cost, a_tell_in_an_interrupt_takes_few_instructions) {
  sys.start(board_clock);
  const auto made = sys.try_spawn<receiver>("");
  ASSERT_TRUE(made.has_value());
  target = *made;
  while (sys.poll()) {
  }
  const std::uint32_t per_64k = embedded::counts_per_64k();
  embedded::sys_tick::start_silently();
  embedded::enable_interrupt(0);
  embedded::pend_interrupt(0);
  embedded::sys_tick::stop();

  EXPECT_EQ(results[0], tell_result::ok);
  EXPECT_EQ(results[1], tell_result::ok);
  EXPECT_EQ(results[posts - 1], tell_result::full);
  const auto instructions = [&](std::uint32_t n) {
    return (counts[n] - counts_of_nothing) * 65'536 / per_64k;
  };
  embedded::print("to an idle actor ", instructions(0));
  embedded::print("to a busy actor ", instructions(1));
  embedded::print("refused ", instructions(posts - 1));
  for (std::uint32_t n = 0; n < posts; ++n)
    EXPECT_LE(instructions(n), n < 2 ? most_with_memory : most_without);
  EXPECT_LE(embedded::stack_high_water(), most_stack);
}

}  // namespace
}  // namespace tactor
