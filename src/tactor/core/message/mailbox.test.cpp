// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/message/mailbox.hpp"

#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/mailbox_reader.hpp"
#include "tactor/core/message/numbered_messages.test.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace tactor {

using namespace tactor::internal;

namespace {

// A mailbox, its reader and some messages, numbered from 1.
struct post_box {
  mailbox box;
  mailbox_reader reader;
  numbered_messages messages;

  post_box() { box.open(); }
  push_result push(std::uint32_t number) { return box.push(messages[number]); }
  push_result push_system(std::uint32_t number) { return box.push_system(messages[number]); }
  // Handles the message in front. Returns: its number, 0 if there is none.
  std::uint32_t take(mailbox_reader::left* left = nullptr) {
    envelope* const e = reader.front(box);
    if (e == nullptr) return 0;
    const mailbox_reader::left after = reader.advance(box, *e);
    if (left != nullptr) *left = after;
    return number_of(e);
  }
};

// The numbers of a chain, as digits.
std::uint32_t digits(envelope_chain chain) {
  std::uint32_t all = 0;
  while (const envelope* const e = chain.pop())
    all = all * 10 + number_of(e);
  return all;
}

// case: MB-01
TEST(mailbox, its_size_is_what_was_pushed_and_not_handled) {
  post_box post;
  EXPECT_EQ(post.reader.size(post.box), 0u);
  EXPECT_EQ(post.take(), 0u);
  for (std::uint32_t i = 1; i <= 4; ++i) {
    EXPECT_EQ(post.push(i), push_result::queued);
    EXPECT_EQ(post.reader.size(post.box), i);
  }

  EXPECT_EQ(post.take(), 1u);
  EXPECT_EQ(post.reader.size(post.box), 3u);
  (void)post.push(5);
  (void)post.push(6);
  EXPECT_EQ(post.reader.size(post.box), 5u) << "the taken messages and the newer ones";
  for (std::uint32_t left = 5; left > 0; --left) {
    EXPECT_EQ(post.take(), 7 - left);
    EXPECT_EQ(post.reader.size(post.box), left - 1);
  }
  EXPECT_EQ(post.take(), 0u);
}

// All mixes of eight pushes and takes: what is taken is what was pushed, in order.
// spec: M7
// case: MB-02
TEST(mailbox, gives_out_each_message_once_and_in_order_however_pushes_and_takes_alternate) {
  for (std::uint32_t plan = 0; plan < 1U << 12; ++plan) {
    post_box post;
    std::uint32_t pushed = 0;
    std::uint32_t taken = 0;
    bool idle = false;
    for (std::uint32_t step = 0; step < 12; ++step) {
      if ((plan >> step & 1U) != 0 && pushed < 8) {
        const push_result said = post.push(++pushed);
        ASSERT_EQ(said, idle ? push_result::make_ready : push_result::queued);
        idle = false;
      } else if (pushed > taken) {
        mailbox_reader::left left{};
        ASSERT_EQ(post.take(&left), ++taken);
        idle = left == mailbox_reader::left::idle;
        ASSERT_EQ(idle, pushed == taken);
      }
    }
  }
}

// case: MP-08
TEST(mailbox, only_the_push_that_finds_it_idle_makes_it_ready) {
  post_box post;
  EXPECT_EQ(post.push(1), push_result::queued) << "an opened mailbox is about to be run";
  mailbox_reader::left left{};
  EXPECT_EQ(post.take(&left), 1u);
  EXPECT_EQ(left, mailbox_reader::left::idle);

  EXPECT_EQ(post.push(2), push_result::make_ready);
  EXPECT_EQ(post.push(3), push_result::queued);
  EXPECT_EQ(post.box.give_notice(), push_result::queued);
}

TEST(mailbox, a_notice_makes_an_idle_mailbox_ready_once) {
  post_box post;
  ASSERT_TRUE(post.reader.set_idle(post.box));

  EXPECT_EQ(post.box.give_notice(), push_result::make_ready);
  EXPECT_EQ(post.box.give_notice(), push_result::queued);
  EXPECT_EQ(post.push(1), push_result::queued);
}

TEST(mailbox, does_not_become_idle_with_a_message_or_a_notice) {
  post_box post;
  (void)post.push(1);
  EXPECT_FALSE(post.reader.set_idle(post.box));
  (void)post.box.give_notice();
  mailbox_reader::left left{};
  EXPECT_EQ(post.take(&left), 1u);
  EXPECT_EQ(left, mailbox_reader::left::notice);
  EXPECT_FALSE(post.reader.set_idle(post.box));

  post.reader.take_notice(post.box);
  EXPECT_TRUE(post.reader.set_idle(post.box));
}

TEST(mailbox, a_message_that_comes_while_the_last_is_handled_is_next) {
  post_box post;
  (void)post.push(1);
  envelope* const first = post.reader.front(post.box);
  (void)post.push(2);
  (void)post.push(3);

  EXPECT_EQ(post.reader.advance(post.box, *first), mailbox_reader::left::messages);
  EXPECT_EQ(post.take(), 2u);
  EXPECT_EQ(post.take(), 3u);
}

TEST(mailbox, an_envelope_that_was_left_may_be_pushed_again_at_once) {
  post_box post;
  for (int turn = 0; turn < 3; ++turn) {
    const push_result said = post.push(1);
    EXPECT_EQ(said, turn == 0 ? push_result::queued : push_result::make_ready);
    EXPECT_EQ(post.take(), 1u);
  }
  (void)post.push(2);
  (void)post.push(1);
  EXPECT_EQ(post.take(), 2u);
  EXPECT_EQ(post.take(), 1u);
}

// spec: M1
TEST(mailbox, takes_system_messages_whether_or_not_it_is_open_for_users) {
  post_box post;
  post.reader.refuse(post.box);
  EXPECT_EQ(post.push(1), push_result::closed);

  EXPECT_EQ(post.push_system(2), push_result::queued);
  EXPECT_EQ(post.push_system(3), push_result::queued);
  EXPECT_TRUE(post.box.peek().noticed());
  EXPECT_EQ(digits(post.reader.take_system(post.box)), 23u) << "in their order";
  EXPECT_TRUE(post.reader.take_system(post.box).empty());
}

TEST(mailbox, takes_a_single_system_message_unless_another_one_comes) {
  post_box post;
  EXPECT_EQ(post.reader.single_system(post.box), nullptr);
  (void)post.push_system(1);
  envelope* const only = post.reader.single_system(post.box);
  ASSERT_NE(only, nullptr);
  (void)post.push_system(2);
  EXPECT_EQ(post.reader.single_system(post.box), nullptr);
  EXPECT_FALSE(post.reader.take_single_system(post.box, *only));
  EXPECT_EQ(digits(post.reader.take_system(post.box)), 12u) << "nothing was taken before";

  (void)post.push_system(3);
  EXPECT_TRUE(post.reader.take_single_system(post.box, *post.reader.single_system(post.box)));
  EXPECT_TRUE(post.reader.take_system(post.box).empty());
}

// spec: P2
TEST(mailbox, resumes_with_its_notice_and_is_suspended_when_it_becomes_idle) {
  post_box post;
  post.reader.suspend(post.box);
  EXPECT_EQ(post.push(1), push_result::queued);
  EXPECT_EQ(post.box.give_notice(), push_result::queued);
  EXPECT_FALSE(post.reader.suspend_idle(post.box)) << "there is a notice";

  post.reader.resume_by_notice(post.box);
  EXPECT_FALSE(post.box.peek().noticed());
  EXPECT_FALSE(post.box.peek().suspended());

  EXPECT_TRUE(post.reader.suspend_idle(post.box)) << "its message waits";
  EXPECT_EQ(post.push(2), push_result::queued);
  EXPECT_EQ(post.box.give_notice(), push_result::make_ready);
}

// case: MB-17
TEST(mailbox, once_closed_gives_out_all_that_is_queued_once_and_takes_nothing) {
  for (std::uint32_t handled = 0; handled <= 3; ++handled) {  // 4 and 5 arrive later
    post_box post;
    for (std::uint32_t i = 1; i <= 3; ++i)
      (void)post.push(i);
    envelope* last = nullptr;
    for (std::uint32_t i = 1; i < handled; ++i)
      (void)post.take();
    if (handled > 0) last = post.reader.front(post.box);
    (void)post.push(4);
    (void)post.push(5);
    (void)post.push_system(6);
    (void)post.push_system(7);

    constexpr std::array<std::uint32_t, 4> expected{12345, 2345, 345, 45};
    EXPECT_EQ(digits(post.reader.close(post.box, last)), expected[handled]);
    EXPECT_EQ(digits(post.reader.close_system(post.box)), 67u);
    EXPECT_EQ(post.push(8), push_result::closed);
    EXPECT_EQ(post.push_system(8), push_result::closed);
    EXPECT_TRUE(post.reader.close(post.box, nullptr).empty());
    EXPECT_TRUE(post.reader.close_system(post.box).empty());
  }
}

TEST(mailbox, without_a_tenant_takes_nothing) {
  mailbox box;
  numbered_message some;

  EXPECT_EQ(box.push(some.e), push_result::closed);
  EXPECT_EQ(box.push_system(some.e), push_result::closed);
  EXPECT_EQ(box.give_notice(), push_result::queued) << "harmless";
  EXPECT_EQ(box.mark_side_queue(), push_result::queued) << "harmless";
}

TEST(mailbox, once_closed_is_opened_empty_for_the_next_tenant) {
  post_box post;
  (void)post.push(1);
  (void)post.push(2);
  (void)post.reader.front(post.box);
  (void)post.reader.close(post.box, nullptr);
  (void)post.reader.close_system(post.box);
  (void)post.box.give_notice();  // a late sender's

  post.box.open();
  EXPECT_EQ(post.reader.size(post.box), 0u);
  EXPECT_EQ(post.push(3), push_result::queued);
  EXPECT_EQ(post.take(), 3u);
}

TEST(mailbox, becomes_idle_with_messages_while_suspended_and_is_not_woken_by_more) {
  post_box post;
  (void)post.push(1);
  (void)post.push(2);
  envelope* const first = post.reader.front(post.box);
  post.reader.suspend(post.box);
  EXPECT_EQ(post.reader.advance(post.box, *first), mailbox_reader::left::messages);

  EXPECT_TRUE(post.reader.set_idle(post.box));
  EXPECT_EQ(post.push(3), push_result::queued);
  EXPECT_EQ(post.box.give_notice(), push_result::make_ready);
  post.reader.take_notice(post.box);
  post.reader.resume(post.box);
  EXPECT_EQ(post.take(), 2u);
  EXPECT_EQ(post.take(), 3u);
}

TEST(mailbox, can_be_taken_over_only_while_it_is_suspended_and_idle) {
  post_box post;
  EXPECT_FALSE(post.box.try_take_suspended()) << "a worker runs it";
  ASSERT_TRUE(post.reader.set_idle(post.box));
  EXPECT_FALSE(post.box.try_take_suspended()) << "idle, but not suspended";
  ASSERT_EQ(post.box.give_notice(), push_result::make_ready);
  post.reader.take_notice(post.box);
  post.reader.suspend(post.box);
  EXPECT_FALSE(post.box.try_take_suspended()) << "suspended, but a worker runs it";
  ASSERT_TRUE(post.reader.set_idle(post.box));
  ASSERT_EQ(post.push(1), push_result::queued);

  ASSERT_TRUE(post.box.try_take_suspended());
  EXPECT_FALSE(post.box.try_take_suspended()) << "another observer has it";
  ASSERT_EQ(post.push(2), push_result::queued);
  EXPECT_EQ(post.reader.size(post.box), 2u);
  EXPECT_EQ(post.reader.size(post.box, 1), 1u);
  EXPECT_TRUE(post.reader.set_idle(post.box));
  ASSERT_TRUE(post.box.try_take_suspended());
  EXPECT_EQ(post.box.give_notice(), push_result::queued) << "its observer makes it ready";
  EXPECT_FALSE(post.reader.set_idle(post.box));
}

TEST(mailbox, can_be_taken_over_while_it_is_idle_and_is_woken_by_its_observer) {
  post_box post;
  EXPECT_FALSE(post.box.try_take_idle()) << "a worker runs it";
  ASSERT_TRUE(post.reader.set_idle(post.box));
  ASSERT_TRUE(post.box.try_take_idle());
  EXPECT_FALSE(post.box.try_take_idle()) << "another observer has it";
  EXPECT_TRUE(post.reader.set_idle(post.box)) << "nothing has come";
  ASSERT_TRUE(post.box.try_take_idle());
  EXPECT_EQ(post.push(1), push_result::queued) << "its observer makes it ready";
  EXPECT_FALSE(post.reader.set_idle(post.box));
  EXPECT_EQ(post.take(), 1u);
}

}  // namespace
}  // namespace tactor
