// SPDX-License-Identifier: BSL-1.0
// Who has asked: in handlers, middleware and dead letters.
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/actor/coroutine/task.hpp"
#include "tactor/core/actor/definition/delegated.hpp"
#include "tactor/core/actor/reply_to.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/core/turn/middleware.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <optional>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::simulation;

struct question {
  using reply = int;
};
struct go {};

// One actor asks, another one says who asked.
struct ask_sender : testing::Test {
  simulation world{testkit::seed{3}};
  std::vector<actor_ref<>> senders;
  actor_ref<question> asked = world.spawn("asked", [this](context& ctx, const question&) {
    senders.push_back(ctx.sender());
    return 1;
  });

  actor_ref<go> asker_of(actor_ref<question> whom) {
    return world.spawn("asker", [whom](context& ctx, const go&) {
      ctx.ask(whom, question{}, 1s, [](context&, auto) {});
    });
  }
  void start(const actor_ref<go>& asker) {
    (void)asker.tell(go{});
    (void)world.run_to_idle();
  }
};

// spec: A2b
TEST_F(ask_sender, is_the_actor_that_asks_with_a_continuation) {
  const auto asker = asker_of(asked);
  start(asker);
  EXPECT_EQ(senders, std::vector<actor_ref<>>{asker});
}

// spec: A2b A3
TEST_F(ask_sender, is_the_actor_whose_coroutine_awaits_the_answer) {
  const auto asker = world.spawn("asker", [this](context& ctx, go) -> task<void> {
    (void)co_await ctx.ask<question>(asked, 1s);
  });
  start(asker);
  EXPECT_EQ(senders, std::vector<actor_ref<>>{asker});
}

// spec: A2b
TEST_F(ask_sender, passes_through_a_forward) {
  const auto desk = world.spawn(
      "desk", [this](context& ctx, const question& q) { return ctx.forward(asked, q); });
  const auto asker = asker_of(desk);
  start(asker);
  EXPECT_EQ(senders, std::vector<actor_ref<>>{asker});
}

// spec: A2b
TEST_F(ask_sender, is_nobody_for_an_ask_from_outside_also_if_a_callback_gets_the_answer) {
  auto answer = world.ask(asked, question{}, 1s);
  EXPECT_EQ(std::move(answer).get(), 1);
  world.ask(asked, question{}, 1s).then([](auto) {});
  (void)world.run_to_idle();
  EXPECT_EQ(senders, (std::vector<actor_ref<>>{{}, {}}));
}

// spec: A2b
TEST_F(ask_sender, is_nobody_when_the_ask_has_ended) {
  EXPECT_TRUE(world.suspend(asked).has_value());
  start(asker_of(asked));
  world.run_for(2s);
  EXPECT_TRUE(world.resume(asked).has_value());
  (void)world.run_to_idle();
  EXPECT_EQ(senders, std::vector<actor_ref<>>{{}});
}

// spec: A2b I2
TEST_F(ask_sender, is_known_to_middleware) {
  class listener final : public middleware {
  public:
    invoke_decision before_invoke(const invocation& next) noexcept override {
      seen.push_back(next.sender());
      return {};
    }
    void after_invoke(const invocation& handled, invoke_outcome) noexcept override {
      seen.push_back(handled.sender());
    }
    std::vector<actor_ref<>> seen;
  };
  listener ear;
  const std::array<middleware*, 1> all{&ear};
  const middleware_chain chain{all};
  const auto observed = world.spawn({.name = "observed", .middleware = &chain},
                                    [](context&, const question&) { return 2; });
  const auto asker = asker_of(observed);
  start(asker);
  EXPECT_EQ(ear.seen, (std::vector<actor_ref<>>{asker, asker}));
}

// What becomes a dead letter, and why: the sender is the asker.
struct lost_ask : ask_sender {
  std::vector<dead_letter> lost;

  lost_ask() {
    const auto watcher =
        world.spawn("watcher", [this](context&, const dead_letter& each) { lost.push_back(each); });
    EXPECT_TRUE(world.events().subscribe<dead_letter>(watcher));
  }
  void expect_lost(drop_reason why, const actor_ref<>& sender) {
    ASSERT_EQ(lost.size(), 1u);
    EXPECT_EQ(lost[0].reason, why);
    EXPECT_EQ(lost[0].sender, sender);
  }
};

// spec: A2b A2g
TEST_F(lost_ask, of_an_actor_that_has_stopped_names_the_asker) {
  world.stop(asked);
  (void)world.run_to_idle();
  const auto asker = asker_of(asked);
  start(asker);
  expect_lost(drop_reason::stopped, asker);
}

// spec: A2b A2g
TEST_F(lost_ask, of_a_full_mailbox_names_the_asker) {
  asked = world.spawn({.name = "small", .mailbox = mailbox_presets::bounded(1)},
                      [](context&, const question&) { return 1; });
  EXPECT_TRUE(world.suspend(asked).has_value());
  (void)world.run_to_idle();
  EXPECT_TRUE(asked.try_tell(question{}).has_value());
  const auto asker = asker_of(asked);
  start(asker);
  expect_lost(drop_reason::full, asker);
}

// spec: A2b A2g M4d
TEST_F(lost_ask, in_the_outbox_of_an_actor_that_stops_names_that_actor) {
  asked = world.spawn({.name = "stuck", .mailbox = mailbox_presets::lossless(1)},
                      [](context&, const question&) { return 1; });
  EXPECT_TRUE(world.suspend(asked).has_value());
  (void)world.run_to_idle();
  EXPECT_TRUE(asked.try_tell(question{}).has_value());
  const auto asker = asker_of(asked);
  start(asker);
  world.stop(asker);
  (void)world.run_to_idle();
  expect_lost(drop_reason::sender_stopped, asker);
}

}  // namespace
}  // namespace tactor
