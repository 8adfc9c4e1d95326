// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/message/priority_levels.hpp"

#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/locked_queue.hpp"
#include "tactor/core/message/mailbox.hpp"
#include "tactor/core/message/mailbox_reader.hpp"
#include "tactor/core/message/numbered_messages.test.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace tactor {

using namespace tactor::internal;

namespace {

constexpr std::uint32_t tenancy = 5;

// spec: M8
TEST(priority_levels, are_taken_out_from_both_ends_and_of_one_level_the_oldest_first) {
  for (const std::uint8_t least : {std::uint8_t{1}, std::uint8_t{32}, std::uint8_t{255}}) {
    numbered_messages each{tenancy};
    priority_levels levels;
    levels.push(each[1], least);
    levels.push(each[2], 0);
    levels.push(each[3], least);
    levels.push(each[4], 0);
    EXPECT_EQ(levels.size(), 4u);

    EXPECT_EQ(number_of(levels.pop_least_urgent()), 1u);
    EXPECT_EQ(number_of(levels.pop()), 2u);
    levels.push(each[5], 0);
    EXPECT_EQ(number_of(levels.pop()), 4u);
    EXPECT_EQ(number_of(levels.pop()), 5u);
    EXPECT_EQ(number_of(levels.pop()), 3u);
    EXPECT_EQ(levels.pop(), nullptr);
    EXPECT_EQ(levels.pop_least_urgent(), nullptr);
    EXPECT_EQ(levels.size(), 0u);
  }
}

// spec: M8
TEST(priority_levels, tell_all_256_levels_apart) {
  numbered_messages each{tenancy};
  priority_levels levels;
  for (unsigned p = 0; p + 1 < 256; ++p) {
    levels.push(each[1], static_cast<std::uint8_t>(p + 1));
    levels.push(each[2], static_cast<std::uint8_t>(p));
    EXPECT_EQ(number_of(levels.pop()), 2u);
    EXPECT_EQ(number_of(levels.pop()), 1u);
    levels.push(each[2], static_cast<std::uint8_t>(p));
    levels.push(each[1], static_cast<std::uint8_t>(p + 1));
    EXPECT_EQ(number_of(levels.pop_least_urgent()), 1u);
    EXPECT_EQ(number_of(levels.pop_least_urgent()), 2u);
  }
}

TEST(priority_levels, what_was_taken_out_leads_nowhere) {
  numbered_messages each{tenancy};
  priority_levels levels;
  levels.push(each[1], 7);
  levels.push(each[2], 7);
  EXPECT_EQ(levels.pop()->next.get(), nullptr);
  EXPECT_EQ(levels.pop()->next.get(), nullptr);
}

// A mailbox of capacity 2 with priorities.
struct prioritized_box : numbered_messages {
  mailbox box;
  mailbox_reader reader;
  priority_levels levels;
  locked_queue side_queue;

  prioritized_box() : numbered_messages{tenancy} {
    side_queue.open(this, tenancy, {.capacity = 2, .levels = &levels});
    box.open();
  }
  std::uint32_t take() {
    const std::uint32_t taken = number_of(reader.front(box, side_queue));
    last = reader.advance(box, side_queue);
    return taken;
  }
  mailbox_reader::left last{};
};

// spec: M8
// case: MP-08
TEST(prioritized_mailbox, only_the_push_that_finds_the_cell_idle_makes_it_ready) {
  prioritized_box post;
  EXPECT_TRUE(post.reader.set_idle(post.box));
  EXPECT_TRUE(post.side_queue.push(&post, post[1], 9).accepted);
  EXPECT_EQ(post.box.mark_side_queue(), push_result::make_ready);
  EXPECT_TRUE(post.side_queue.push_control(&post, post[2]).accepted);
  EXPECT_EQ(post.box.mark_side_queue(), push_result::queued);
  EXPECT_TRUE(post.side_queue.push(&post, post[3], 8).accepted);
  EXPECT_EQ(post.box.mark_side_queue(), push_result::queued);

  EXPECT_EQ(post.take(), 2u);
  EXPECT_EQ(post.take(), 3u);
  EXPECT_EQ(post.last, mailbox_reader::left::messages) << "not idle after one lane only";
  EXPECT_EQ(post.take(), 1u);
  EXPECT_EQ(post.last, mailbox_reader::left::idle);
  EXPECT_TRUE(post.side_queue.push_control(&post, post[1]).accepted);
  EXPECT_EQ(post.box.mark_side_queue(), push_result::make_ready);
}

// spec: M8
TEST(prioritized_mailbox, evicts_no_control_message_and_counts_none) {
  prioritized_box post;
  for (const std::uint32_t each : {1u, 2u, 3u})
    EXPECT_EQ(post.side_queue.push_control(&post, post[each]).waiting, 0u);
  EXPECT_EQ(post.side_queue.push(&post, post[4], 50).waiting, 1u);
  EXPECT_EQ(post.side_queue.push(&post, post[5], 40).evicted, nullptr);
  EXPECT_EQ(number_of(post.side_queue.push(&post, post[6], 45).evicted), 4u);
  EXPECT_EQ(number_of(post.side_queue.push(&post, post[7], 46).evicted), 7u) << "itself";
  EXPECT_EQ(post.side_queue.size(), 5u);
  EXPECT_EQ(post.side_queue.counted_size(), 2u);
}

TEST(prioritized_mailbox, refuses_a_control_message_to_another_tenancy) {
  prioritized_box post;
  post[1].generation = tenancy + 2;
  EXPECT_FALSE(post.side_queue.push_control(&post, post[1]).accepted);
  post.side_queue.close();
  EXPECT_FALSE(post.side_queue.push_control(&post, post[2]).accepted);
  EXPECT_EQ(post.side_queue.take_levels(), &post.levels);
  EXPECT_EQ(post.side_queue.take_levels(), nullptr);
}

}  // namespace
}  // namespace tactor
