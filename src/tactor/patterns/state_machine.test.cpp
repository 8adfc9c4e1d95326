// SPDX-License-Identifier: BSL-1.0
#include "tactor/patterns/state_machine.hpp"

#include "tactor/testkit.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace tactor::patterns {
namespace {

using namespace std::chrono_literals;
using testkit::simulation;

enum class door : std::uint8_t { closed, open, locked };
struct open_it {};
struct close_it {};
struct lock_it {};

class gate : public actor<open_it, close_it, lock_it> {
public:
  void receive(context& ctx, open_it) {
    if (!door_.is(door::locked)) {
      EXPECT_TRUE(door_.enter(ctx, door::open, 10s, close_it{}));
    }
  }
  void receive(context& ctx, close_it) { door_.enter(ctx, door::closed); }
  void receive(context& ctx, lock_it) {
    if (door_.state() == door::closed) door_.enter(ctx, door::locked);
  }

private:
  state_machine<door> door_{door::closed};
};

// spec: A9
TEST(state_machine, has_timeouts_and_publishes_its_transitions) {
  std::vector<door> entered;
  std::vector<door> left;
  simulation world;
  const auto observer = world.spawn("observer", [&](context&, const state_changed<door>& s) {
    left.push_back(s.from);
    entered.push_back(s.to);
  });
  ASSERT_TRUE(world.events().subscribe<state_changed<door>>(observer));
  const auto who = world.spawn<gate>("gate");
  who.tell(open_it{});
  world.run_for(9s);
  EXPECT_EQ(entered, (std::vector{door::open}));
  who.tell(open_it{});  // the time starts again
  world.run_for(9s);
  EXPECT_EQ(entered, (std::vector{door::open, door::open}));
  world.run_for(1s);
  EXPECT_EQ(entered.back(), door::closed);
  who.tell(open_it{});
  who.tell(close_it{});
  who.tell(lock_it{});
  world.run_for(1h);  // the timeout of the state that was left does not come
  EXPECT_EQ(entered, (std::vector{door::open, door::open, door::closed, door::open, door::closed,
                                  door::locked}));
  EXPECT_EQ(left.front(), door::closed);
  EXPECT_EQ(left.back(), door::closed);
}

// The timeout of a state and a message that leaves the state are due in the same tick.
// spec: A9 A2f
TEST(state_machine, the_timeout_of_a_state_that_was_left_in_the_same_tick_does_not_come) {
  static_assert(!std::is_move_constructible_v<state_machine<door>>, "its address names its timer");
  int left_by_message = 0;
  for (std::uint64_t from = 0; from < 100; ++from) {
    std::vector<door> entered;
    simulation world{testkit::seed{from}};
    const auto observer = world.spawn(
        "observer", [&](context&, const state_changed<door>& s) { entered.push_back(s.to); });
    ASSERT_TRUE(world.events().subscribe<state_changed<door>>(observer));
    const auto who = world.spawn<gate>("gate");
    const auto other = world.spawn("other", [who](context& ctx, const open_it& o) {
      EXPECT_TRUE(ctx.schedule_once(10s, who, open_it{o}));
    });
    if (from % 2 == 0) other.tell(open_it{});
    (void)world.run_to_idle();
    who.tell(open_it{});
    if (from % 2 == 1) other.tell(open_it{});
    world.run_for(10s);
    const bool message_was_first = entered == std::vector{door::open, door::open};
    const bool timeout_was_first = entered == std::vector{door::open, door::closed, door::open};
    EXPECT_TRUE(message_was_first || timeout_was_first) << from;
    left_by_message += message_was_first ? 1 : 0;
    world.run_for(9s);
    EXPECT_EQ(entered.back(), door::open) << from << ": ten seconds count from the second message";
  }
  EXPECT_GT(left_by_message, 0);
  EXPECT_LT(left_by_message, 100);
}

}  // namespace
}  // namespace tactor::patterns
