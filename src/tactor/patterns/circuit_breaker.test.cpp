// SPDX-License-Identifier: BSL-1.0
#include "tactor/patterns/circuit_breaker.hpp"

#include "tactor/testkit.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>

namespace tactor::patterns {
namespace {

using namespace std::chrono_literals;
using testkit::simulation;

constexpr std::uint64_t second = 1'000'000'000;

// spec: A9
TEST(circuit_breaker, opens_after_failures_in_a_row_and_tries_again_later) {
  circuit_breaker breaker{{.max_failures = 3, .min_open = 1s, .max_open = 3s}};
  const auto call = [&](bool succeeds, std::uint64_t now_ns) {
    if (!breaker.admit(now_ns)) return false;
    breaker.note(succeeds, now_ns);
    return true;
  };
  EXPECT_TRUE(call(false, 0));
  EXPECT_TRUE(call(false, 0));
  EXPECT_TRUE(call(true, 0));  // they are counted in a row
  EXPECT_TRUE(call(false, 0));
  EXPECT_TRUE(call(false, 0));
  EXPECT_EQ(breaker.state(0), breaker_state::closed);
  EXPECT_TRUE(call(false, 0));
  EXPECT_EQ(breaker.state(0), breaker_state::open);
  EXPECT_FALSE(call(true, second - 1));
  EXPECT_EQ(breaker.state(second), breaker_state::half_open);
  EXPECT_TRUE(breaker.admit(second));
  EXPECT_FALSE(breaker.admit(second));  // one at a time
  breaker.note(false, second);
  EXPECT_EQ(breaker.state(second), breaker_state::open);
  EXPECT_FALSE(call(true, 3 * second - 1));
  EXPECT_TRUE(call(false, 3 * second));  // twice as long
  EXPECT_FALSE(call(true, 6 * second - 1));
  EXPECT_TRUE(call(false, 6 * second));  // not longer than the limit
  EXPECT_TRUE(call(true, 9 * second));
  EXPECT_EQ(breaker.state(9 * second), breaker_state::closed);
  EXPECT_TRUE(call(false, 9 * second));
  EXPECT_EQ(breaker.state(9 * second), breaker_state::closed);
}

TEST(circuit_breaker, ignores_late_results_while_it_is_open) {
  circuit_breaker breaker{{.max_failures = 1, .min_open = 1s}};
  ASSERT_TRUE(breaker.admit(0));
  ASSERT_TRUE(breaker.admit(0));
  breaker.note(false, 0);
  breaker.note(true, 0);  // sent before it opened
  EXPECT_EQ(breaker.state(0), breaker_state::open);
}

// spec: A9
TEST(circuit_breaker, does_not_take_a_late_result_for_that_of_its_try) {
  for (const bool late_succeeds : {false, true}) {
    circuit_breaker breaker{{.max_failures = 1, .min_open = 1s}};
    ASSERT_TRUE(breaker.admit(0));
    const std::uint32_t slow = breaker.period();
    ASSERT_TRUE(breaker.admit(0));
    breaker.note(breaker.period(), false, 0);
    ASSERT_TRUE(breaker.admit(second));
    const std::uint32_t tried = breaker.period();
    breaker.note(slow, late_succeeds, second);
    EXPECT_EQ(breaker.state(second), breaker_state::half_open);
    EXPECT_FALSE(breaker.admit(second));
    breaker.note(tried, !late_succeeds, second);
    EXPECT_EQ(breaker.state(second), late_succeeds ? breaker_state::open : breaker_state::closed);
  }
}

struct measure {
  using reply = int;
};
struct ask_again {};

class gauge : public actor<ask_again> {
public:
  gauge(actor_ref<measure> device, std::string* seen) : device_(device), seen_(seen) {}
  void receive(context& ctx, ask_again) {
    breaker_.ask(ctx, device_, measure{}, 100ms,
                 [this](const std::expected<int, breaker_error>& got) {
                   *seen_ += got ? std::to_string(*got) : got.error().rejected ? "r" : "f";
                 });
  }

private:
  circuit_breaker breaker_{{.max_failures = 2, .min_open = 1s}};
  actor_ref<measure> device_;
  std::string* seen_;
};

// spec: A9
TEST(circuit_breaker, stands_around_the_asks_of_an_actor) {
  std::string seen;
  bool silent = true;
  simulation world;
  const auto device = world.spawn("device", [&](context& ctx, measure) -> delegated<int> {
    auto answer = ctx.reply_later<int>();
    const auto promised = answer.as_delegated();
    if (!silent) answer.send(7);
    return promised;
  });
  const auto who = world.spawn<gauge>("gauge", device, &seen);
  const auto ask = [&] {
    who.tell(ask_again{});
    world.run_for(100ms);
  };
  for (int each = 0; each < 4; ++each)
    ask();
  EXPECT_EQ(seen, "ffrr");
  silent = false;
  world.run_for(1s);
  ask();
  ask();
  EXPECT_EQ(seen, "ffrr77");
}

// Asks two devices at once, with one breaker.
struct ask_both {};
class two_gauges : public actor<ask_both> {
public:
  two_gauges(actor_ref<measure> slow, actor_ref<measure> quick, std::string* seen)
      : slow_(slow), quick_(quick), seen_(seen) {}
  void receive(context& ctx, ask_both) {
    const auto then = [this](auto got) { *seen_ += got ? "a" : got.error().rejected ? "r" : "f"; };
    breaker_.ask(ctx, slow_, measure{}, 1500ms, then);
    breaker_.ask(ctx, quick_, measure{}, 10ms, then);
  }

private:
  actor_ref<measure> slow_;
  actor_ref<measure> quick_;
  std::string* seen_;
  circuit_breaker breaker_{{.max_failures = 1, .min_open = 1s}};
};

// spec: A9
TEST(circuit_breaker, closes_when_its_try_is_answered_whatever_came_before) {
  std::string seen;
  simulation world;
  auto slow = world.spawn_probe<measure>("slow");
  auto quick = world.spawn_probe<measure>("quick");
  const auto who = world.spawn<two_gauges>("gauges", slow.ref(), quick.ref(), &seen);
  who.tell(ask_both{});
  world.run_for(1200ms);  // the quick one is late: open, and half open by now
  EXPECT_EQ(seen, "f");
  who.tell(ask_both{});  // tries the slow one
  (void)world.run_to_idle();
  EXPECT_EQ(seen, "fr");
  world.run_for(500ms);  // the first ask of the slow one is late
  EXPECT_EQ(seen, "frf");
  (void)slow.expect<measure>();
  (void)slow.expect<measure>();
  slow.reply<measure>(7);
  (void)world.run_to_idle();
  EXPECT_EQ(seen, "frfa");
  who.tell(ask_both{});
  (void)world.run_to_idle();
  EXPECT_EQ(seen, "frfa") << "it is closed";
}

// An ask that is under way refers to the breaker.
static_assert(!std::is_move_constructible_v<circuit_breaker>);

}  // namespace
}  // namespace tactor::patterns
