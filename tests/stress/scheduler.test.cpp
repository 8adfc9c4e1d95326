// SPDX-License-Identifier: BSL-1.0
// The scheduler with threads: whatever races, each timer ends in exactly one way and is counted so.
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/scheduler/deadline_timer.hpp"
#include "tactor/core/scheduler/report/diagnostics.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/host/timers/realtime_scheduler.hpp"

#include "time_box.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <latch>
#include <memory>
#include <random>
#include <ranges>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace tactor::stress {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr std::size_t threads_in_all = 8;

template <class Work>
void in_threads(Work work) {
  std::vector<std::jthread> threads;
  threads.reserve(threads_in_all);
  for (std::size_t self = 0; self < threads_in_all; ++self)
    threads.emplace_back([&work, self] { work(self); });
}

host::realtime_scheduler started(std::size_t quota) {
  host::realtime_config config;
  config.timers.timing.resolution = 1ms;
  config.timers.timing.overflow_capacity = quota;
  config.timers.system_quota = quota;
  return *host::realtime_scheduler::start(config);
}

std::uint64_t ends(const scheduler_metrics& metrics) {
  return metrics.completed_total + metrics.cancelled_total + metrics.evicted_total +
         metrics.undeliverable_total;
}

// Waits until no timer is left; gives up after two minutes.
bool becomes_empty(const host::realtime_scheduler& subject) {
  for (const auto end = clock::now() + 120s; clock::now() < end;) {
    if (subject.metrics().active_total == 0) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

// Reads the metrics all the time.
class metrics_watch {
public:
  explicit metrics_watch(const host::realtime_scheduler& subject)
      : thread_([this, &subject] {
          do {
            const scheduler_metrics now = subject.metrics();
            if (ends(now) > now.scheduled_total) ++wrong_;
            if (ends(now) + now.active_total != now.scheduled_total) ++wrong_;
            ++looks_;
            std::this_thread::sleep_for(100us);
          } while (!over_.load(std::memory_order_relaxed));
        }) {}
  ~metrics_watch() {
    over_ = true;
    thread_.join();
    EXPECT_EQ(wrong_, 0u) << "of " << looks_;
  }
  metrics_watch(const metrics_watch&) = delete;
  metrics_watch& operator=(const metrics_watch&) = delete;

private:
  std::atomic<bool> over_{false};
  std::uint64_t wrong_ = 0;
  std::uint64_t looks_ = 0;
  std::thread thread_;
};

// Records what happened to one job.
struct fate {
  std::atomic<std::uint8_t> executed{0};
  std::atomic<std::uint8_t> cancelled{0};  // how many calls of cancel() said that they did it
  std::atomic<std::uint8_t> destroyed{0};  // its callable
};

// The callable of a job: counts its calls and its end.
class witness {
public:
  explicit witness(fate& of) : of_(&of) {}
  witness(witness&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  witness(const witness&) = delete;
  witness& operator=(const witness&) = delete;
  ~witness() {
    if (of_ != nullptr) of_->destroyed.fetch_add(1, std::memory_order_relaxed);
  }
  void operator()() const { of_->executed.fetch_add(1, std::memory_order_relaxed); }

private:
  fate* of_;
};

// Schedules `jobs` and cancels some of its own and of the others' at random moments.
class rioter {
public:
  rioter(const host::realtime_scheduler& subject, std::uint64_t seed)
      : subject_(subject), random_(seed) {}

  void run(std::span<fate> jobs) {
    std::array<std::pair<cancellable, fate*>, 256> recent;
    for (fate& job : jobs) {
      auto handle = schedule(job);
      auto& place = recent[random_() % recent.size()];
      // The job that was there is cancelled or let go, by turns; at any stage of its life.
      if (random_() % 2 == 0) cancel(place);
      place = {std::move(handle), &job};
      if (random_() % 4 == 0) cancel(place);
      if (random_() % 16 == 0) cancel(recent[random_() % recent.size()]);
    }
  }

private:
  cancellable schedule(fate& job) {
    while (true) {
      const auto delay = std::chrono::microseconds{1 + random_() % 20'000};
      auto handle = subject_->schedule_once(delay, witness{job});
      if (handle) return *std::move(handle);
      job.destroyed = 0;  // that callable was refused
      std::this_thread::sleep_for(1ms);
    }
  }
  static void cancel(std::pair<cancellable, fate*>& of) {
    if (of.first.cancel()) of.second->cancelled.fetch_add(1, std::memory_order_relaxed);
  }

  const host::realtime_scheduler& subject_;
  std::minstd_rand random_;
};

// spec: S2 S4 S13
TEST(scheduler_stress, each_of_a_million_timers_ends_in_exactly_one_way) {
  constexpr std::size_t each = 1'000'000 / threads_in_all;
  std::vector<fate> fates(each * threads_in_all);
  std::uint64_t executed = 0;
  std::uint64_t cancelled = 0;
  {
    const auto subject = started(100'000);
    {
      const metrics_watch watch{subject};
      in_threads([&](std::size_t self) {
        rioter{subject, self + 1}.run(std::span{fates}.subspan(self * each, each));
      });
      ASSERT_TRUE(becomes_empty(subject));
    }
    (void)subject.shutdown();
    const scheduler_metrics metrics = subject.metrics();
    for (const fate& job : fates) {
      ASSERT_EQ(job.executed + job.cancelled, 1);
      ASSERT_EQ(job.destroyed, 1);
      executed += job.executed;
      cancelled += job.cancelled;
    }
    EXPECT_EQ(metrics.scheduled_total, fates.size());
    EXPECT_EQ(metrics.completed_total, executed);
    EXPECT_EQ(metrics.executed_total, executed);
    EXPECT_EQ(metrics.cancelled_total, cancelled);
    EXPECT_EQ(metrics.active_total, 0u);
  }
  EXPECT_GT(executed, 0u);
  EXPECT_GT(cancelled, 0u);
  std::printf("%zu timers: %lu executed, %lu cancelled\n", fates.size(), executed, cancelled);
}

// spec: T4
// case: SO-14
TEST(scheduler_stress, a_hundred_thousand_one_shots_fire_once_each) {
  constexpr std::size_t each = 100'000 / threads_in_all;
  struct arrival {
    clock::time_point deadline;
    std::atomic<int> runs{0};
    clock::duration late{};
  };
  std::vector<arrival> arrivals(each * threads_in_all);
  const auto subject = started(200'000);

  in_threads([&](std::size_t self) {
    std::minstd_rand random{static_cast<unsigned>(self + 1)};
    for (arrival& one : std::span{arrivals}.subspan(self * each, each)) {
      const auto delay = std::chrono::microseconds{1 + random() % 3'000'000};
      one.deadline = clock::now() + delay;
      const auto timer = subject->schedule_once(delay, [&one] {
        one.late = clock::now() - one.deadline;
        one.runs.fetch_add(1, std::memory_order_relaxed);
      });
      ASSERT_TRUE(timer.has_value());
    }
  });
  ASSERT_TRUE(becomes_empty(subject));
  (void)subject.shutdown();

  clock::duration latest{};
  for (const arrival& one : arrivals) {
    ASSERT_EQ(one.runs.load(), 1);
    ASSERT_GE(one.late, clock::duration::zero());
    latest = std::max(latest, one.late);
  }
  EXPECT_EQ(subject.metrics().completed_total, arrivals.size());
  std::printf("100 k one-shots: at most %.1f ms late\n",
              std::chrono::duration<double, std::milli>(latest).count());
}

// spec: S3 S12
TEST(scheduler_stress, a_shutdown_among_schedules_and_cancels_loses_no_timer) {
  const time_box time;
  std::uint64_t accepted = 0;
  int rounds = 0;
  for (; time.open(); ++rounds) {
    constexpr std::size_t most = 500;
    std::vector<fate> fates(most * threads_in_all);
    std::array<std::vector<std::pair<cancellable, fate*>>, threads_in_all> kept;
    {
      const auto subject = started(10'000);
      std::latch begun{threads_in_all};
      std::jthread closer{[&] {
        begun.wait();
        (void)subject.shutdown(
            1h);  // each of those that run now gets its share of it, and none is late
      }};
      in_threads([&](std::size_t self) {
        std::minstd_rand random{static_cast<unsigned>(self + 1)};
        begun.count_down();
        for (fate& job : std::span{fates}.subspan(self * most, most)) {
          const bool at_the_end = random() % 4 == 0;
          auto handle = subject->schedule_once(
              std::chrono::microseconds{1 + random() % 3'000}, witness{job},
              {.at_shutdown = at_the_end ? on_shutdown::run : on_shutdown::cancel});
          if (!handle) {
            EXPECT_EQ(handle.error(), scheduler_error::shutdown);
            break;
          }
          if (random() % 4 == 0 && handle->cancel()) ++job.cancelled;
          kept[self].emplace_back(*std::move(handle), &job);
        }
      });
      closer.join();
      const scheduler_metrics metrics = subject.metrics();
      ASSERT_EQ(metrics.active_total, 0u);
      ASSERT_EQ(ends(metrics), metrics.scheduled_total);
      accepted += metrics.scheduled_total;
    }
    // The scheduler is gone, the handles are not.
    for (auto& [handle, job] : kept | std::views::join) {
      ASSERT_FALSE(handle.cancel());
      ASSERT_EQ(job->executed, handle.is_completed() ? 1 : 0);
      ASSERT_NE(handle.is_completed(), handle.is_cancelled());
      ASSERT_EQ(job->destroyed, 1);
      ASSERT_TRUE(job->cancelled == 0 || handle.is_cancelled());
    }
  }
  std::printf("%d shutdowns, %lu timers\n", rounds, accepted);
}

// spec: S3 S6 S7
TEST(scheduler_stress, a_periodic_job_runs_no_more_once_it_is_cancelled) {
  const time_box time;
  const auto subject = started(10'000);
  in_threads([&](std::size_t self) {
    while (time.open()) {
      std::atomic<int> running{0};
      std::atomic<int> wrong{0};
      const auto run = [&running, &wrong] {
        if (running.fetch_add(1) != 0) ++wrong;
        running.fetch_sub(1);
      };
      std::latch hook{1};
      periodic_options options;
      options.on_cancelled = [&hook] { hook.count_down(); };
      auto job = self % 2 == 0
                     ? subject->schedule_at_fixed_rate(1ms, 1ms, run, std::move(options))
                     : subject->schedule_with_fixed_delay(1ms, 1ms, run, std::move(options));
      ASSERT_TRUE(job.has_value());
      std::this_thread::sleep_for(std::chrono::microseconds{500 * (self + 1)});
      ASSERT_TRUE(job->cancel());
      hook.wait();  // runs behind the last run: nothing refers to this frame any more
      ASSERT_EQ(running.load(), 0);
      ASSERT_EQ(wrong.load(), 0);
    }
  });
  EXPECT_EQ(subject.metrics().active_total, 0u);
  EXPECT_EQ(subject.metrics().periodic_total, 0u);
}

// The deadlines of a protocol that comes and goes.
struct protocol {
  explicit protocol(scheduler& timers) : deadlines(timers, places) {}
  std::array<scheduler_deadline_timer::slot, 8> places{};
  scheduler_deadline_timer deadlines;
};

TEST(scheduler_stress, deadlines_that_are_cancelled_let_their_owner_go_while_others_fall_due) {
  const auto subject = started(10'000);
  const time_box time;
  in_threads([&](std::size_t self) {
    std::minstd_rand random{static_cast<unsigned>(self + 1)};
    while (time.open()) {
      const auto mine = std::make_unique<protocol>(subject.timers());
      scheduler_deadline_timer& deadlines = mine->deadlines;
      std::vector<deadline_key> keys;
      for (int i = 0; i < 8; ++i)
        keys.push_back(*deadlines.insert(std::chrono::microseconds{1 + random() % 2000}));
      const auto until = clock::now() + std::chrono::microseconds{random() % 2000};
      while (clock::now() < until)
        (void)deadlines.poll_expired();
      for (const deadline_key key : keys)
        (void)deadlines.cancel(key);
    }
  });
  EXPECT_TRUE(becomes_empty(subject));
}

// spec: X2
TEST(scheduler_stress, listeners_come_and_go_while_timers_fire) {
  const auto subject = started(10'000);
  std::atomic<std::uint64_t> heard = 0;
  constexpr std::size_t each = 20'000;
  std::vector<fate> fates(each * threads_in_all);
  std::jthread listener{[&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::array<scheduler_event, 64> storage{};
      diagnostics_subscription subscription{subject->events(), storage};
      for (int look = 0; look < 20; ++look) {
        while (subscription.try_next())
          ++heard;
        std::this_thread::sleep_for(50us);
      }
    }
  }};
  in_threads([&](std::size_t self) {
    rioter{subject, self + 1}.run(std::span{fates}.subspan(self * each, each));
  });
  while (heard == 0) {  // the machine may not have let the listener run
    ASSERT_TRUE(subject->schedule_once(1ms, [] {}).has_value());
    std::this_thread::sleep_for(1ms);
  }
  ASSERT_TRUE(becomes_empty(subject));
}

}  // namespace
}  // namespace tactor::stress
