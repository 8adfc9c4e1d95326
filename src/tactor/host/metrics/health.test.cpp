// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/metrics/health.hpp"

#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/log_histogram.hpp"
#include "tactor/host/metrics/metrics_report.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tactor {
namespace {

struct pair_of_reports {
  metrics_report before;
  metrics_report after;

  [[nodiscard]] std::vector<health_warning> warnings() const {
    return find_warnings(before, after);
  }
};

void expect_only(const pair_of_reports& in, health_problem what, const std::string& evidence) {
  const std::vector<health_warning> found = in.warnings();
  ASSERT_EQ(found.size(), 1u) << to_text(what);
  EXPECT_EQ(found[0].what, what);
  EXPECT_EQ(found[0].evidence, evidence);
  EXPECT_FALSE(found[0].advice.empty());
}

TEST(health, a_system_that_does_nothing_is_healthy) {
  EXPECT_TRUE(pair_of_reports{}.warnings().empty());
}

TEST(health, names_a_backlog_that_grows_and_not_a_constant_backlog) {
  pair_of_reports it;
  it.before.sums.messages_sent = 50'000;
  it.after.sums.messages_sent = 60'000;
  EXPECT_TRUE(it.warnings().empty()) << "10 000 more is the limit";
  it.before.time_ns = 1'000'000'000;
  it.after.time_ns = 13'300'000'000;
  it.after.sums.messages_sent = 60'001;
  expect_only(it, health_problem::growing_backlog,
              "50000 messages waited, now 60001: more in 12.3 s");
  it.after.sums.messages_handled = 5'000;
  EXPECT_TRUE(it.warnings().empty());
  it.after.sums.messages_handled = 0;
  it.after.sums.messages_lost = 5'000;
  EXPECT_TRUE(it.warnings().empty()) << "what was dropped does not wait";
}

// spec: O7a
TEST(health, names_a_backlog_that_grows_beside_messages_that_are_refused) {
  pair_of_reports it;
  it.after.sums.messages_sent = 480'000;
  it.after.sums.dead_letters[std::to_underlying(drop_reason::stopped)] = 1'000'000;
  const auto found = it.warnings();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].what, health_problem::growing_backlog);
  EXPECT_EQ(found[1].what, health_problem::hot_dead_letter);
}

TEST(health, names_messages_that_waited_for_long_in_this_time_only) {
  pair_of_reports it;
  const std::size_t long_time = histogram_buckets::of(2'000'000'000);
  it.after.latency.in_bucket[long_time] = 1;
  EXPECT_EQ(it.warnings().size(), 1u);
  EXPECT_EQ(it.warnings()[0].what, health_problem::old_messages);
  it.before.latency.in_bucket[long_time] = 1;
  EXPECT_TRUE(it.warnings().empty());
}

TEST(health, names_slow_handlers) {
  pair_of_reports it;
  it.after.invoke_duration.in_bucket[histogram_buckets::of(200'000'000)] = 1;
  EXPECT_EQ(it.warnings().size(), 1u);
  EXPECT_EQ(it.warnings()[0].what, health_problem::slow_handlers);
}

TEST(health, names_many_restarts) {
  pair_of_reports it;
  it.before.sums.restarts = 100;
  it.after.sums.restarts = 120;
  EXPECT_TRUE(it.warnings().empty());
  it.after.sums.restarts = 121;
  it.before.time_ns = 1'000'000'000;
  it.after.time_ns = 1'500'000'000;
  expect_only(it, health_problem::restart_storm, "21 restarts in 0.5 s");
}

TEST(health, names_the_reason_of_many_dead_letters_unless_it_is_routine) {
  pair_of_reports it;
  it.after.sums.dead_letters[std::to_underlying(drop_reason::dropped_newest)] = 1'000;
  EXPECT_TRUE(it.warnings().empty());
  it.after.sums.dead_letters[std::to_underlying(drop_reason::unhandled)] = 101;
  expect_only(it, health_problem::hot_dead_letter,
              "101 messages were not handled since the start: unhandled");
  EXPECT_EQ(it.warnings()[0].reason, drop_reason::unhandled);
}

TEST(health, names_late_timers_and_full_mailboxes) {
  pair_of_reports it;
  it.after.sums.timers.drift_last_ns = 150'000'000;
  expect_only(it, health_problem::late_timers, "the last timer fired 150 ms late");
  it.after.sums.timers.drift_last_ns = 0;
  it.after.actors.push_back({.label = "/user/desk", .waiting = 10'001});
  expect_only(it, health_problem::full_mailbox, "10001 messages wait for /user/desk");
}

TEST(health, names_the_actor_whose_message_waits_for_longest) {
  pair_of_reports it;
  it.after.backlogs = {{.path = "/user/a", .oldest_ns = 9'000'000'000},
                       {.path = "/user/b", .oldest_ns = 12'500'000'000},
                       {.path = "/user/c", .oldest_ns = 10'000'000'000}};
  expect_only(it, health_problem::old_messages, "a message to /user/b waits for at least 12500 ms");
  it.after.backlogs[2].oldest_ns = 10'000'000'001;
  expect_only(it, health_problem::old_messages,
              "a message to /user/b waits for at least 12500 ms; 1 other actors have one");
  it.after.backlogs.erase(it.after.backlogs.begin() + 1, it.after.backlogs.end());
  EXPECT_TRUE(it.warnings().empty());
}

TEST(health, has_limits_of_ones_own) {
  pair_of_reports it;
  it.after.sums.restarts = 2;
  EXPECT_EQ(find_warnings(it.before, it.after, {.restarts = 1}).size(), 1u);
}

TEST(health, names_a_handler_that_is_still_at_the_same_message) {
  pair_of_reports it;
  const running_handler stuck{.actor = "/user/desk", .message = "order", .turn = 7, .worker = 1};
  it.before.handling = {stuck};
  it.after.handling = {stuck};
  it.after.time_ns = 1'000'000'000;
  EXPECT_TRUE(it.warnings().empty()) << "not for long enough";
  it.after.time_ns = 2'500'000'000;
  expect_only(it, health_problem::stuck_handler,
              "/user/desk has handled order for at least 2500 ms");

  it.after.handling[0].turn = 8;
  EXPECT_TRUE(it.warnings().empty()) << "another turn";
  it.after.handling = {stuck};
  it.after.handling[0].message = "note";
  EXPECT_TRUE(it.warnings().empty()) << "another message";
  it.after.handling = {stuck};
  it.after.handling[0].worker = 0;
  EXPECT_TRUE(it.warnings().empty()) << "another worker";
  it.after.handling = {stuck};
  it.after.handling[0].on_pool = false;
  EXPECT_TRUE(it.warnings().empty()) << "its thread may be blocked";
}

TEST(health, names_an_actor_that_is_suspended_for_long_and_why) {
  pair_of_reports it;
  it.after.time_ns = 61'000'000'000;
  it.after.suspended_actors = {
      {.path = "/user/a", .reasons = "rate_limit", .since_ns = 2'000'000'000},
      {.path = "/user/b", .reasons = "failure", .since_ns = 500'000'000}};
  expect_only(it, health_problem::suspended_long, "/user/b is suspended for 60500 ms: failure");
}

TEST(health, names_a_cycle_of_senders_at_the_first_message_that_is_refused) {
  pair_of_reports it;
  it.after.sums.messages_sent = 1;
  it.after.sums.dead_letters[static_cast<std::size_t>(drop_reason::would_deadlock)] = 1;
  expect_only(it, health_problem::backpressure_cycle,
              "1 messages were refused: their senders would have waited for mailboxes whose "
              "actors wait for the senders");
  it.before = it.after;
  EXPECT_TRUE(it.warnings().empty());
}

}  // namespace
}  // namespace tactor
