// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/mailbox/drop_oldest_queue.hpp"

#include "tactor/core/mailbox/mailbox.hpp"
#include "tactor/core/mailbox/mailbox_reader.hpp"
#include "tactor/core/message/envelope.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace tactor {

using namespace tactor::internal;

namespace {

struct alignas(envelope_alignment) letter {
  envelope e;
  std::uint32_t number = 0;
};
std::uint32_t number_of(const envelope* e) {
  return e == nullptr ? 0 : reinterpret_cast<const letter*>(e)->number;
}

constexpr std::uint32_t tenancy = 7;

// A mailbox with a lane for three, its reader and some letters, numbered from 1.
struct lane_box {
  mailbox box;
  mailbox_reader reader;
  drop_oldest_queue side_queue;
  std::array<letter, 8> letters{};

  lane_box() {
    for (std::uint32_t i = 0; i < letters.size(); ++i) {
      letters[i].number = i + 1;
      letters[i].e.generation = tenancy;
    }
    side_queue.open(this, tenancy, 3);
    box.open();
  }
  // Returns: the number of what was evicted, 0 for nothing.
  std::uint32_t push(std::uint32_t number) {
    const drop_oldest_queue::outcome outcome = side_queue.push(this, letters[number - 1].e);
    EXPECT_TRUE(outcome.accepted);
    last = box.note_side_queue();
    return number_of(outcome.evicted);
  }
  std::uint32_t take() { return number_of(reader.front(box, side_queue)); }
  mailbox_reader::left advance() { return reader.advance(box, side_queue); }

  push_result last{};
};

// case: MB-05
TEST(drop_oldest_queue, gives_up_its_oldest_for_a_newer_one) {
  lane_box post;
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
TEST(drop_oldest_queue, of_one_place_holds_the_newest) {
  lane_box post;
  post.side_queue.open(&post, tenancy, 1);
  EXPECT_EQ(post.push(1), 0u);
  EXPECT_EQ(post.push(2), 1u);
  EXPECT_EQ(post.push(3), 2u);

  EXPECT_EQ(number_of(post.side_queue.pop()), 3u);
  EXPECT_EQ(post.push(1), 0u);
  EXPECT_EQ(number_of(post.side_queue.pop()), 1u);
}

// spec: M5
TEST(drop_oldest_queue, refuses_who_means_another_cell_or_another_tenancy_of_it) {
  lane_box post;
  const int other_cell = 0;
  EXPECT_FALSE(post.side_queue.push(&other_cell, post.letters[0].e).accepted);
  post.letters[0].e.generation = tenancy - 2;
  EXPECT_FALSE(post.side_queue.push(&post, post.letters[0].e).accepted);
  post.letters[0].e.generation = tenancy + 2;
  EXPECT_FALSE(post.side_queue.push(&post, post.letters[0].e).accepted);
  EXPECT_EQ(post.side_queue.size(), 0u);
}

// case: MB-17
TEST(drop_oldest_queue, that_is_closed_takes_nothing_and_gives_out_what_it_holds) {
  lane_box post;
  (void)post.push(1);
  (void)post.push(2);
  post.side_queue.close();

  EXPECT_FALSE(post.side_queue.push(&post, post.letters[2].e).accepted);
  EXPECT_EQ(number_of(post.side_queue.pop()), 1u);
  EXPECT_EQ(number_of(post.side_queue.pop()), 2u);
}

// spec: M7
TEST(side_queue, gives_out_each_message_once_and_in_order_however_pushes_and_takes_alternate) {
  for (std::uint32_t plan = 0; plan < 1U << 10; ++plan) {
    lane_box post;
    post.side_queue.open(&post, tenancy, 8);
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
  lane_box post;
  (void)post.push(1);
  (void)post.push(2);
  (void)post.push(3);
  EXPECT_EQ(post.take(), 1u);
  EXPECT_EQ(post.push(4), 0u) << "the one that is being handled does not wait";
  EXPECT_EQ(post.advance(), mailbox_reader::left::messages);

  EXPECT_EQ(post.push(5), 2u) << "2, 3 and 4 wait";
  EXPECT_EQ(post.take(), 3u);
}

TEST(side_queue, is_found_empty_only_after_its_note_was_taken) {
  lane_box post;
  (void)post.push(1);
  (void)post.push(2);  // one note for both
  EXPECT_EQ(post.take(), 1u);
  EXPECT_EQ(post.advance(), mailbox_reader::left::messages);
  EXPECT_EQ(post.take(), 2u);
  EXPECT_EQ(post.advance(), mailbox_reader::left::idle);
}

TEST(side_queue, that_a_notice_interrupts_is_not_parked) {
  lane_box post;
  (void)post.push(1);
  EXPECT_EQ(post.take(), 1u);
  (void)post.box.give_notice();
  EXPECT_EQ(post.advance(), mailbox_reader::left::notice);
}

TEST(side_queue, a_mailbox_that_takes_nothing_more_is_not_parked) {
  lane_box post;
  (void)post.push(1);
  EXPECT_EQ(post.take(), 1u);
  post.reader.refuse(post.box);
  EXPECT_EQ(post.advance(), mailbox_reader::left::nothing);
}

// A sender to an earlier tenant, which had no lane, comes late.
// spec: M5
TEST(side_queue, what_strays_into_the_other_queue_is_handed_out_and_does_not_keep_it_from_parking) {
  lane_box post;
  (void)post.push(1);
  (void)post.box.push(post.letters[4].e);
  (void)post.box.push(post.letters[5].e);
  EXPECT_EQ(post.take(), 1u);
  EXPECT_EQ(post.advance(), mailbox_reader::left::nothing);
  EXPECT_FALSE(post.reader.set_idle(post.box));

  envelope_chain strays = post.reader.take_strays(post.box);
  EXPECT_EQ(number_of(strays.pop()), 5u);
  EXPECT_EQ(number_of(strays.pop()), 6u);
  EXPECT_TRUE(strays.empty());
  EXPECT_TRUE(post.reader.take_strays(post.box).empty());
  EXPECT_TRUE(post.reader.set_idle(post.box));
}

// A sender to an earlier tenant, which had a lane, comes late.
// spec: M5
TEST(mailbox_reader, forgets_a_note_of_a_lane_that_it_does_not_have) {
  mailbox box;
  mailbox_reader reader;
  box.open();
  (void)box.note_side_queue();
  EXPECT_FALSE(reader.set_idle(box));

  reader.forget_side_queue(box);
  EXPECT_TRUE(reader.set_idle(box));
}

}  // namespace
}  // namespace tactor
