// SPDX-License-Identifier: BSL-1.0

// A feature that a size leaves out is an error where a program uses it.
#include "tactor/bare.hpp"

#include "embedded/board.hpp"
#include <gtest/gtest.h>

#include <chrono>
#include <expected>

namespace tactor {
namespace {

using namespace std::chrono_literals;

struct go {};
struct told {};

int calls = 0;

class curious : public actor<go, told> {
public:
  void receive(context& ctx, const go& message) {
    ++calls;
    const auto watched = ctx.watch(ctx.sender(), told{});
    ASSERT_FALSE(watched.has_value());
    EXPECT_EQ(watched.error(), watch_error::no_memory);
    EXPECT_FALSE(ctx.unwatch(ctx.sender()));
    const auto stashed = ctx.stash(message);
    ASSERT_FALSE(stashed.has_value());
    EXPECT_EQ(stashed.error(), stash_error::no_memory);
    const auto scheduled = ctx.schedule_once(10ms, ctx.self(), told{});
    ASSERT_FALSE(scheduled.has_value());
    EXPECT_EQ(scheduled.error(), scheduler_error::capacity_exceeded);
    const auto keyed = ctx.start_timer("key", after(10ms), told{});
    ASSERT_FALSE(keyed.has_value());
    EXPECT_EQ(keyed.error(), scheduler_error::capacity_exceeded);
    const auto suspended = ctx.suspend();
    ASSERT_FALSE(suspended.has_value());
    EXPECT_EQ(suspended.error(), suspend_error::no_memory);
    EXPECT_TRUE(ctx.path().view().empty());
    EXPECT_FALSE(ctx.find<go>("/user/curious"));
  }
  void receive(context&, told) { ++calls; }
};

class waiting : public actor<go> {
public:
  std::expected<void, failure> pre_start(context& ctx) {
    const auto set = ctx.set_receive_timeout<waiting_handler>(10ms);
    EXPECT_FALSE(set.has_value());
    return {};
  }
  void receive(context&, go) { ++calls; }

private:
  class waiting_handler : public actor<go> {
  public:
    void receive(context&, go) {}
    void receive(context&, const receive_timeout&) {}
  };
};

// There is memory for what features would need.
constinit bare::system<{.actors = 3, .envelopes = 4, .timers = 0, .further = {8, 8, 4, 4, 2}}> sys;
constinit bare::systick_clock board_clock{1'000'000};

void handle_all() {
  while (sys.poll()) {
  }
}

TEST(features, calls_of_those_that_the_size_leaves_out_return_their_errors) {
  sys.start(board_clock);
  const auto made = sys.try_spawn<curious>("");
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->tell(go{}), tell_result::ok);
  handle_all();
  EXPECT_EQ(calls, 1);

  const auto other = sys.try_spawn<waiting>("");
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->tell(go{}), tell_result::ok);
  handle_all();
  EXPECT_EQ(calls, 2);

  const auto suspended = sys.suspend(*made);
  ASSERT_FALSE(suspended.has_value());
  EXPECT_EQ(suspended.error(), suspend_error::no_memory);
  const auto scheduled = sys.schedule_once(10ms, *made, told{});
  ASSERT_FALSE(scheduled.has_value());
  EXPECT_EQ(scheduled.error(), scheduler_error::capacity_exceeded);
  for (const spawn_options& options :
       {spawn_options{.name = "named"}, spawn_options{.mailbox = {.capacity = 2}},
        spawn_options{.on_failure = restart{.max_restarts = 1}}}) {
    const auto refused = sys.try_spawn<curious>(options);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error(), spawn_error::no_memory);
  }
  EXPECT_EQ(sys.metrics().timers.scheduled_total, 0U);

  // The system goes on, and ends.
  EXPECT_EQ(made->tell(go{}), tell_result::ok);
  handle_all();
  EXPECT_EQ(calls, 3);
  sys.stop(*made);
  sys.begin_stop();
  handle_all();
  EXPECT_TRUE(sys.stopped());
}

}  // namespace
}  // namespace tactor
