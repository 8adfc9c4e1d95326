// SPDX-License-Identifier: BSL-1.0
// The log's words about an actor, and an actor's words in the log.
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/reply_to.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using namespace tactor::testkit;

struct plain_words {};
struct slow_question {
  using reply = int;
};
struct answer_now {};

class slow_answerer : public actor<slow_question, answer_now, plain_words> {
  std::optional<reply_to<int>> open_;

public:
  delegated<int> receive(context& ctx, const slow_question&) {
    open_ = ctx.reply_later<int>();
    return open_->as_delegated();
  }
  void receive(context&, const answer_now&) { std::exchange(open_, std::nullopt)->send(1); }
  void receive(context&, const plain_words&) {}
};

struct log_lines {
  [[nodiscard]] log_sink sink() { return {take, this}; }
  static void take(void* self, const log_record& record) noexcept {
    std::string line{to_text(record.level)};
    line.append(" ").append(record.actor).append(": ").append(record.text);
    static_cast<log_lines*>(self)->lines.push_back(line);
  }
  std::vector<std::string> lines;
};

class logged_world {
public:
  explicit logged_world(log_level least = log_level::warning)
      : world{seed{1}, {.log = {.sink = log.sink(), .min_level = least}}} {}

  log_lines log;
  simulation world;
};

// A program prints them with %s, whatever they are of.
template <class... Types>
constexpr bool are_plain_text = (std::is_same_v<decltype(to_text(Types{})), const char*> && ...);
static_assert(are_plain_text<ask_failure, directive, drop_reason, log_kind, log_level,
                             scheduler_error, scheduler_event_kind, spawn_error, suspend_error,
                             suspend_reason, tell_result, termination, watch_error>);

// A cooperative system and one that has stopped give it, too.
TEST(log_texts, of_an_ask_that_cannot_be_answered_name_no_simulation) {
  constexpr std::string_view text = to_text(ask_failure::would_never_answer);
  static_assert(!text.contains("simulation"));
  EXPECT_TRUE(text.contains("nothing is left to run")) << text;
}

TEST(log_texts, of_a_cause_of_an_end_are_its_name) {
  EXPECT_STREQ(to_text(termination::stopped), "stopped");
  EXPECT_STREQ(to_text(termination::failed), "failed");
  EXPECT_STREQ(to_text(termination::unreachable), "unreachable");
}

// The sender may have given its own timeout: that of an ask.
TEST(log_texts, of_a_full_mailbox_name_no_setting_that_may_not_have_been_used) {
  const std::string text{log_text_of(drop_reason::wait_timed_out)};
  EXPECT_FALSE(text.contains("push_timeout_ms")) << text;
  EXPECT_TRUE(text.contains("the mailbox was full")) << text;
}

TEST(log_texts, say_that_a_reference_is_empty) {
  EXPECT_TRUE(std::string{to_text(actor_ref<plain_words>{}.tell(plain_words{}))}.contains("empty"));
}

// spec: O7d
TEST(log_texts, name_a_living_actor_also_in_a_large_system) {
  logged_world w;
  for (int i = 0; i < 5'000; ++i)
    (void)w.world.spawn("", [](context&, plain_words) {});
  const auto desk =
      w.world.spawn({.name = "desk", .mailbox = {.capacity = 1}}, [](context&, plain_words) {});
  EXPECT_TRUE(w.world.suspend(desk));
  w.world.run_to_idle();
  for (int i = 0; i < 2; ++i)
    desk.tell(plain_words{});
  ASSERT_FALSE(w.log.lines.empty());
  EXPECT_TRUE(w.log.lines.back().starts_with("warning /user/desk: a message was not handled"))
      << w.log.lines.back();
}

TEST(log_texts, say_that_an_actor_was_not_spawned) {
  logged_world w;
  EXPECT_FALSE(w.world.spawn<slow_answerer>("a/b"));
  w.world.run_for(1ms);
  ASSERT_FALSE(w.log.lines.empty());
  EXPECT_TRUE(w.log.lines.back().contains("the actor was not spawned")) << w.log.lines.back();
}

// spec: O6
TEST(log_texts, name_an_actor_that_has_ended) {
  logged_world w;
  const auto shop = w.world.spawn<slow_answerer>("shop");
  w.world.stop(shop);
  w.world.run_for(1ms);
  shop.tell(plain_words{});
  ASSERT_EQ(w.log.lines.size(), 1u);
  EXPECT_EQ(w.log.lines[0], "warning /user/shop: a message was not handled: the actor has stopped");
}

// spec: O6
TEST(log_texts, say_that_an_answer_came_too_late) {
  logged_world w;
  const auto who = w.world.spawn<slow_answerer>("who");
  EXPECT_FALSE(w.world.ask(who, slow_question{}, 10ms).get().has_value());
  who.tell(answer_now{});
  w.world.run_for(1ms);
  ASSERT_EQ(w.log.lines.size(), 1u);
  EXPECT_EQ(
      w.log.lines[0],
      "warning : an answer came too late: its ask had timed out, or the asking actor had ended");
}

// spec: O6
TEST(log_texts, of_a_taken_name_say_which_name_the_actor_got) {
  logged_world w;
  (void)w.world.spawn<slow_answerer>("desk");
  (void)w.world.spawn<slow_answerer>("desk");
  ASSERT_EQ(w.log.lines.size(), 1u);
  EXPECT_EQ(w.log.lines[0],
            "warning /user/desk-2: a sibling has the wanted name, so the actor got this one");
}

// spec: O6
TEST(log_texts, leave_out_what_try_spawn_returns) {
  logged_world w;
  (void)w.world.spawn<slow_answerer>("desk");
  EXPECT_EQ(w.world.try_spawn<slow_answerer>("desk").error(), spawn_error::name_taken);
  EXPECT_EQ(w.world.try_spawn<slow_answerer>("a/b").error(), spawn_error::name_invalid);
  EXPECT_TRUE(w.log.lines.empty());
  (void)w.world.spawn<slow_answerer>("a/b");
  EXPECT_EQ(w.log.lines.size(), 1u);
}

// spec: O6
TEST(log_texts, do_not_warn_of_routine) {
  for (const log_level least : {log_level::warning, log_level::info}) {
    logged_world w{least};
    const auto newest = w.world.spawn<slow_answerer>(
        {.name = "newest", .mailbox = {.capacity = 1, .overflow = overflow_strategy::drop_oldest}});
    newest.tell(plain_words{});
    newest.tell(plain_words{});
    w.world.begin_stop();
    newest.tell(plain_words{});
    w.world.run_for(1ms);
    EXPECT_EQ(w.log.lines.empty(), least == log_level::warning);
  }
}

// spec: O6
TEST(log_texts, of_actors_come_with_their_path) {
  logged_world w;
  const auto parent = w.world.spawn("parent", [](context& ctx, const plain_words&) {
    ctx.log(log_level::info, "not wanted");
    ctx.log(log_level::error, "no paper");
    (void)ctx.spawn("child", [](context& inner, const answer_now&) {
      inner.log(log_level::warning, inner.path().view());
    });
    ctx.find<answer_now>("/user/parent/child").tell(answer_now{});
    EXPECT_FALSE(ctx.find<plain_words>("/user/parent/child"));
  });
  parent.tell(plain_words{});
  w.world.run_for(1ms);
  EXPECT_EQ(w.log.lines,
            (std::vector<std::string>{"error /user/parent: no paper",
                                      "warning /user/parent/child: /user/parent/child"}));
}

// spec: M4b
TEST(log_texts, name_the_limit_of_an_outbox_once) {
  logged_world at;
  const auto slow = at.world.spawn({.name = "slow", .mailbox = mailbox_presets::lossless(1)},
                                   [](context&, const plain_words&) {});
  ASSERT_TRUE(at.world.suspend(slow).has_value());
  const auto quick = at.world.spawn("quick", [slow](context&, const answer_now&) {
    for (int sent = 0; sent < 100; ++sent)
      (void)slow.tell(plain_words{});
  });
  (void)quick.tell(answer_now{});
  (void)at.world.run_to_idle();
  const auto of_limit = [](const std::string& line) {
    return line.contains("more than 64 messages");
  };
  EXPECT_EQ(std::ranges::count_if(at.log.lines, of_limit), 1);
  EXPECT_TRUE(at.log.lines.front().contains("/user/quick: ")) << at.log.lines.front();
}

}  // namespace
}  // namespace tactor
