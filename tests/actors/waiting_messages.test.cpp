// SPDX-License-Identifier: BSL-1.0
// How many messages wait, after messages that were refused and messages that were lost.
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/reply_to.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct note {};
struct question {
  using reply = int;
};
struct answer_now {};
struct begin_asking {};

/// Answers only when told.
class oracle : public actor<question, answer_now> {
public:
  delegated<int> receive(context& ctx, question) {
    open_ = ctx.reply_later<int>();
    return open_->as_delegated();
  }
  void receive(context&, answer_now) { std::exchange(open_, std::nullopt)->send(1); }

private:
  std::optional<reply_to<int>> open_;
};

/// Asks the oracle, for a second.
class seeker : public actor<begin_asking> {
public:
  explicit seeker(const oracle::ref& whom) : whom_(whom) {}
  void receive(context& ctx, begin_asking) {
    ctx.ask(whom_, question{}, 1s, [](const auto& /*said*/) {});
  }

private:
  oracle::ref whom_;
};

/// Three messages wait all the time.
class waiting_messages : public ::testing::Test {
protected:
  void SetUp() override {
    EXPECT_TRUE(world.suspend(held));
    world.run_to_idle();
    for (int i = 0; i < 3; ++i)
      held.tell(note{});
    EXPECT_EQ(now().waiting(), 3u);
  }
  [[nodiscard]] metrics_snapshot now() {
    world.run_to_idle();
    return world.metrics();
  }
  void expect(std::uint64_t waiting, std::uint64_t refused, std::uint64_t lost) {
    const metrics_snapshot all = now();
    EXPECT_EQ(all.waiting(), waiting);
    EXPECT_EQ(all.messages_refused(), refused);
    EXPECT_EQ(all.messages_lost, lost);
  }

  simulation world{seed{1}};
  actor_ref<note> held = world.spawn("held", [](context&, note) {});
};

// spec: O7a
TEST_F(waiting_messages, are_as_many_after_an_actor_that_has_ended_refused_others) {
  const auto gone = world.spawn("gone", [](context&, note) {});
  world.stop(gone);
  world.run_to_idle();
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(gone.tell(note{}), tell_result::closed);
  expect(3, 5, 0);
}

// spec: O7a
TEST_F(waiting_messages, are_lost_with_their_actor) {
  world.stop(held);
  expect(0, 0, 3);
  EXPECT_EQ(now().dead_letters_for(drop_reason::stopped), 3u);
}

// spec: O7a
TEST_F(waiting_messages, are_refused_and_lost_while_the_system_stops) {
  world.begin_stop();
  expect(0, 0, 3);
  held.tell(note{});
  expect(0, 1, 3);
  EXPECT_EQ(now().dead_letters_for(drop_reason::system_stopping), 4u);
}

// spec: O7a
TEST_F(waiting_messages, are_as_many_after_an_answer_whose_ask_had_timed_out) {
  const auto sage = world.spawn<oracle>("sage");
  world.spawn<seeker>("seeker", sage).tell(begin_asking{});
  world.run_for(2s);
  sage.tell(answer_now{});
  expect(3, 1, 0);
  EXPECT_EQ(now().dead_letters_for(drop_reason::late_answer), 1u);
}

// spec: O7a
TEST_F(waiting_messages, are_less_by_an_answer_whose_actor_stops) {
  const auto sage = world.spawn<oracle>("sage");
  const auto asks = world.spawn<seeker>("seeker", sage);
  asks.tell(begin_asking{});
  world.run_to_idle();
  EXPECT_TRUE(world.suspend(asks));
  world.run_to_idle();
  sage.tell(answer_now{});
  expect(4, 0, 0);
  world.stop(asks);
  expect(3, 0, 1);
  EXPECT_EQ(now().dead_letters_for(drop_reason::late_answer), 1u);
}

}  // namespace
}  // namespace tactor
