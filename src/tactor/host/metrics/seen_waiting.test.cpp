// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/metrics/seen_waiting.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace tactor::internal {
namespace {

struct messages_seen_waiting : testing::Test {
  /// What is known of the actor's oldest message when a visit shows it at `now_ns`.
  std::optional<std::uint64_t> look(std::uint64_t now_ns) {
    const std::uint64_t visit = seen.begin();
    actor_view shown = desk;
    seen.complete(shown, now_ns, visit);
    seen.end(visit);
    return shown.oldest_ns;
  }

  seen_waiting seen;
  actor_view desk{
      .who = {.slot = 7, .generation = 1}, .waiting = 3, .suspended_ns = 100, .oldest_ns = {}};
};

// spec: O1
TEST_F(messages_seen_waiting, wait_at_least_since_the_first_look) {
  EXPECT_EQ(look(500), 0u);
  EXPECT_EQ(look(800), 300u);
  desk.oldest_ns = 700;
  EXPECT_EQ(look(900), 700u) << "known better from a message with a time";
  desk.oldest_ns = 10;
  EXPECT_EQ(look(900), 400u);
}

TEST_F(messages_seen_waiting, are_others_in_another_suspension) {
  EXPECT_EQ(look(500), 0u);
  desk.suspended_ns = 600;
  EXPECT_EQ(look(800), 0u);
  EXPECT_EQ(look(900), 100u);
}

TEST_F(messages_seen_waiting, are_not_known_where_the_oldest_one_may_go) {
  (void)look(500);
  const actor_view suspended = desk;
  desk.suspended_ns.reset();
  EXPECT_EQ(look(800), std::nullopt) << "it runs";
  desk = suspended;
  desk.waiting = 0;
  EXPECT_EQ(look(800), std::nullopt);
  desk.waiting.reset();
  EXPECT_EQ(look(800), std::nullopt);
  desk = suspended;
  desk.drops_oldest = true;
  EXPECT_EQ(look(800), std::nullopt);
}

TEST_F(messages_seen_waiting, are_forgotten_when_a_visit_does_not_show_the_actor) {
  (void)look(500);
  const std::uint64_t visit = seen.begin();
  seen.end(visit);
  EXPECT_EQ(look(800), 0u);
}

TEST_F(messages_seen_waiting, of_too_many_actors_are_not_remembered) {
  const std::uint64_t visit = seen.begin();
  for (std::uint32_t i = 0; i <= seen_waiting::most; ++i) {
    actor_view each = desk;
    each.who.slot = i;
    seen.complete(each, 500, visit);
    EXPECT_EQ(each.oldest_ns.has_value(), i < seen_waiting::most) << i;
  }
}

}  // namespace
}  // namespace tactor::internal
