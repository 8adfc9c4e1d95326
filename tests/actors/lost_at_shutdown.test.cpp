// SPDX-License-Identifier: BSL-1.0
// What the report of a shutdown, and the log, say of messages that were not handled.
#include "tactor/base/duration.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/system/shutdown_report.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/cooperative_system.hpp"
#include "tactor/host/string_sink.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <expected>
#include <latch>
#include <memory>
#include <string>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct note {};
struct heartbeat {
  using suppress_dead_letter = void;
};

class lost_at_shutdown : public ::testing::Test {
protected:
  [[nodiscard]] system_config logged() { return {.log = {.sink = {write, this}}}; }
  /// Returns: what was logged of the messages; empty if nothing was.
  [[nodiscard]] std::string said() const {
    const std::size_t at = text_.find("messages were not handled");
    return at == std::string::npos ? "" : text_.substr(at, text_.find('\n', at) - at);
  }

private:
  static void write(void* self, const log_record& record) noexcept {
    string_sink line{static_cast<lost_at_shutdown*>(self)->text_};
    write_line(line, record);
  }
  std::string text_;
};

// spec: A10d
TEST_F(lost_at_shutdown, messages_for_a_stage_that_had_ended_are_counted_although_all_ended) {
  simulation world{seed{1}, logged()};
  const auto second = world.spawn("second", [](context&, note) {});
  const auto first = world.spawn("first", [second](context&, note) { second.tell(note{}); });
  EXPECT_TRUE(world.suspend(first, suspend_reason::rate_limit, resume_after(1s)));
  for (int i = 0; i < 3; ++i)
    first.tell(note{});

  const shutdown_report report = world.shutdown(5s);
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.messages.lost_for(drop_reason::system_stopping), 3u);
  EXPECT_EQ(report.messages.all_lost(), 3u);
  EXPECT_EQ(report.messages.waiting, 0u);
  EXPECT_EQ(said(), "messages were not handled before the system ended lost=3 system_stopping=3");
}

// spec: A10d
TEST_F(lost_at_shutdown, nothing_is_no_warning) {
  simulation world{seed{1}, logged()};
  const auto all = world.spawn("all", [](context&, note) {});
  const auto beats = world.spawn("beats", [](context&, heartbeat) {});
  world.stop(all);
  world.run_to_idle();
  all.tell(note{});  // before the shutdown
  EXPECT_TRUE(world.suspend(beats));
  beats.tell(heartbeat{});

  const shutdown_report report = world.shutdown(5s);
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(world.metrics().all_dead_letters(), 2u);
  EXPECT_EQ(report.messages.all_lost(), 0u);
  EXPECT_EQ(said(), "");
}

// spec: A10d
TEST_F(lost_at_shutdown, messages_count_also_if_the_metrics_are_off) {
  system_config config = logged();
  config.metrics.level = metrics_level::off;
  simulation world{seed{1}, config};
  const auto asleep = world.spawn("asleep", [](context&, note) {});
  EXPECT_TRUE(world.suspend(asleep));
  asleep.tell(note{});

  const shutdown_report report = world.shutdown(5s);
  EXPECT_EQ(report.messages.all_lost(), 1u);
  EXPECT_FALSE(report.messages.waiting.has_value()) << "they were not counted";
}

// spec: A10d
TEST_F(lost_at_shutdown, messages_count_from_the_failure_on_that_stopped_the_system) {
  simulation world{seed{1}, logged()};
  const auto fails = world.spawn({.name = "fails", .on_failure = directive::escalate},
                                 [](context&, note) -> std::expected<void, failure> {
                                   return std::unexpected{failure{"broken"}};
                                 });
  for (int i = 0; i < 3; ++i)
    fails.tell(note{});
  world.run_to_idle();

  const shutdown_report report = world.shutdown(5s);
  EXPECT_TRUE(report.cause.has_value());
  EXPECT_EQ(report.messages.lost_for(drop_reason::system_stopping), 2u);
}

// spec: A10d
TEST_F(lost_at_shutdown, messages_of_a_cooperative_system_are_counted) {
  cooperative_system system{logged()};
  const auto asleep = system.spawn("asleep", [](context&, note) {});
  EXPECT_TRUE(system.suspend(asleep));
  asleep.tell(note{});

  const shutdown_report report = system.shutdown(0ms);
  EXPECT_EQ(report.left, 0u);
  EXPECT_EQ(report.messages.all_lost(), 1u);
  EXPECT_EQ(report.messages.waiting, 0u);
  EXPECT_EQ(said(), "messages were not handled before the system ended lost=1 system_stopping=1");
}

// spec: A10d
TEST_F(lost_at_shutdown, messages_wait_for_an_actor_that_is_left_until_it_ends) {
  std::latch begun{1};
  const auto go_on = std::make_shared<std::latch>(1);  // the actor may end after this test
  system_config config = logged();
  config.workers = 1;
  actor_system system{config};
  const auto stuck = system.spawn({.name = "stuck", .dispatcher = dispatcher::pinned},
                                  [&begun, go_on](context&, note) {
                                    if (!go_on->try_wait()) begun.count_down();
                                    go_on->wait();
                                  });
  const auto asleep = system.spawn("asleep", [](context&, note) {});
  EXPECT_TRUE(system.suspend(asleep));
  for (int i = 0; i < 4; ++i)
    stuck.tell(note{});
  for (int i = 0; i < 2; ++i)
    asleep.tell(note{});
  begun.wait();

  const shutdown_report report = system.shutdown(0ms);
  EXPECT_EQ(report.left, 1u);
  EXPECT_EQ(report.messages.lost_for(drop_reason::system_stopping), 2u);
  EXPECT_EQ(report.messages.waiting, 4u) << "one is being handled";
  EXPECT_EQ(said(), "messages were not handled before the system ended lost=2 waiting=4 "
                    "system_stopping=2");
  go_on->count_down();
}

}  // namespace
}  // namespace tactor
