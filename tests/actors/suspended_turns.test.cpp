// SPDX-License-Identifier: BSL-1.0
// A turn reports a suspended actor, and the coordinator acts on it.
#include "tactor/core/actor/context.hpp"
#include "tactor/core/cell/cell_state.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/dispatch/suspend_reason.hpp"
#include "tactor/core/life/suspension.hpp"

#include "actor_rig.hpp"
#include <gtest/gtest.h>

#include <cstdint>

namespace tactor::rig {

using namespace tactor::internal;

namespace {

using entry = log::entry;
using outcome = invoke_result::outcome;
using internal::post_suspension_command;
using internal::suspension_command;

void order_suspend(const actor_ref<>& whom, const resume_condition& until = {}) {
  EXPECT_TRUE(
      post_suspension_command(whom, {.what = suspension_command::kind::suspend, .until = until})
          .has_value());
}
void order_resume(const actor_ref<>& whom) {
  EXPECT_TRUE(
      post_suspension_command(whom, {.what = suspension_command::kind::resume}).has_value());
}

// spec: I1a P3
TEST(suspended_turns, say_for_which_reason_and_until_when) {
  system_services services;
  const auto who = services.make<scripted>(
      {}, +[](scripted::context& ctx, int number) {
        if (number != 1) return;
        EXPECT_TRUE(ctx.suspend(suspend_reason::rate_limit, on_signal(signal_key{5})).has_value());
      });
  who.tell(note{1});
  who.tell(note{2});
  const invoke_result result = services.run_one();
  EXPECT_EQ(result.how, outcome::suspended);
  EXPECT_EQ(result.reason, suspend_reason::rate_limit);
  EXPECT_EQ(result.resume_on, resume_on::signal);
  EXPECT_EQ(result.messages, 1u);
  EXPECT_FALSE(has_more(result));
  EXPECT_EQ(state_of(*who.slot(), who.generation()), actor_state::suspended);
  EXPECT_EQ(services.ready.poll_wait_signal(), wait_signal::pending) << "in a ready queue";

  EXPECT_TRUE(
      post_suspension_command(who, {.what = suspension_command::kind::signal, .key = signal_key{5}})
          .has_value());
  EXPECT_EQ(services.run_one().how, outcome::completed);
  EXPECT_EQ(state_of(*who.slot(), who.generation()), actor_state::running);
  EXPECT_TRUE(story.is(entry{'h', 1}, entry{'S'}, entry{'W'}, entry{'h', 2}));
  request_stop(*who.slot(), who.generation());
  services.run_all();
}

// spec: I1a
TEST(suspended_turns, name_the_first_reason_and_its_own_condition) {
  system_services services;
  const auto who = services.make<scripted>(
      {}, +[](scripted::context& ctx, int /*number*/) {
        EXPECT_TRUE(
            ctx.suspend(suspend_reason::user_defined, on_signal(signal_key{1})).has_value());
        EXPECT_TRUE(ctx.suspend(suspend_reason::await_external).has_value());
      });
  who.tell(note{1});
  const invoke_result result = services.run_one();
  EXPECT_EQ(result.how, outcome::suspended);
  EXPECT_EQ(result.reason, suspend_reason::await_external);
  EXPECT_EQ(result.resume_on, resume_on::resume);
  request_stop(*who.slot(), who.generation());
  services.run_all();
}

// spec: P3
// case: SR-11
TEST(suspended_turns, do_not_come_of_a_thousand_messages) {
  system_services services;
  const auto who = services.make<recorder>({});
  order_suspend(who);
  EXPECT_EQ(services.run_one().how, outcome::suspended);
  constexpr int many = sizeof(void*) == 8 ? 1000 : 20;  // a board has not so many envelopes
  for (int i = 0; i < many; ++i) {
    ASSERT_EQ(who.tell(note{i}), tell_result::ok);
    ASSERT_EQ(services.ready.poll_wait_signal(), wait_signal::pending)
        << "made ready by message " << i;
  }
  order_resume(who);
  ASSERT_EQ(services.ready.poll_wait_signal(), wait_signal::ready);
  std::uint32_t handled = 0;
  while (services.ready.poll_wait_signal() == wait_signal::ready)
    handled += services.run_one().messages;
  EXPECT_EQ(handled, static_cast<std::uint32_t>(many));
  request_stop(*who.slot(), who.generation());
  services.run_all();
}

// spec: P1, I4
// case: SR-02
TEST(suspended_turns, begin_before_the_next_message_of_a_batch) {
  system_services services;
  static actor_ref<> self;
  const auto who = services.make<scripted>(
      {}, +[](scripted::context& /*ctx*/, int number) {
        if (number == 2) order_suspend(self);  // comes from outside, while the batch runs
      });
  self = who;
  for (int i = 1; i <= 4; ++i)
    who.tell(note{i});
  const invoke_result result = services.run_one();
  EXPECT_EQ(result.how, outcome::suspended);
  EXPECT_EQ(result.messages, 2u);
  who.tell(note{5});
  EXPECT_EQ(services.ready.poll_wait_signal(), wait_signal::pending);
  order_resume(who);
  EXPECT_EQ(services.run_one().messages, 3u);
  EXPECT_TRUE(story.is(entry{'h', 1}, entry{'h', 2}, entry{'S'}, entry{'W'}, entry{'h', 3},
                       entry{'h', 4}, entry{'h', 5}));
  request_stop(*who.slot(), who.generation());
  services.run_all();
}

// spec: P1
TEST(suspended_turns, of_a_single_message_that_suspends_and_resumes_are_ordinary) {
  system_services services;
  const auto who = services.make<scripted>(
      {}, +[](scripted::context& ctx, int /*number*/) {
        EXPECT_TRUE(ctx.suspend().has_value());
        EXPECT_TRUE(ctx.resume().has_value());
      });
  services.run_all();
  who.tell(note{1});
  const invoke_result result = services.run_one();
  EXPECT_EQ(result.how, outcome::completed);
  EXPECT_EQ(state_of(*who.slot(), who.generation()), actor_state::running);
  EXPECT_EQ(services.ready.poll_wait_signal(), wait_signal::pending);
  who.tell(note{2});
  EXPECT_EQ(services.run_one().messages, 1u);
  request_stop(*who.slot(), who.generation());
  services.run_all();
}

// spec: P1
// case: SR-03
TEST(suspended_turns, take_system_messages_and_leave_those_of_users) {
  system_services services;
  const auto who = services.make<recorder>({});
  order_suspend(who);
  (void)services.run_one();
  who.tell(note{1});
  // A second command needs a turn, which handles nothing.
  EXPECT_TRUE(post_suspension_command(who, {.what = suspension_command::kind::suspend,
                                            .reason = suspend_reason::rate_limit})
                  .has_value());
  const invoke_result result = services.run_one();
  EXPECT_EQ(result.how, outcome::suspended);
  EXPECT_EQ(result.messages, 0u);
  request_stop(*who.slot(), who.generation());
  EXPECT_EQ(services.run_one().how, outcome::stopped);
  EXPECT_TRUE(story.is(entry{'S'}, entry{'d', 1}, entry{'p'}, entry{'e'}));
}

// spec: M1
TEST(suspended_turns, a_command_is_refused_while_too_many_wait) {
  system_services services;
  const suspension_command signal{.what = suspension_command::kind::signal};
  const auto who = services.make<recorder>({});
  std::uint32_t waiting = 0;
  while (waiting < 2 * most_commands && post_suspension_command(who, signal))
    ++waiting;
  if (sizeof(void*) == 8) {  // a board has not so many envelopes
    EXPECT_EQ(waiting, most_commands);
    EXPECT_EQ(post_suspension_command(who, signal).error(), suspend_error::full);
    const suspension_command suspend{.what = suspension_command::kind::suspend};
    EXPECT_EQ(post_suspension_command(who, suspend).error(), suspend_error::full);
    order_resume(who);  // there is a place for it
  }
  services.run_all();
  EXPECT_TRUE(post_suspension_command(who, signal).has_value()) << "there is room again";
  request_stop(*who.slot(), who.generation());
  services.run_all();
  EXPECT_EQ(post_suspension_command(who, signal).error(), suspend_error::gone);
  EXPECT_EQ(who.slot()->commands_waiting.load(relaxed), 0u);  // relaxed: one thread
}

// spec: A2d D4
TEST(suspended_turns, a_drained_actor_gets_to_its_messages_while_commands_keep_coming) {
  system_services services;
  const auto who = services.make<recorder>({});
  for (int i = 1; i <= 3; ++i)
    who.tell(note{i});
  services.on_resumed = [](cell& c) noexcept {  // with each resume that takes effect come the next
    order_suspend({&c, c.tenant});
    order_resume({&c, c.tenant});
  };
  order_suspend(who);
  order_resume(who);
  request_drain(*who.slot(), who.generation());
  int turns = 0;
  for (; turns < 100 && services.ready.poll_wait_signal() == wait_signal::ready; ++turns)
    (void)services.run_one();
  EXPECT_LT(turns, 100) << "it still waits";
  EXPECT_EQ(services.ready.poll_wait_signal(), wait_signal::pending);
  EXPECT_EQ(who.tell(note{4}), tell_result::closed);
  services.on_resumed = nullptr;
}

}  // namespace
}  // namespace tactor::rig
