// SPDX-License-Identifier: BSL-1.0
// Answers to an actor whose messages wait in a side queue: they bypass it.
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/asking.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/actor/reply_to.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>  // NOLINT(portability-restrict-system-includes): for tests
#include <utility>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;
using numbers = std::vector<int>;

struct price {
  using reply = int;
};
struct ask_for {
  int count = 0;
};

// An actor with a side queue that asks, and an actor that keeps what it owes.
struct side_queue_answers : testing::Test {
  simulation world{seed{5}};
  std::vector<reply_to<int>> owed;
  numbers answered;
  std::function<void(context&, int)> on_answer;
  actor_ref<price> shop = world.spawn("shop", [this](actor_context<price>& ctx, const price&) {
    owed.push_back(ctx.reply_later<int>());
    return owed.back().as_delegated();
  });

  actor_ref<ask_for> spawn_asker(const mailbox_options& mailbox) {
    return world.spawn(
        {.name = "asker", .mailbox = mailbox}, [this](context& ctx, const ask_for& what) {
          for (int i = 0; i < what.count; ++i)
            ctx.ask(shop, price{}, 10s, [this, &ctx](const std::expected<int, ask_error>& said) {
              answered.push_back(said.value_or(-1));
              if (on_answer) on_answer(ctx, answered.back());
            });
        });
  }
  actor_ref<ask_for> asker_of(int asks, const mailbox_options& mailbox) {
    owed.clear();
    answered.clear();
    const actor_ref<ask_for> made = spawn_asker(mailbox);
    made.tell(ask_for{asks});
    (void)world.run_to_idle();
    EXPECT_EQ(owed.size(), static_cast<std::size_t>(asks));
    return made;
  }
  void answer(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i <= last; ++i)
      owed[i - 1].send(static_cast<int>(i));
  }
};

constexpr mailbox_options side_queues[] = {mailbox_presets::prioritized,
                                           mailbox_presets::newest_only};

// spec: A2d P1 P4
TEST_F(side_queue_answers, behind_the_answer_that_suspends_a_draining_actor_wait) {
  for (const mailbox_options& mailbox : side_queues) {
    on_answer = [](context& ctx, int number) {
      if (number != 1) return;
      EXPECT_TRUE(ctx.suspend());
    };
    const auto asker = asker_of(3, mailbox);
    auto end = world.spawn_probe<price>("end");
    end.watch(asker);
    answer(1, 3);
    world.drain(asker);
    (void)world.run_to_idle();
    EXPECT_EQ(answered, numbers{1});
    end.expect_no_message(1ms);

    EXPECT_TRUE(world.resume(asker));
    (void)world.run_to_idle();
    EXPECT_EQ(answered, (numbers{1, 2, 3}));
    end.expect_terminated(asker);
  }
}

// spec: P1 P4 M7
TEST_F(side_queue_answers, keep_their_order_when_the_first_suspends_the_actor) {
  for (const mailbox_options& mailbox : side_queues) {
    on_answer = [this](context& ctx, int number) {
      if (number != 1) return;
      answer(4, 4);  // newer than 2 and 3, which are queued
      EXPECT_TRUE(ctx.suspend());
    };
    const auto asker = asker_of(4, mailbox);
    answer(1, 3);
    (void)world.run_to_idle();
    EXPECT_EQ(answered, numbers{1});

    EXPECT_TRUE(world.resume(asker));
    (void)world.run_to_idle();
    EXPECT_EQ(answered, (numbers{1, 2, 3, 4}));
  }
}

// spec: I4
TEST_F(side_queue_answers, a_suspension_takes_effect_before_the_next_one) {
  for (const mailbox_options& mailbox : side_queues) {
    const auto asker = asker_of(2, mailbox);
    on_answer = [&](context&, int) { EXPECT_TRUE(world.suspend(asker)); };  // from outside
    answer(1, 2);
    (void)world.run_to_idle();
    EXPECT_EQ(answered, numbers{1});
    on_answer = nullptr;
    EXPECT_TRUE(world.resume(asker));
    (void)world.run_to_idle();
    EXPECT_EQ(answered, (numbers{1, 2}));
  }
}

// spec: A2d
TEST_F(side_queue_answers, that_wait_are_not_lost_without_a_trace_when_the_actor_is_stopped) {
  on_answer = [](context& ctx, int) { EXPECT_TRUE(ctx.suspend()); };
  const auto asker = asker_of(3, mailbox_presets::prioritized);
  answer(1, 3);
  (void)world.run_to_idle();
  const std::uint64_t before = world.metrics().all_dead_letters();
  world.stop(asker);
  (void)world.run_to_idle();
  EXPECT_EQ(world.metrics().all_dead_letters(), before + 2);
}

// The timeout of an ask passes while its actor is suspended, and drains because messages are
// queued.
// spec: A2b A2d P1 P3
TEST_F(side_queue_answers, that_do_not_come_end_at_the_resume_of_an_actor_that_drains) {
  for (const mailbox_options& mailbox :
       {mailbox_presets::unbounded, mailbox_presets::prioritized, mailbox_presets::newest_only}) {
    const auto asker = asker_of(1, mailbox);
    auto end = world.spawn_probe<price>("end");
    end.watch(asker);
    EXPECT_TRUE(world.suspend(asker));
    (void)world.run_to_idle();
    asker.tell(ask_for{0});
    world.drain(asker);
    world.run_for(1h);
    EXPECT_EQ(answered, numbers{});

    EXPECT_TRUE(world.resume(asker));
    (void)world.run_to_idle();
    EXPECT_EQ(answered, numbers{-1});
    end.expect_terminated(asker);
  }
}

}  // namespace
}  // namespace tactor
