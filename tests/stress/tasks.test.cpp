// SPDX-License-Identifier: BSL-1.0
// Coroutine handlers on real threads: whatever stops or restarts their actor, frames end exactly
// once, and every ask is answered or told why not.
#include "tactor/core/actor/coroutine/completion.hpp"
#include "tactor/core/actor/coroutine/task.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/host/actor_system.hpp"

#include "instrumented.hpp"
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace tactor::stress {
namespace {

using namespace std::chrono_literals;

void ignore_records(const log_record& /*what*/) noexcept {}

struct square {
  std::uint32_t of = 0;
  using reply = std::uint32_t;
};
struct sum_of_squares {
  std::uint32_t to = 0;
  using reply = std::uint32_t;
};

class calculator : public actor<square> {
public:
  std::uint32_t receive(context&, square s) { return s.of * s.of; }
};

struct live_frame {
  explicit live_frame(std::atomic<int>& count) : of(count) { ++of; }
  live_frame(const live_frame&) = delete;
  live_frame& operator=(const live_frame&) = delete;
  ~live_frame() { --of; }
  std::atomic<int>& of;
};

class summer : public actor<sum_of_squares> {
public:
  summer(actor_ref<square> calculator, std::atomic<int>* frames)
      : calculator_(calculator), frames_(frames) {}

  task<std::uint32_t> receive(context& ctx, sum_of_squares s) {
    const live_frame here{*frames_};
    std::uint32_t sum = 0;
    for (std::uint32_t i = 1; i <= s.to; ++i) {
      sum += co_await squared(ctx, i);
      if (i % 5 == 0) co_await ctx.yield();
      if (i % 7 == 0) co_await ctx.sleep(1ms);
    }
    if (s.to % 11 == 0) co_await ctx.fail("now and then");
    co_return sum;
  }

private:
  task<std::uint32_t> squared(tactor::context& ctx, std::uint32_t of) {
    const live_frame here{*frames_};
    const auto answer = co_await ctx.ask<square>(calculator_, 50s, of);
    co_return answer ? *answer : 0;
  }

  actor_ref<square> calculator_;
  std::atomic<int>* frames_;
};

// spec: A3 P7
TEST(tasks_stress, frames_end_once_and_every_ask_ends) {
  constexpr std::uint32_t rounds = scaled(300, 40);
  constexpr std::size_t many = 8;
  std::atomic<int> frames = 0;
  std::uint32_t right = 0;
  std::uint32_t without = 0;
  {
    actor_system system{{.workers = 3, .log = {.sink = ignore_records}}};
    std::array<actor_ref<square>, 2> calculators{system.spawn<calculator>("one"),
                                                 system.spawn<calculator>("two")};
    std::array<actor_ref<sum_of_squares>, many> summers;
    const spawn_options restarts{.name = "", .on_failure = restart{}};
    for (std::size_t i = 0; i < many; ++i)
      summers[i] = system.spawn<summer>(restarts, calculators[i % 2], &frames);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      std::vector<pending_reply<std::uint32_t>> answers;
      const std::uint32_t to = 1 + round % 23;
      for (const auto& each : summers)
        answers.push_back(system.ask(each, sum_of_squares{to}, 60s));
      const std::size_t victim = round % many;
      if (round % 3 == 0) {
        system.stop(summers[victim]);
        summers[victim] = system.spawn<summer>(restarts, calculators[victim % 2], &frames);
      }
      for (auto& each : answers) {
        const auto said = std::move(each).get();
        if (said) {
          EXPECT_EQ(*said, to * (to + 1) * (2 * to + 1) / 6);
          ++right;
        } else {
          EXPECT_NE(said.error().kind, ask_failure::timed_out);
          ++without;
        }
      }
    }
  }
  EXPECT_EQ(frames, 0);
  EXPECT_EQ(right + without, rounds * many);
  EXPECT_GT(right, rounds * many / 2);
}

// Results that come from other threads: of blocking calls, and of completions that a thread without
// actors gives.
struct fetch {
  std::uint32_t number = 0;
  using reply = std::uint32_t;
};

class completing_thread {
public:
  completing_thread() : thread_{[this](const std::stop_token& stop) { run(stop); }} {}
  void add(completion<std::uint32_t> done, std::uint32_t value) {
    const std::scoped_lock lock{mutex_};
    waiting_.emplace_back(std::move(done), value);
    changed_.notify_one();
  }

private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    while (changed_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
      std::deque<std::pair<completion<std::uint32_t>, std::uint32_t>> taken;
      taken.swap(waiting_);
      lock.unlock();
      for (auto& [done, value] : taken)
        if (value % 5 != 0) done(value);  // the others are abandoned
      taken.clear();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::pair<completion<std::uint32_t>, std::uint32_t>> waiting_;
  std::jthread thread_;  // last: it uses the others
};

class fetcher : public actor<fetch> {
public:
  fetcher(completing_thread* from, std::atomic<int>* frames) : from_(from), frames_(frames) {}

  task<std::uint32_t> receive(context& ctx, fetch f) {
    const live_frame here{*frames_};
    completing_thread& from = *from_;
    const std::uint32_t number = f.number;
    const auto start = [&from, number](completion<std::uint32_t> done) {
      from.add(std::move(done), number);
    };
    const auto got = co_await ctx.completes<std::uint32_t>(start);
    const auto doubled =
        co_await ctx.run_blocking([](std::uint32_t of) { return 2 * of; }, got.value_or(number));
    if (f.number % 7 == 0) co_await ctx.fail("now and then");
    co_return doubled.value_or(0);
  }

private:
  completing_thread* from_;
  std::atomic<int>* frames_;
};

// spec: A3
TEST(tasks_stress, results_of_other_threads_race_with_stops_and_restarts) {
  constexpr std::uint32_t rounds = scaled(300, 40);
  constexpr std::size_t many = 4;
  std::atomic<int> frames = 0;
  std::uint32_t right = 0;
  std::uint32_t without = 0;
  completing_thread from;
  {
    actor_system system{{.workers = 2, .log = {.sink = ignore_records}}};
    std::array<actor_ref<fetch>, many> fetchers;
    const spawn_options restarts{.name = "", .on_failure = restart{}};
    for (auto& each : fetchers)
      each = system.spawn<fetcher>(restarts, &from, &frames);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      std::vector<pending_reply<std::uint32_t>> answers;
      for (std::uint32_t i = 0; i < 3; ++i)
        for (const auto& each : fetchers)
          answers.push_back(system.ask(each, fetch{round + i}, 60s));
      auto& victim = fetchers[round % many];
      if (round % 3 == 0) {
        system.stop(victim);
        victim = system.spawn<fetcher>(restarts, &from, &frames);
      }
      for (std::size_t i = 0; i < answers.size(); ++i) {
        const auto said = std::move(answers[i]).get();
        if (said) {
          EXPECT_EQ(*said, 2 * (round + i / many));
          ++right;
        } else {
          EXPECT_NE(said.error().kind, ask_failure::timed_out);
          ++without;
        }
      }
    }
  }
  EXPECT_EQ(frames, 0);
  EXPECT_EQ(right + without, rounds * many * 3);
  EXPECT_GT(right, rounds * many);
}

}  // namespace
}  // namespace tactor::stress
