// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/cell/oldest_mail.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace tactor::internal {
namespace {

constexpr std::uint64_t unit_ns = std::uint64_t{1} << oldest_mail::unit_shift;

struct oldest_message_in_a_mailbox : testing::Test {
  [[nodiscard]] std::optional<std::uint64_t> age(std::uint64_t now) const {
    return mail.age_ns(now * unit_ns);
  }
  void send(std::uint64_t at) { mail.note_sent(at * unit_ns); }
  void see(std::uint64_t at) { mail.note_seen(at * unit_ns); }
  void handle(std::uint64_t sent) { mail.forget(sent * unit_ns); }

  oldest_mail mail;
};

TEST_F(oldest_message_in_a_mailbox, has_an_age_that_is_never_more_than_the_true_one) {
  EXPECT_EQ(age(100), std::nullopt);
  mail.note_sent(100 * unit_ns + unit_ns - 1);
  EXPECT_EQ(age(100), 0u);
  EXPECT_EQ(age(101), 0u) << "one nanosecond later";
  EXPECT_EQ(age(111), 10 * unit_ns);
  EXPECT_EQ(age(99), 0u) << "a clock that is behind";
}

TEST_F(oldest_message_in_a_mailbox, is_kept_until_it_is_handled) {
  send(100);
  send(150);
  EXPECT_EQ(age(201), 100 * unit_ns);
  handle(99);
  EXPECT_EQ(age(201), 100 * unit_ns) << "an older one was handled, out of order";
  handle(100);
  EXPECT_EQ(age(201), std::nullopt);
  send(160);
  EXPECT_EQ(age(201), 40 * unit_ns);
  handle(170);
  EXPECT_EQ(age(201), std::nullopt) << "what was sent before is handled, too";
}

TEST_F(oldest_message_in_a_mailbox, is_not_that_of_the_next_actor_with_the_mailbox) {
  send(100);
  mail.reset();
  EXPECT_EQ(age(200), std::nullopt);
  handle(200);
  send(150);
  EXPECT_EQ(age(201), 50 * unit_ns);
}

TEST_F(oldest_message_in_a_mailbox, without_a_time_has_waited_since_it_was_seen) {
  see(100);
  see(150);
  EXPECT_EQ(age(201), 100 * unit_ns);
  mail.forget_seen();
  EXPECT_EQ(age(201), std::nullopt) << "it may be handled after a resume";
  send(150);
  see(180);
  mail.forget_seen();
  EXPECT_EQ(age(201), 50 * unit_ns) << "a time of sending is known until it is handled";
}

// The time has 31 bits.
TEST_F(oldest_message_in_a_mailbox, has_an_age_also_when_the_time_begins_again) {
  const std::uint64_t last = 0x7FFF'FFFF;
  send(last - 10);
  EXPECT_EQ(age(last + 21), 30 * unit_ns);
  handle(last - 20);
  EXPECT_EQ(age(last + 21), 30 * unit_ns);
  handle(last + 5);
  EXPECT_EQ(age(last + 21), std::nullopt);
}

TEST_F(oldest_message_in_a_mailbox, is_known_from_the_first_unit_on) {
  send(0);
  EXPECT_EQ(age(12), 10 * unit_ns);
}

}  // namespace
}  // namespace tactor::internal
