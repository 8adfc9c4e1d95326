// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/observe/log_record.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/workers/blocked_worker_watch.hpp"
#include "tactor/testkit/system_drive.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <latch>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;

struct block_on {
  std::latch* begun;
  std::latch* go_on;
};
struct short_work {};

class blocking_clerk : public actor<block_on, short_work> {
public:
  void receive(context&, const block_on& b) {
    b.begun->count_down();
    b.go_on->wait();
  }
  void receive(context&, const short_work&) {}
};

// What the log says of blocked handlers: path and message type.
class blocked_lines {
public:
  [[nodiscard]] log_sink sink() { return {take, this}; }
  void wait_for(std::size_t number) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return lines_.size() >= number; });
  }
  [[nodiscard]] std::vector<std::string> lines() {
    const std::scoped_lock lock{mutex_};
    return lines_;
  }
  /// The thread that logged the last line.
  [[nodiscard]] std::string thread() {
    const std::scoped_lock lock{mutex_};
    return thread_;
  }

private:
  static void take(void* self, const log_record& record) noexcept {
    if (!record.text.starts_with("a handler blocks a worker")) return;
    auto& me = *static_cast<blocked_lines*>(self);
    const std::scoped_lock lock{me.mutex_};
    std::string line{record.actor};
    for (const log_field& each : record.fields)
      if (each.name() == "message") line.append(" ").append(each.text());
    me.lines_.push_back(line);
    char name[16] = {};
    (void)::pthread_getname_np(::pthread_self(), name, sizeof name);
    me.thread_ = name;
    me.changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  std::string thread_;
};

system_config watched(blocked_lines& by) {
  return {.workers = 2, .dispatch = {.blocked_after = 20ms}, .log = {.sink = by.sink()}};
}

// spec: O6
TEST(blocked_handler, is_named_in_the_log_before_it_returns_and_once) {
  blocked_lines log;
  std::latch begun{2}, go_on{1};
  {
    actor_system system{watched(log)};
    system.spawn<blocking_clerk>("first").tell(block_on{&begun, &go_on});
    log.wait_for(1);
    // The second is reported a while after the first was sampled again.
    system.spawn<blocking_clerk>("second").tell(block_on{&begun, &go_on});
    log.wait_for(2);
    EXPECT_EQ(log.thread(), "tactor-report") << "the one that reports warnings of timers, too";
    EXPECT_FALSE(go_on.try_wait());
    go_on.count_down();
  }
  const auto lines = log.lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].starts_with("/user/first ")) << lines[0];
  EXPECT_TRUE(lines[0].ends_with("block_on")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("/user/second ")) << lines[1];
}

// Its sample is not there from the start.
// spec: O6
TEST(blocked_handler, is_named_on_a_worker_that_came_later) {
  blocked_lines log;
  std::latch begun{3}, go_on{1};
  actor_system system{watched(log)};
  system.spawn<blocking_clerk>("").tell(block_on{&begun, &go_on});
  system.spawn<blocking_clerk>("").tell(block_on{&begun, &go_on});
  log.wait_for(2);
  ASSERT_TRUE(system.resize(3));
  system.spawn<blocking_clerk>("third").tell(block_on{&begun, &go_on});
  log.wait_for(3);
  EXPECT_TRUE(log.lines()[2].starts_with("/user/third ")) << log.lines()[2];
  go_on.count_down();
}

// spec: O6
TEST(blocked_handler, is_named_again_after_the_workers_have_slept) {
  blocked_lines log;
  actor_system system{watched(log)};
  const auto who = system.spawn<blocking_clerk>("who");
  for (std::size_t i = 1; i <= 3; ++i) {
    std::latch begun{1}, go_on{1};
    who.tell(block_on{&begun, &go_on});
    log.wait_for(i);
    go_on.count_down();
    testkit::system_steps::settle(system);
  }
  EXPECT_EQ(log.lines().size(), 3u);
}

// spec: O6
TEST(blocked_handler, may_take_long_on_the_blocking_dispatcher) {
  blocked_lines log;
  std::latch begun{2}, go_on{1};
  {
    actor_system system{watched(log)};
    system.spawn<blocking_clerk>({.name = "patient", .dispatcher = dispatcher::blocking})
        .tell(block_on{&begun, &go_on});
    system.spawn<blocking_clerk>("hasty").tell(block_on{&begun, &go_on});
    begun.wait();
    log.wait_for(1);
    go_on.count_down();
  }
  const auto lines = log.lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("/user/hasty ")) << lines[0];
}

}  // namespace
}  // namespace tactor
