// SPDX-License-Identifier: BSL-1.0

// Actors with priorities: an interrupt sends to the least urgent actor first, and the most urgent
// one runs first. A turn is not interrupted.
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

std::uint32_t order[16];
std::size_t handled = 0;

class level : public actor<sample> {
public:
  void receive(context&, sample s) {
    order[handled++] = s.number;
    // While the least urgent actor runs, an interrupt sends to all again.
    if (handled == 4) embedded::pend_interrupt(0);
  }
};

constinit bare::system<{.actors = 4, .envelopes = 8, .timers = 1, .priorities = 3}> sys;
constinit bare::systick_clock board_clock{1'000'000};
constinit level::ref actors[4];
std::uint32_t refused = 0;

}  // namespace
}  // namespace tactor

extern "C" void irq_0_handler() {
  using namespace tactor;
  for (std::uint32_t n = 0; n < 4; ++n)
    if (actors[n].tell(sample{n}) != tell_result::ok) ++refused;
}

namespace tactor {
namespace {

// The size of the system names no limits: its slots have no room for what such a mailbox counts.
TEST(priorities, a_mailbox_with_limits_is_refused_without_room_for_its_counts) {
  sys.start(board_clock);
  const auto made = sys.try_spawn<level>({.mailbox = {.capacity = 2}});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error(), spawn_error::no_memory);
  EXPECT_EQ(sys.live(), 0u);
}

TEST(priorities, the_most_urgent_actor_runs_first) {
  for (std::uint32_t n = 0; n < 4; ++n) {
    // Two of them have the same.
    const auto made = sys.try_spawn<level>({.priority = static_cast<std::uint8_t>(n < 3 ? n : 1)});
    ASSERT_TRUE(made.has_value());
    actors[n] = *made;
  }
  while (sys.poll()) {
  }
  embedded::enable_interrupt(0);
  embedded::pend_interrupt(0);
  while (sys.poll()) {
  }

  EXPECT_EQ(refused, 0u);
  ASSERT_EQ(handled, 8u);
  // The fourth turn goes on with the message that came meanwhile; then the most urgent actor is
  // first again.
  constexpr std::uint32_t expected[] = {2, 1, 3, 0, 0, 2, 1, 3};
  for (std::size_t n = 0; n < handled; ++n)
    EXPECT_EQ(order[n], expected[n]) << n;
}

TEST(priorities, a_priority_that_the_system_does_not_have_is_refused) {
  const auto made = sys.try_spawn<level>({.priority = 3});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error(), spawn_error::priority_too_high);
}

}  // namespace
}  // namespace tactor
