// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/message/mailbox_word.hpp"

#include "tactor/core/message/envelope.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace tactor {

using namespace tactor::internal;

namespace {

struct alignas(envelope_alignment) block {
  envelope e;
};

// Every word a mailbox can hold, with and without a message.
template <class Visit>
void for_each_word(envelope& some, Visit visit) {
  for (std::uintptr_t flags = 0; flags < envelope_alignment; ++flags) {
    visit(mailbox_word{flags});
    visit(mailbox_word{flags | reinterpret_cast<std::uintptr_t>(&some)});
  }
}

TEST(mailbox_word, all_zero_is_a_mailbox_without_a_tenant) {
  const mailbox_word word;

  EXPECT_FALSE(word.open());
  EXPECT_FALSE(word.idle());
  EXPECT_FALSE(word.suspended());
  EXPECT_FALSE(word.noticed());
  EXPECT_FALSE(word.in_side_queue());
  EXPECT_EQ(word.newest(), nullptr);
}

TEST(mailbox_word, is_opened_running_and_empty) {
  const mailbox_word word = mailbox_word::opened();

  EXPECT_TRUE(word.open());
  EXPECT_FALSE(word.idle());
  EXPECT_EQ(word.newest(), nullptr);
}

TEST(mailbox_word, a_push_changes_the_newest_and_wakes_unless_suspended) {
  block old;
  block fresh;
  for_each_word(old.e, [&](mailbox_word before) {
    const mailbox_word after = before.pushed(fresh.e);

    EXPECT_EQ(after.newest(), &fresh.e);
    EXPECT_EQ(after.open(), before.open());
    EXPECT_EQ(after.suspended(), before.suspended());
    EXPECT_EQ(after.noticed(), before.noticed());
    EXPECT_EQ(after.in_side_queue(), before.in_side_queue());
    EXPECT_EQ(after.idle(), before.idle() && before.suspended());
  });
}

TEST(mailbox_word, a_push_into_the_side_queue_leaves_the_newest_and_wakes_unless_suspended) {
  block old;
  for_each_word(old.e, [&](mailbox_word before) {
    const mailbox_word after = before.pushed_in_side_queue();

    EXPECT_TRUE(after.in_side_queue());
    EXPECT_EQ(after.newest(), before.newest());
    EXPECT_EQ(after.idle(), before.idle() && before.suspended());
    EXPECT_EQ(after.without_side_queue().in_side_queue(), false);
  });
}

TEST(mailbox_word, a_notice_wakes_always) {
  block old;
  for_each_word(old.e, [&](mailbox_word before) {
    const mailbox_word after = before.with_notice();

    EXPECT_TRUE(after.noticed());
    EXPECT_FALSE(after.idle());
    EXPECT_EQ(after.newest(), before.newest());
    EXPECT_EQ(after.suspended(), before.suspended());
    EXPECT_FALSE(after.without_notice().noticed());
  });
}

TEST(mailbox_word, what_the_receiver_does_changes_one_thing_each) {
  block old;
  for_each_word(old.e, [&](mailbox_word before) {
    EXPECT_EQ(before.emptied().newest(), nullptr);
    EXPECT_EQ(before.emptied().open(), before.open());
    EXPECT_TRUE(before.as_idle().idle());
    EXPECT_EQ(before.as_idle().newest(), before.newest());
    EXPECT_FALSE(before.refusing().open());
    EXPECT_EQ(before.refusing().newest(), before.newest());
    EXPECT_TRUE(before.suspending().suspended());
    EXPECT_FALSE(before.suspending().resumed().suspended());
    EXPECT_EQ(before.suspending().idle(), before.idle());
  });
}

}  // namespace
}  // namespace tactor
