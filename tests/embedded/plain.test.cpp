// SPDX-License-Identifier: BSL-1.0

// An image without any feature: actors handle messages, and what the system's size does not name is
// refused.
#include "tactor/bare.hpp"

#include "embedded/board.hpp"
#include <gtest/gtest.h>

#include <cstdint>

namespace tactor {
namespace {

struct number {
  std::uint32_t value;
};

std::uint32_t sum = 0;

class adding : public actor<number> {
public:
  void receive(context& ctx, number n) {
    sum += n.value;
    if (n.value > 1) (void)ctx.self().tell(number{n.value - 1});
  }
};

constinit bare::system<{.actors = 2, .envelopes = 4, .timers = 0, .state = 8}> sys;
constinit bare::systick_clock board_clock{1'000'000};

TEST(plain, actors_handle_messages_and_options_are_refused) {
  sys.start(board_clock);
  const auto made = sys.try_spawn<adding>("");
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->tell(number{100}), tell_result::ok);
  while (sys.poll()) {
  }
  EXPECT_EQ(sum, 5050U);
  EXPECT_FALSE(sys.next_deadline().has_value());

  const auto bounded = sys.try_spawn<adding>({.mailbox = {.capacity = 2}});
  ASSERT_FALSE(bounded.has_value());
  EXPECT_EQ(bounded.error(), spawn_error::no_memory);
  const auto supervised = sys.try_spawn<adding>({.on_failure = restart{.max_restarts = 2}});
  ASSERT_FALSE(supervised.has_value());
  EXPECT_EQ(supervised.error(), spawn_error::no_memory);
  const auto named = sys.try_spawn<adding>("name");
  ASSERT_FALSE(named.has_value());
  EXPECT_EQ(named.error(), spawn_error::no_memory);
  EXPECT_EQ(sys.live(), 1U);

  EXPECT_TRUE(sys.try_spawn<adding>("").has_value());
  const auto third = sys.try_spawn<adding>("");
  ASSERT_FALSE(third.has_value());
  EXPECT_EQ(third.error(), spawn_error::too_many_actors);
  std::uint32_t accepted = 0;
  while (accepted < 100 && made->tell(number{1}) == tell_result::ok)
    ++accepted;
  EXPECT_EQ(accepted, 4U);  // as many as there are envelopes
  while (sys.poll()) {
  }
  EXPECT_EQ(sum, 5050U + accepted);

  EXPECT_TRUE(sys.events().has_no_subscriber());
  EXPECT_EQ(sys.events().publish(number{7}), 0U);
  EXPECT_FALSE(sys.events().unsubscribe<number>(*made));
  EXPECT_EQ(sum, 5050U + accepted);
}

}  // namespace
}  // namespace tactor
