// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/timers/timer_driver.hpp"

#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/report/diagnostics.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/core/scheduler/scheduler_storage.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/testkit/queue_dispatcher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

// A clock that stands where it is put, though it says that it moves by itself.
class standing_clock final : public monotonic_clock {
public:
  explicit standing_clock(timer_instant start) : unit_ns_(start.resolution_ns) {
    now_ns.add(start.ticks);
  }
  [[nodiscard]] timer_instant now() const noexcept override {
    if (timer_store* const driven = wakes.exchange(nullptr)) driven->wake_driver();
    return {.ticks = now_ns.value(), .resolution_ns = unit_ns_};
  }
  [[nodiscard]] clock_kind kind() const noexcept override { return clock_kind::realtime; }

  [[nodiscard]] std::chrono::milliseconds unit() const {
    return std::chrono::milliseconds{unit_ns_ / 1'000'000};
  }

  port::counter now_ns;
  mutable std::atomic<timer_store*> wakes{nullptr};  // when it is read next, that is, in a poll

private:
  std::uint32_t unit_ns_;
};

using wake_time = std::optional<std::uint64_t>;  // nothing: never

// Sleeps without a timeout, and tells the test until when it should have been.
class watched_sleep {
public:
  static wait_result sleep(const port::atomic<std::uint32_t>& wake_word, std::uint32_t seen,
                           wake_time until_ns) noexcept {
    {
      const std::scoped_lock lock{mutex};
      untils.push_back(until_ns);
      lasted.push_back(wake_word.load(relaxed) == seen);
      changed.notify_all();
      if (fails) return wait_result::failed;
    }
    return wait_on_word(wake_word, seen, std::nullopt);
  }
  // Waits for a sleep as the test expects it; there may be others, a wake-up may come twice.
  // Returns: until when it should have been, 0 for ever.
  template <class Predicate>
  static std::uint64_t wait_for(Predicate expected) {
    std::unique_lock lock{mutex};
    for (std::size_t next = 0;; ++next) {
      changed.wait(lock, [&] { return untils.size() > next; });
      if (expected(untils[next])) return untils[next].value_or(0);
    }
  }
  // Whether sleep number `index` was one, and did not return at once.
  static bool wait_for_sleep(std::size_t index) {
    std::unique_lock lock{mutex};
    changed.wait(lock, [&] { return lasted.size() > index; });
    return lasted[index];
  }
  static void start_over() {
    const std::scoped_lock lock{mutex};
    untils.clear();
    lasted.clear();
    fails = false;
  }

  static inline std::mutex mutex;
  static inline std::condition_variable changed;
  static inline bool fails = false;
  static inline std::vector<wake_time> untils;
  static inline std::vector<bool> lasted;
};

bool for_ever(wake_time until) {
  return !until.has_value();
}
bool for_a_while(wake_time until) {
  return until.has_value();
}

struct world {
  world(const world&) = delete;
  world& operator=(const world&) = delete;
  explicit world(timer_instant start = {.ticks = 0, .resolution_ns = 1})
      : clock(start), store({.records = records, .plans = plans}, nullptr, wake_waiter) {
    watched_sleep::start_over();
  }
  void start() {
    driver.attach(timers);
    driver.start(this);
  }
  ~world() { driver.stop(); }

  standing_clock clock;
  testkit::queue_dispatcher dispatcher;
  std::array<timer_record, 16> records{};
  std::array<timer_plan, 16> plans{};
  timer_store store;
  static_timing_storage<8, 16> wheel;
  std::array<close_task, 1> close_tasks{};
  timer_driver driver{watched_sleep::sleep};
  scheduler timers{{.timing = {.resolution = std::max(10ms, clock.unit())}},
                   {.wheel = wheel.view(),
                    .store = store,
                    .close_tasks = close_tasks,
                    .clock = clock,
                    .dispatcher = dispatcher,
                    .driver = &driver}};
};

// spec: T8
TEST(timer_driver, sleeps_for_ever_when_there_is_no_timer) {
  world w;
  w.start();

  EXPECT_EQ(watched_sleep::wait_for(for_ever), 0u);
}

// spec: T8
TEST(timer_driver, sleeps_until_the_next_deadline_and_is_woken_by_an_earlier_one_only) {
  world w;
  w.start();
  (void)watched_sleep::wait_for(for_ever);

  ASSERT_TRUE(w.timers.schedule_once(1h, [] {}).has_value());
  const std::uint64_t hour = watched_sleep::wait_for(for_a_while);

  const std::uint32_t wake_word = w.store.wake_word.load(relaxed);
  ASSERT_TRUE(w.timers.schedule_once(2h, [] {}).has_value());
  EXPECT_EQ(w.store.wake_word.load(relaxed), wake_word) << "a later deadline wakes no thread";

  ASSERT_TRUE(w.timers.schedule_once(1min, [] {}).has_value());
  const std::uint64_t minute =
      watched_sleep::wait_for([&](wake_time until) { return until && *until < hour; });
  constexpr std::uint64_t fifty_nine_minutes_ns = 3'540'000'000'000;
  EXPECT_EQ(hour - minute, fifty_nine_minutes_ns);
}

// spec: T5 T8
TEST(timer_driver, sleeps_until_the_next_deadline_also_if_the_clock_counts_further_than_2_64_ns) {
  world w{{.ticks = std::uint64_t{1} << 40, .resolution_ns = 1'000'000'000}};
  w.start();
  ASSERT_TRUE(w.timers.schedule_once(1h, [] {}).has_value());
  const std::uint64_t until = watched_sleep::wait_for(for_a_while);
  constexpr std::uint64_t hour_ns = 3'600'000'000'000;
  EXPECT_LE(until, steady_clock{}.now().ticks + hour_ns + 1'000'000'000);
}

// spec: S5
TEST(timer_driver, removes_cancelled_timers_within_a_tick_and_then_sleeps_on) {
  world w;
  w.start();
  // A call that comes during a poll would wait for the next tick, and so would the driver: each
  // comes while it sleeps.
  (void)watched_sleep::wait_for(for_ever);
  auto timer = *w.timers.schedule_once(1h, [] {});
  const std::uint64_t hour = watched_sleep::wait_for(for_a_while);
  const auto rest = *w.timers.schedule_once(2h, [] {});

  timer.cancel();
  const std::uint64_t soon =
      watched_sleep::wait_for([&](wake_time until) { return until && *until < hour; });
  EXPECT_LE(soon, steady_clock{}.now().ticks + 10'000'000);

  w.store.wake_driver();  // that tick is over
  const std::uint64_t later =
      watched_sleep::wait_for([&](wake_time until) { return until && *until > hour; });
  EXPECT_EQ(later - hour, 3600'000'000'000u);
}

// spec: T8
TEST(timer_driver, a_wake_during_the_poll_prevents_the_sleep) {
  world w;
  w.start();
  ASSERT_TRUE(watched_sleep::wait_for_sleep(0));

  w.clock.wakes = &w.store;
  w.store.wake_driver();

  EXPECT_FALSE(watched_sleep::wait_for_sleep(1));
}

// spec: T9
TEST(timer_driver, a_thread_that_ends_is_reported_at_once) {
  world w;
  std::array<scheduler_event, 4> storage{};
  diagnostics_subscription listener{w.timers.events(), storage};
  watched_sleep::fails = true;
  w.start();

  std::optional<scheduler_event> event;
  while (!(event = listener.try_next()))
    std::this_thread::yield();
  EXPECT_EQ(event->kind, scheduler_event_kind::driver_ended);
}

TEST(timer_driver, a_poll_inside_a_poll_does_nothing) {
  world w;
  w.start();

  EXPECT_EQ(w.driver.exclusively([&] {
    w.driver.poll_now();
    return 42;
  }),
            42);
}

// Schedules and cancels the next timer as soon as the driver has removed the previous timer, as
// another thread may do it at that moment.
class restless_sink final : public held_sink {
public:
  explicit restless_sink(scheduler& timers) : timers_(timers) {}

  void schedule_and_cancel() noexcept {
    auto timer = timers_.schedule_once(1s, *this, 42);
    if (timer) timer->cancel();
  }
  [[nodiscard]] post_result post(timer_job&) noexcept override { return post_result::closed; }
  void let_go() noexcept override {
    if (left.load(relaxed) == 0) return;  // relaxed: only counted
    left.fetch_sub(1, relaxed);           // relaxed: only counted
    schedule_and_cancel();
  }

  // So many that the test is over before, also if its thread has no processor for a while.
  port::atomic<std::uint32_t> left{30'000'000};

private:
  scheduler& timers_;
};

// spec: S12
TEST(timer_driver, no_call_waits_for_threads_that_schedule_and_cancel_without_end) {
  world w;
  restless_sink sink{w.timers};
  w.start();
  sink.schedule_and_cancel();

  for (int call = 0; call < 10; ++call) {
    w.driver.poll_now();
    w.driver.exclusively([] {});
  }
  w.driver.close();

  EXPECT_GT(sink.left.exchange(0, relaxed), 0u);  // relaxed: only counted
}

// A poll by another thread may find an earlier deadline before the driver does.
TEST(timer_driver, a_poll_by_another_thread_wakes_a_driver_that_would_oversleep) {
  world w;
  w.start();
  (void)watched_sleep::wait_for(for_ever);
  // The poll comes between the command and the check whether to wake the driver: then the thread
  // that schedules finds that the driver knows already.
  w.store.wake_at.store(0, relaxed);
  const std::uint32_t wake_word = w.store.wake_word.load(relaxed);
  ASSERT_TRUE(w.timers.schedule_once(1h, [] {}).has_value());
  ASSERT_EQ(w.store.wake_word.load(relaxed), wake_word);

  w.driver.poll_now();

  EXPECT_GT(watched_sleep::wait_for(for_a_while), 0u);
}

}  // namespace
}  // namespace tactor::inline v0::host
