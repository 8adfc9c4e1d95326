// SPDX-License-Identifier: BSL-1.0
#include "tactor/patterns/state_machine.hpp"

#include "tactor/testkit.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
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

}  // namespace
}  // namespace tactor::patterns
