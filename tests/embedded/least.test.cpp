// SPDX-License-Identifier: BSL-1.0

// The smallest program: actors without arguments, and an interrupt that sends. What such an image
// leaves out must not lose memory: messages that are refused give their envelopes back, and a
// refused actor its slot.
#include "tactor/bare.hpp"

#include "embedded/interrupt_board.hpp"
#include <gtest/gtest.h>

#include <cstdint>

namespace tactor {
namespace {

struct number {
  std::uint32_t value;
};

constexpr std::uint32_t envelopes = 4;
constinit std::uint32_t sum = 0;

class adding : public actor<number> {
public:
  void receive(context&, number n) { sum += n.value; }
};

constinit bare::system<{.actors = 2, .envelopes = envelopes, .timers = 0, .state = 8}> sys;
constinit bare::systick_clock board_clock{1'000'000};
constinit adding::ref nobody;
constinit adding::ref target;
constinit std::uint32_t closed = 0;
constinit std::uint32_t accepted = 0;
constinit tell_result refused = tell_result::ok;

/// Sends more messages than there are envelopes to no actor, then as many as are accepted to
/// `target`.
void send_all() {
  closed = accepted = 0;
  for (std::uint32_t n = 0; n < 2 * envelopes; ++n)
    if (nobody.tell(number{1}) == tell_result::closed) ++closed;
  while (accepted < 100 && (refused = target.tell(number{1})) == tell_result::ok)
    ++accepted;
}

}  // namespace
}  // namespace tactor

extern "C" void irq_0_handler() {
  tactor::send_all();
}

namespace tactor {
namespace {

void handle_all() {
  while (sys.poll()) {
  }
}

void expect_that_nothing_was_lost() {
  EXPECT_EQ(closed, 2 * envelopes);
  EXPECT_EQ(accepted, envelopes);
  EXPECT_EQ(refused, tell_result::full);
  sum = 0;
  handle_all();
  EXPECT_EQ(sum, envelopes);
}

TEST(least, what_is_refused_gives_its_memory_back) {
  sys.start(board_clock);
  const auto made = sys.try_spawn<adding>("");
  ASSERT_TRUE(made.has_value());
  target = *made;
  handle_all();

  send_all();
  expect_that_nothing_was_lost();

  embedded::enable_interrupt(0);
  embedded::pend_interrupt(0);
  expect_that_nothing_was_lost();

  for (std::uint32_t n = 0; n < 4; ++n) {
    const auto elsewhere = sys.try_spawn<adding>({.dispatcher = dispatcher::pinned});
    ASSERT_FALSE(elsewhere.has_value());
    EXPECT_EQ(elsewhere.error(), spawn_error::no_dispatcher);
  }
  const auto second = sys.try_spawn<adding>("");
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(sys.live(), 2U);
  sum = 0;
  EXPECT_EQ(second->tell(number{5}), tell_result::ok);
  handle_all();
  EXPECT_EQ(sum, 5U);
}

}  // namespace
}  // namespace tactor
