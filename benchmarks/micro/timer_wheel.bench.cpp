// SPDX-License-Identifier: BSL-1.0
//
// The wheel alone, in a steady state: a fixed number of timers is live, and a batch of them is
// scheduled, cancelled or expired. Only that is timed, not what restores the state.
#include "tactor/base/tick.hpp"

#include "loaded_wheel.hpp"
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tactor::benchmarks {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::uint64_t far_begin = 10'000;
constexpr std::uint64_t far_end = 1'000'000;

// The time per operation of each batch. Their median is the result, as the counter `ns`: batches
// are short, so a competing program spoils few of them.
class stop_watch {
public:
  explicit stop_watch(benchmark::State& state) : state_(state) {}
  ~stop_watch() {
    if (batches_.empty()) return;
    const auto middle = batches_.begin() + static_cast<std::ptrdiff_t>(batches_.size() / 2);
    std::ranges::nth_element(batches_, middle);
    state_.counters["ns"] = *middle;
  }
  stop_watch(const stop_watch&) = delete;
  stop_watch& operator=(const stop_watch&) = delete;

  /// Times `work`, which returns its number of operations.
  template <class Work>
  void time(Work work) {
    const auto begin = clock::now();
    const std::size_t operations = work();
    benchmark::ClobberMemory();
    const std::chrono::duration<double> length = clock::now() - begin;
    state_.SetIterationTime(length.count());
    if (operations > 0) batches_.push_back(length.count() * 1e9 / static_cast<double>(operations));
  }

private:
  benchmark::State& state_;
  std::vector<double> batches_;
};

std::size_t batch_of(std::size_t live) {
  return std::min<std::size_t>(live / 10, 10'000);
}

// The location of the timers of a benchmark.
struct place {
  std::uint64_t first;
  std::uint64_t last;
};
constexpr place in_wheel{1, loaded_wheel::slots};
constexpr place in_overflow{far_begin, far_end};

// Measures scheduling or cancelling: a batch of idle timers becomes live, and as many live timers,
// chosen at random, become idle. They stay idle until as many others have been used, so a scheduled
// timer is as cold as it would be among so many.
enum class half : std::uint8_t { insert, cancel };

void insert_or_cancel(benchmark::State& state, half measured, place where) {
  const auto live = static_cast<std::size_t>(state.range(0));
  const std::size_t batch = batch_of(live);
  const std::size_t all = live + live / 10;
  loaded_wheel loaded{all, where.first > loaded_wheel::slots ? all : 0};
  const std::vector<tick> deadlines = loaded.deadlines(all, where.first, where.last);
  std::vector<timer_entry*>& timers = loaded.shuffled;  // live timers, then idle timers
  for (std::size_t n = 0; n < live; ++n)
    loaded.insert(*timers[n], deadlines[n]);

  stop_watch watch{state};
  std::size_t idle = live;
  for ([[maybe_unused]] auto _ : state) {
    const std::span fresh{timers.data() + idle, batch};
    const auto insert = [&] {
      for (std::size_t n = 0; n < batch; ++n)
        loaded.insert(*fresh[n], deadlines[idle - live + n]);
      return batch;
    };
    std::span stale{timers.data() + live - batch, batch};
    const auto cancel = [&] {
      for (timer_entry* each : stale)
        loaded.wheel.cancel(*each);
      return batch;
    };
    for (std::size_t n = 1; n <= batch; ++n)
      std::swap(timers[live - n], timers[loaded.random() % (live + 1 - n)]);
    if (measured == half::cancel) {
      watch.time(cancel);
      insert();
    } else {
      watch.time(insert);
      cancel();
    }
    std::ranges::swap_ranges(fresh, stale);
    idle = idle + batch == all ? live : idle + batch;
  }
}

// Schedules timers that are consecutive in memory, like fresh ones, while as many others are live.
void insert_next_in_memory(benchmark::State& state) {
  const auto live = static_cast<std::size_t>(state.range(0));
  const std::size_t batch = batch_of(live);
  loaded_wheel loaded{live};
  const std::vector<tick> deadlines = loaded.deadlines(live, 1, loaded_wheel::slots);
  for (std::size_t n = 0; n < live; ++n)
    loaded.insert(*loaded.shuffled[n], deadlines[n]);
  std::vector<timer_entry> fresh(live);

  stop_watch watch{state};
  std::size_t begin = 0;
  for ([[maybe_unused]] auto _ : state) {
    watch.time([&] {
      for (std::size_t n = begin; n < begin + batch; ++n)
        loaded.insert(fresh[n], deadlines[n]);
      return batch;
    });
    for (std::size_t n = begin; n < begin + batch; ++n)
      loaded.wheel.cancel(fresh[n]);
    begin = begin + batch == live ? 0 : begin + batch;
  }
}

// A few ticks pass at a time; what fired is scheduled again a whole turn later.
void expire(benchmark::State& state) {
  const auto live = static_cast<std::size_t>(state.range(0));
  const std::uint64_t step = batch_of(live) * loaded_wheel::slots / live;
  loaded_wheel loaded{live};
  const std::vector<tick> deadlines = loaded.deadlines(live, 1, loaded_wheel::slots);
  for (std::size_t n = 0; n < live; ++n)
    loaded.insert(*loaded.shuffled[n], deadlines[n]);

  stop_watch watch{state};
  std::vector<timer_entry*> fired(live);
  for ([[maybe_unused]] auto _ : state) {
    const tick end = later_by(loaded.wheel.position(), step);
    std::size_t count = 0;
    watch.time([&] {
      for (tick now = loaded.wheel.position(); now < end;) {
        now = later_by(now, 1);
        while (timer_entry* due = loaded.wheel.pop_due(now))
          fired[count++] = due;
      }
      return count;
    });
    for (std::size_t n = 0; n < count; ++n)
      loaded.insert(*fired[n], later_by(fired[n]->deadline(), loaded_wheel::slots));
  }
}

// Far timers expire, one per tick: out of the heap, into the wheel, and out.
void expire_far(benchmark::State& state) {
  const auto live = static_cast<std::size_t>(state.range(0));
  const std::size_t batch = batch_of(live);
  loaded_wheel loaded{live, live};
  for (std::size_t n = 0; n < live; ++n)
    loaded.insert(*loaded.shuffled[n], tick{loaded_wheel::slots + 1 + n});

  stop_watch watch{state};
  std::vector<timer_entry*> fired(batch);
  for ([[maybe_unused]] auto _ : state) {
    watch.time([&] {
      for (timer_entry*& each : fired)
        each = loaded.wheel.pop_due(*loaded.wheel.next_deadline());
      return batch;
    });
    for (timer_entry* each : fired)
      loaded.insert(*each, later_by(each->deadline(), live));
  }
}

void all_sizes(benchmark::internal::Benchmark* each) {
  each->UseManualTime()->Unit(benchmark::kMicrosecond)->Arg(1'000)->Arg(10'000)->Arg(1'000'000);
}

BENCHMARK(insert_next_in_memory)->Apply(all_sizes);
BENCHMARK_CAPTURE(insert_or_cancel, insert, half::insert, in_wheel)->Apply(all_sizes);
BENCHMARK_CAPTURE(insert_or_cancel, cancel, half::cancel, in_wheel)->Apply(all_sizes);
BENCHMARK(expire)->Apply(all_sizes);
BENCHMARK_CAPTURE(insert_or_cancel, insert_far, half::insert, in_overflow)->Apply(all_sizes);
BENCHMARK_CAPTURE(insert_or_cancel, cancel_far, half::cancel, in_overflow)->Apply(all_sizes);
BENCHMARK(expire_far)->Apply(all_sizes);

}  // namespace
}  // namespace tactor::benchmarks

BENCHMARK_MAIN();
