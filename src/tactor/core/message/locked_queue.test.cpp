// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/message/locked_queue.hpp"

#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/mailbox.hpp"
#include "tactor/core/message/mailbox_reader.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/message/numbered_messages.test.hpp"
#include "tactor/core/message/priority_levels.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace tactor {

using namespace tactor::internal;

namespace {

constexpr std::uint32_t tenancy = 7;

// A mailbox with a side queue of capacity 3, its reader and some messages, numbered from 1.
struct side_queue_box {
  mailbox box;
  mailbox_reader reader;
  locked_queue side_queue;
  numbered_messages messages{tenancy};

  side_queue_box() {
    side_queue.open(this, tenancy, {.capacity = 3});
    box.open();
  }
  // Returns: the number of what was evicted, 0 for nothing.
  std::uint32_t push(std::uint32_t number) {
    const locked_queue::outcome outcome = side_queue.push(this, messages[number]);
    EXPECT_TRUE(outcome.accepted);
    last = box.mark_side_queue();
    return number_of(outcome.evicted);
  }
  std::uint32_t take() { return number_of(reader.front(box, side_queue)); }
  mailbox_reader::left advance() { return reader.advance(box, side_queue); }

  push_result last{};
};

// spec: M2 I2
TEST(locked_queue, takes_a_message_back_which_is_the_next_one_and_counts) {
  side_queue_box post;
  for (std::uint32_t i = 1; i <= 3; ++i)
    post.push(i);
  ASSERT_EQ(post.take(), 1u);
  EXPECT_EQ(post.reader.put_back(post.box, post.side_queue, 0), nullptr);
  EXPECT_EQ(post.side_queue.size(), 3u);
  EXPECT_EQ(post.side_queue.counted_size(), 3u);
  EXPECT_EQ(post.take(), 1u);
  EXPECT_EQ(post.reader.put_back(post.box, post.side_queue, 0), nullptr);
  EXPECT_EQ(post.push(4), 1u) << "the oldest";
  EXPECT_EQ(post.take(), 2u);
  EXPECT_EQ(post.push(5), 0u);
  EXPECT_EQ(number_of(post.reader.put_back(post.box, post.side_queue, 0)), 2u)
      << "the queue has become full meanwhile";
  EXPECT_EQ(post.take(), 3u);
}

struct ordinary {};

// spec: M2 M8 I2
TEST(locked_queue, with_priorities_a_message_that_was_taken_back_is_evicted_by_its_priority) {
  side_queue_box post;
  priority_levels levels;
  post.side_queue.open(&post, tenancy, {.capacity = 2, .levels = &levels});
  const auto push = [&](std::uint32_t number, std::uint8_t priority) {
    post.messages[number].operations = &operations_of<ordinary>;
    return number_of(post.side_queue.push(&post, post.messages[number], priority).evicted);
  };
  EXPECT_EQ(push(1, 50), 0u);
  EXPECT_EQ(push(2, 60), 0u);
  ASSERT_EQ(post.take(), 1u);
  EXPECT_EQ(post.reader.put_back(post.box, post.side_queue, 50), nullptr);
  EXPECT_EQ(push(3, 40), 2u) << "less urgent than what was taken back";
  EXPECT_EQ(push(4, 50), 1u) << "as urgent as the new one, and older";
  EXPECT_EQ(post.take(), 3u);
}

// case: MB-05
TEST(locked_queue, evicts_its_oldest_message_for_a_newer_message) {
  side_queue_box post;
  EXPECT_EQ(post.push(1), 0u);
  EXPECT_EQ(post.push(2), 0u);
  EXPECT_EQ(post.push(3), 0u);
  EXPECT_EQ(post.push(4), 1u);
  EXPECT_EQ(post.side_queue.size(), 3u);

  EXPECT_EQ(number_of(post.side_queue.pop()), 2u);
  EXPECT_EQ(number_of(post.side_queue.pop()), 3u);
  EXPECT_EQ(number_of(post.side_queue.pop()), 4u);
  EXPECT_EQ(post.side_queue.pop(), nullptr);
}

// spec: M2
TEST(locked_queue, of_capacity_one_holds_the_newest) {
  side_queue_box post;
  post.side_queue.open(&post, tenancy, {.capacity = 1});
  EXPECT_EQ(post.push(1), 0u);
  EXPECT_EQ(post.push(2), 1u);
  EXPECT_EQ(post.push(3), 2u);

  EXPECT_EQ(number_of(post.side_queue.pop()), 3u);
  EXPECT_EQ(post.push(1), 0u);
  EXPECT_EQ(number_of(post.side_queue.pop()), 1u);
}

// spec: M5
TEST(locked_queue, refuses_senders_to_another_cell_or_another_tenancy) {
  side_queue_box post;
  const int other_cell = 0;
  EXPECT_FALSE(post.side_queue.push(&other_cell, post.messages[1]).accepted);
  post.messages[1].generation = tenancy - 2;
  EXPECT_FALSE(post.side_queue.push(&post, post.messages[1]).accepted);
  post.messages[1].generation = tenancy + 2;
  EXPECT_FALSE(post.side_queue.push(&post, post.messages[1]).accepted);
  EXPECT_EQ(post.side_queue.size(), 0u);
}

// case: MB-17
TEST(locked_queue, once_closed_takes_nothing_and_gives_out_what_it_holds) {
  side_queue_box post;
  (void)post.push(1);
  (void)post.push(2);
  post.side_queue.close();

  EXPECT_FALSE(post.side_queue.push(&post, post.messages[3]).accepted);
  EXPECT_EQ(number_of(post.side_queue.pop()), 1u);
  EXPECT_EQ(number_of(post.side_queue.pop()), 2u);
}

// spec: M7
TEST(side_queue, gives_out_each_message_once_and_in_order_however_pushes_and_takes_alternate) {
  for (std::uint32_t plan = 0; plan < 1U << 10; ++plan) {
    side_queue_box post;
    post.side_queue.open(&post, tenancy, {.capacity = 8});
    std::uint32_t pushed = 0;
    std::uint32_t taken = 0;
    bool idle = false;
    for (std::uint32_t step = 0; step < 10; ++step) {
      if ((plan >> step & 1U) != 0 && pushed < 8) {
        ASSERT_EQ(post.push(++pushed), 0u);
        ASSERT_EQ(post.last, idle ? push_result::make_ready : push_result::queued);
        idle = false;
      } else if (pushed > taken) {
        ASSERT_EQ(post.take(), ++taken);
        const mailbox_reader::left left = post.advance();
        idle = left == mailbox_reader::left::idle;
        ASSERT_EQ(idle, pushed == taken);
      }
    }
  }
}

// spec: M2
TEST(side_queue, holds_what_its_capacity_says_while_the_receiver_is_between_two_messages) {
  side_queue_box post;
  (void)post.push(1);
  (void)post.push(2);
  (void)post.push(3);
  EXPECT_EQ(post.take(), 1u);
  EXPECT_EQ(post.push(4), 0u) << "the message being handled does not wait";
  EXPECT_EQ(post.advance(), mailbox_reader::left::messages);

  EXPECT_EQ(post.push(5), 2u) << "2, 3 and 4 wait";
  EXPECT_EQ(post.take(), 3u);
}

TEST(side_queue, is_found_empty_only_after_its_bit_was_cleared) {
  side_queue_box post;
  (void)post.push(1);
  (void)post.push(2);  // one bit for both
  EXPECT_EQ(post.take(), 1u);
  EXPECT_EQ(post.advance(), mailbox_reader::left::messages);
  EXPECT_EQ(post.take(), 2u);
  EXPECT_EQ(post.advance(), mailbox_reader::left::idle);
}

TEST(side_queue, with_a_pending_notice_does_not_become_idle) {
  side_queue_box post;
  (void)post.push(1);
  EXPECT_EQ(post.take(), 1u);
  (void)post.box.give_notice();
  EXPECT_EQ(post.advance(), mailbox_reader::left::notice);
}

TEST(side_queue, of_a_refusing_mailbox_does_not_become_idle) {
  side_queue_box post;
  (void)post.push(1);
  EXPECT_EQ(post.take(), 1u);
  post.reader.refuse(post.box);
  EXPECT_EQ(post.advance(), mailbox_reader::left::nothing);
}

// A sender to an earlier tenant, which had no side queue, comes late.
// spec: M5
TEST(side_queue, a_message_in_the_other_queue_is_handed_out_and_does_not_keep_it_busy) {
  side_queue_box post;
  (void)post.push(1);
  (void)post.box.push(post.messages[5]);
  (void)post.box.push(post.messages[6]);
  EXPECT_EQ(post.take(), 1u);
  EXPECT_EQ(post.advance(), mailbox_reader::left::nothing);
  EXPECT_FALSE(post.reader.set_idle(post.box));

  envelope_chain& strays = post.reader.strays(post.box, post.side_queue);
  EXPECT_EQ(number_of(strays.pop()), 5u);
  EXPECT_EQ(number_of(strays.pop()), 6u);
  EXPECT_TRUE(strays.empty());
  EXPECT_TRUE(post.reader.strays(post.box, post.side_queue).empty());
  EXPECT_TRUE(post.reader.set_idle(post.box));
}

// A suspended actor that drains has taken a message out to see that there is one; then it is
// stopped.
// spec: M9
TEST(side_queue, a_message_that_was_taken_and_not_handled_is_among_the_rest_at_the_end) {
  side_queue_box post;
  (void)post.push(1);
  (void)post.push(2);
  EXPECT_EQ(post.take(), 1u);
  (void)post.box.push(post.messages[5]);
  envelope_chain rest = post.reader.close(post.box, nullptr);
  EXPECT_EQ(number_of(rest.pop()), 1u);
  EXPECT_EQ(number_of(rest.pop()), 5u);
  EXPECT_TRUE(rest.empty()) << "2 is still in the side queue";
}

// A sender to an earlier tenant, which had a side queue, comes late.
// spec: M5
TEST(mailbox_reader, clears_the_bit_of_a_side_queue_that_it_does_not_have) {
  mailbox box;
  mailbox_reader reader;
  box.open();
  (void)box.mark_side_queue();
  EXPECT_FALSE(reader.set_idle(box));

  reader.forget_side_queue(box);
  EXPECT_TRUE(reader.set_idle(box));
}

}  // namespace
}  // namespace tactor
