// SPDX-License-Identifier: BSL-1.0
#include "tactor/patterns/circuit_breaker.hpp"

#include "tactor/testkit.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <stdexcept>
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

// Its continuations fail, or its question throws when it is moved.
struct question {
  explicit question(bool can_be_moved) : moves(can_be_moved) {}
  question(const question&) = default;
  question(question&& other) : moves(other.moves) {
    if (!moves) throw std::runtime_error{"it stays"};
  }
  using reply = int;
  bool moves;
};
enum class order : std::uint8_t { answer, fail_in_continuation, throw_in_question };
class critic : public actor<order> {
public:
  critic(actor_ref<question> whom, std::string* seen) : whom_(whom), seen_(seen) {}
  std::expected<void, failure> receive(context& ctx, order what) {
    return breaker_.ask(
        ctx, whom_, question{what != order::throw_in_question}, 1s,
        [this, what](const std::expected<int, breaker_error>& got) -> std::expected<void, failure> {
          *seen_ += got ? "a" : got.error().rejected ? "r" : "f";
          if (what == order::fail_in_continuation)
            return std::unexpected{failure{"not good enough"}};
          return {};
        });
  }

private:
  actor_ref<question> whom_;
  std::string* seen_;
  circuit_breaker breaker_{{.max_failures = 1, .min_open = 10s}};
};

class of_critics : public ::testing::Test {
protected:
  of_critics() {
    const auto watcher =
        world.spawn("watcher", [this](context&, const actor_failed&) { ++failures; });
    EXPECT_TRUE(world.events().subscribe<actor_failed>(watcher));
  }
  void tell(order what) {
    who.tell(what);
    world.run_for(1s);
  }

  std::string seen;
  bool knows = true;
  int failures = 0;
  simulation world;
  actor_ref<question> whom =
      world.spawn({.name = "whom", .on_failure = directive::resume},
                  [this](context&, const question&) -> std::expected<int, failure> {
                    if (!knows) return std::unexpected{failure{"who knows"}};
                    return 1;
                  });
  actor_ref<order> who =
      world.spawn<critic>({.name = "critic", .on_failure = directive::resume}, whom, &seen);
};

// spec: A9
TEST_F(of_critics, a_continuation_that_fails_is_a_failure_of_the_actor_that_asks) {
  tell(order::answer);
  EXPECT_EQ(failures, 0);
  tell(order::fail_in_continuation);
  EXPECT_EQ(failures, 1);
  knows = false;
  tell(order::fail_in_continuation);
  EXPECT_EQ(failures, 1 + 2) << "both actors fail";
  tell(order::fail_in_continuation);
  EXPECT_EQ(failures, 3 + 1) << "also if the breaker is open";
  tell(order::answer);
  EXPECT_EQ(failures, 4);
  EXPECT_EQ(seen, "aafrr");
}

// spec: A9
TEST_F(of_critics, an_ask_that_throws_while_the_breaker_tries_has_failed) {
  knows = false;
  tell(order::answer);
  knows = true;
  world.run_for(10s);
  tell(order::throw_in_question);
  tell(order::answer);
  EXPECT_EQ(seen, "fr") << "it is open for twice as long";
  world.run_for(20s);
  tell(order::answer);
  tell(order::answer);
  EXPECT_EQ(seen, "fraa");
}

// Its breaker outlives the instance.
struct crash {};
class restarting : public actor<ask_again, crash> {
public:
  restarting(circuit_breaker& breaker, actor_ref<measure> device, std::string* seen)
      : breaker_(breaker), device_(device), seen_(seen) {}
  void receive(context& ctx, ask_again) {
    breaker_.ask(ctx, device_, measure{}, 100ms, [seen = seen_](const auto& got) {
      *seen += got ? "a" : got.error().rejected ? "r" : "f";
    });
  }
  std::expected<void, failure> receive(context&, crash) {
    return std::unexpected{failure{"it crashes"}};
  }

private:
  circuit_breaker& breaker_;
  actor_ref<measure> device_;
  std::string* seen_;
};

// spec: A9
TEST(circuit_breaker, takes_a_try_that_its_actor_leaves_unfinished_for_a_failed_one) {
  circuit_breaker breaker{{.max_failures = 1, .min_open = 1s}};
  std::string seen;
  simulation world;
  auto device = world.spawn_probe<measure>("device");
  const auto who = world.spawn<restarting>({.name = "who", .on_failure = restart{}},
                                           std::ref(breaker), device.ref(), &seen);
  who.tell(ask_again{});
  world.run_for(1200ms);
  who.tell(ask_again{});  // the try
  who.tell(crash{});
  who.tell(ask_again{});
  world.run_for(1s);
  EXPECT_EQ(seen, "fr") << "it is open for twice as long";

  world.run_for(1s);
  (void)device.expect<measure>();
  (void)device.expect<measure>();
  who.tell(ask_again{});
  (void)world.run_to_idle();
  (void)device.expect<measure>();
  device.reply<measure>(7);
  (void)world.run_to_idle();
  EXPECT_EQ(seen, "fra");
}

// An ask that is under way refers to the breaker.
static_assert(!std::is_move_constructible_v<circuit_breaker>);

}  // namespace
}  // namespace tactor::patterns
