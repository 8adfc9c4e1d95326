// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/text_writer.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/metrics/health.hpp"
#include "tactor/observe.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/system_drive.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace tactor {
namespace {

using namespace std::chrono_literals;

struct paper {};

class shelf : public actor<paper> {
public:
  void receive(context&, const paper&) {}
};

struct all_text final : text_sink {
  void write(std::string_view piece) noexcept override { text += piece; }
  std::string text;
};

struct oldest_message : testing::Test {
  // Of the messages of a thread outside, one in so many has a time.
  static constexpr int one_with_a_time = 256;
  static constexpr std::uint64_t seconds = 1'000'000'000;
  static constexpr std::uint64_t precision = 2'100'000;

  void SetUp() override { clock.advance(10s); }
  void TearDown() override { system.force_stop(); }  // it is suspended
  void send(int messages) const {
    for (int i = 0; i < messages; ++i)
      who.tell(paper{});
  }
  void suspend() const {
    ASSERT_TRUE(system.suspend(who));
    testkit::system_steps::settle(system);
  }
  void resume() const {
    ASSERT_TRUE(system.resume(who));
    testkit::system_steps::settle(system);
  }
  [[nodiscard]] std::string shown(actor_order order = actor_order::path) const {
    all_text to;
    system.write_snapshot({.part = snapshot_part::actors, .order = order}, to);
    return to.text;
  }
  /// The age of the oldest message of the shelf as an observer knows it.
  [[nodiscard]] std::optional<std::uint64_t> seen() const {
    constexpr std::string_view name = R"("oldest_ns":)";
    const std::string text = shown();
    const std::size_t actor = text.find("/user/shelf");
    const std::size_t at = text.find(name, actor);
    if (text.substr(at + name.size()).starts_with("null")) return std::nullopt;
    return std::strtoull(text.c_str() + at + name.size(), nullptr, 10);
  }
  void expect_age(std::uint64_t ns) const {
    const auto age = seen();
    ASSERT_TRUE(age);
    EXPECT_LE(*age, ns);
    EXPECT_GE(*age + precision, ns);
  }

  testkit::manual_clock clock;
  actor_system system{{.workers = 1,
                       .clock = {.source = &clock, .use = clock_use::test},
                       .metrics = {.level = metrics_level::actor}}};
  actor_ref<paper> who;
};

// spec: O1 O5
TEST_F(oldest_message, has_an_age_before_anybody_has_looked) {
  who = system.spawn<shelf>("shelf");
  EXPECT_EQ(seen(), std::nullopt) << "none waits";
  suspend();
  send(one_with_a_time);
  clock.advance(3s);
  expect_age(3 * seconds);
  send(one_with_a_time);
  clock.advance(2s);
  expect_age(5 * seconds);
  resume();
  EXPECT_EQ(seen(), std::nullopt);
  suspend();
  send(1);
  expect_age(0);
}

TEST_F(oldest_message, of_a_suspended_actor_is_seen_to_wait_also_if_it_has_no_time) {
  who = system.spawn<shelf>("shelf");
  suspend();
  send(1);
  expect_age(0);
  clock.advance(4s);
  expect_age(4 * seconds);
  resume();
  suspend();
  send(1);
  expect_age(0);
}

TEST_F(oldest_message, is_not_one_that_was_refused) {
  who = system.spawn<shelf>(
      {.name = "shelf", .mailbox = {.capacity = 1, .overflow = overflow_strategy::reject}});
  suspend();
  send(1 + one_with_a_time);
  resume();
  clock.advance(3s);
  suspend();
  send(1);
  expect_age(0);
}

TEST_F(oldest_message, is_not_one_that_was_dropped_for_another) {
  who = system.spawn<shelf>(
      {.name = "shelf",
       .mailbox = {.capacity = one_with_a_time, .overflow = overflow_strategy::drop_oldest}});
  suspend();
  send(one_with_a_time);
  clock.advance(3s);
  expect_age(3 * seconds);
  send(one_with_a_time);
  EXPECT_LE(seen().value_or(0), precision);
}

TEST_F(oldest_message, is_what_the_list_can_be_sorted_by_and_a_warning_names) {
  (void)system.spawn<shelf>("aaa");
  who = system.spawn<shelf>("shelf");
  suspend();
  send(one_with_a_time);
  clock.advance(9s);
  EXPECT_TRUE(find_warnings({}, system.full_metrics()).empty());
  clock.advance(2s);
  const auto found = find_warnings({}, system.full_metrics());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what, health_problem::old_messages);
  EXPECT_TRUE(found[0].evidence.starts_with("a message to /user/shelf waits for at least 1"))
      << found[0].evidence;
  EXPECT_LT(shown().find("/user/aaa"), shown().find("/user/shelf"));
  const std::string sorted = shown(actor_order::oldest);
  EXPECT_LT(sorted.find("/user/shelf"), sorted.find("/user/aaa")) << sorted;
}

}  // namespace
}  // namespace tactor
