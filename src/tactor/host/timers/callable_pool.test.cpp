// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/callable_pool.hpp"

#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_storage.hpp"
#include "tactor/host/os/thread_setup.hpp"
#include "tactor/testkit/manual_clock.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <latch>
#include <mutex>
#include <thread>

namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// A scheduler that is looked at by hand and whose callables have threads.
struct world {
  explicit world(std::size_t threads) : pool(threads, this) {}
  world(const world&) = delete;
  world& operator=(const world&) = delete;
  ~world() {  // a thread uses the storage until its job is over
    (void)pool.stop(steady_clock::time_point::max());
    pool.wait_for_late_callables();
  }

  void pass(duration time) {
    clock.jump(time);
    (void)timers.poll();
  }

  testkit::manual_clock clock;
  callable_pool pool;
  static_scheduler_storage<8, 64> storage;
  scheduler timers{{}, storage.parts(clock, pool, nullptr)};
};

// spec: S8
// case: SO-02
TEST(callable_pool, a_callable_runs_on_a_thread_of_the_pool_and_not_on_the_polling_one) {
  struct {
    std::latch ran{1};
    std::thread::id where;
    std::array<char, 16> name{};
    bool marked = false;
  } seen;
  world w{1};
  const auto timer = w.timers.schedule_once(10ms, [&seen, &w] {
    seen.where = std::this_thread::get_id();
    (void)::pthread_getname_np(::pthread_self(), seen.name.data(), seen.name.size());
    seen.marked = thread_mark::stands_for(&w);
    seen.ran.count_down();
  });
  ASSERT_TRUE(timer.has_value());

  w.pass(10ms);
  seen.ran.wait();

  EXPECT_NE(seen.where, std::this_thread::get_id());
  EXPECT_STREQ(seen.name.data(), "tactor-call-0");
  EXPECT_TRUE(seen.marked);
}

TEST(callable_pool, callables_run_beside_each_other_when_there_are_threads) {
  constexpr std::ptrdiff_t threads = 3;
  std::latch all_there{threads};  // outlives the threads that leave it
  world w{threads};
  for (int each = 0; each < threads; ++each) {
    ASSERT_TRUE(w.timers.schedule_once(10ms, [&] { all_there.arrive_and_wait(); }).has_value());
  }

  w.pass(10ms);

  all_there.wait();
}

// Counts arrivals; a test waits for them, but not for ever.
class arrivals {
public:
  void arrive() {
    const std::scoped_lock lock{mutex_};
    ++count_;
    changed_.notify_all();
  }
  [[nodiscard]] bool reach(int count) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, 10s, [&] { return count_ >= count; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

void wait_until_all_sleep(const callable_pool& pool, std::size_t threads) {
  while (pool.sleeping() < threads)
    std::this_thread::yield();
}

TEST(callable_pool, a_sleeping_thread_is_woken_for_a_single_job) {
  arrivals hooks;
  world w{1};
  wait_until_all_sleep(w.pool, 1);

  auto timer = w.timers.schedule_once(10ms, [] {}, {.on_cancelled = [&] { hooks.arrive(); }});
  ASSERT_TRUE(timer.has_value() && timer->cancel());

  EXPECT_TRUE(hooks.reach(1));
}

TEST(callable_pool, jobs_of_one_tick_wake_as_many_sleeping_threads) {
  constexpr int threads = 3;
  arrivals runs;
  std::latch gate{1};
  world w{threads};
  wait_until_all_sleep(w.pool, threads);
  for (int each = 0; each < threads; ++each) {
    ASSERT_TRUE(w.timers.schedule_once(10ms, [&] {
      runs.arrive();
      gate.wait();  // so that the others run on other threads
    }));
  }

  w.pass(10ms);

  EXPECT_TRUE(runs.reach(threads));
  gate.count_down();
}

TEST(callable_pool, stopping_runs_what_is_queued) {
  std::latch gate{1};
  std::atomic<int> runs{0};
  world w{1};
  ASSERT_TRUE(w.timers.schedule_once(10ms, [&] { gate.wait(); }).has_value());
  for (int each = 0; each < 20; ++each) {
    ASSERT_TRUE(w.timers.schedule_once(10ms, [&] { ++runs; }).has_value());
  }
  w.pass(10ms);

  gate.count_down();
  EXPECT_EQ(w.pool.stop(steady_clock::time_point::max()), 0u);

  EXPECT_EQ(runs.load(), 20);
  EXPECT_EQ(w.timers.metrics().completed_total, 21u);
}

// spec: S4
TEST(callable_pool, after_its_end_a_job_is_undeliverable_and_not_lost) {
  world w{1};
  bool ran = false;
  auto timer = w.timers.schedule_once(10ms, [&] { ran = true; });
  ASSERT_TRUE(timer.has_value());
  (void)w.pool.stop(steady_clock::time_point::max());

  w.pass(10ms);

  EXPECT_FALSE(ran);
  EXPECT_TRUE(timer->is_completed());
  EXPECT_FALSE(timer->cancel());
  EXPECT_EQ(w.timers.metrics().undeliverable_total, 1u);
  EXPECT_EQ(w.timers.metrics().active_total, 0u);
}

// spec: S3
// case: SC-06
TEST(callable_pool, after_its_end_a_cancelled_job_still_runs_its_hook_once) {
  world w{1};
  int hooks = 0;
  auto timer = w.timers.schedule_once(10ms, [] {}, {.on_cancelled = [&] { ++hooks; }});
  ASSERT_TRUE(timer.has_value());
  (void)w.pool.stop(steady_clock::time_point::max());

  EXPECT_TRUE(timer->cancel());

  EXPECT_EQ(hooks, 1);
  EXPECT_EQ(w.timers.metrics().cancelled_total, 1u);
}

// spec: S12
TEST(callable_pool, a_late_callable_is_counted_and_nothing_begins_after_it) {
  std::latch begun{1};
  std::latch gate{1};
  bool ran = false;
  world w{1};
  const auto late = *w.timers.schedule_once(10ms, [&] {
    begun.count_down();
    gate.wait();
  });
  const auto queued = *w.timers.schedule_once(10ms, [&] { ran = true; });
  w.pass(10ms);
  begun.wait();

  EXPECT_EQ(w.pool.stop(steady_clock::now()), 1u);
  EXPECT_TRUE(queued.is_completed());
  EXPECT_EQ(w.timers.metrics().undeliverable_total, 1u);

  gate.count_down();
  w.pool.wait_for_late_callables();
  EXPECT_TRUE(late.is_completed());
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace tactor::inline v0::host
