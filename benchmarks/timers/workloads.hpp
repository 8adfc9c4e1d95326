// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

/// The workloads of the timers of each library, equal for all of them. A program is one library and
/// one workload; it prints `name value` lines, which benchmarks/run.py reads.
///
/// A library is a class with
///   Library(setup)                                  capacity for `live` timers, numbered from 0
///   void schedule(number, delay, callable)          once, after `delay`
///   void schedule_at(number, moment, callable)      once, not before `moment`
///   void cancel(number)                             and free its memory
///   void breathe()                                  does the regular work of a loop
///   void settle()                                   optional: returns when all cancelled timers
///   are
///                                                   freed
///   void run(done)                                  lets timers fire until `done()`
/// All but `run` are called by `threads` threads, each for its own numbers.
namespace timers {

using clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

struct setup {
  std::size_t live = 0;
  nanoseconds resolution = std::chrono::milliseconds{1};
  nanoseconds longest{};      // delay
  bool alone = false;         // no thread but the caller's: for counting instructions
  std::size_t executors = 1;  // threads that run callables, where there is a choice
};

/// The callable of the workloads that never fire: 16 bytes.
struct idle_callable {
  std::uint64_t* sum;
  std::uint64_t number;
  void operator()() const noexcept { *sum += number; }
};
static_assert(sizeof(idle_callable) == 16);

/// Where timers that fire record their lateness.
struct lateness {
  explicit lateness(std::size_t count) : late_ns(count) {}
  std::vector<std::int64_t> late_ns;
  std::atomic<std::size_t> fired = 0;
};

/// The callable of timers that fire: 16 bytes.
struct noting_callable {
  lateness* notes;
  clock::time_point due;
  void operator()() const noexcept {
    const nanoseconds late = clock::now() - due;
    notes->late_ns[notes->fired.fetch_add(1, std::memory_order_relaxed)] = late.count();
  }
};
static_assert(sizeof(noting_callable) == 16);

inline void print(const char* name, double value) {
  std::printf("%s %.6g\n", name, value);
}

inline nanoseconds cpu_time() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto whole = [](const timeval& time) {
    return std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
  };
  return whole(used.ru_utime) + whole(used.ru_stime);
}

/// Processor time of the calling thread: meaningful also on a busy machine.
inline nanoseconds own_cpu_time() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds{used.tv_sec} + nanoseconds{used.tv_nsec};
}

inline long context_switches() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_nvcsw;
}

inline double resident_bytes() {
  unsigned long whole = 0;
  unsigned long resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%lu %lu", &whole, &resident) != 2) std::abort();
  std::fclose(file);
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

/// Random delays, made before the clock starts; reused cyclically.
class delays {
public:
  delays(nanoseconds shortest, nanoseconds longest) : drawn_(1 << 16) {
    std::mt19937_64 random{7};
    std::uniform_int_distribution<std::int64_t> between{shortest.count(), longest.count()};
    for (nanoseconds& each : drawn_)
      each = nanoseconds{between(random)};
  }
  [[nodiscard]] nanoseconds operator[](std::size_t number) const {
    return drawn_[number & (drawn_.size() - 1)];
  }

private:
  std::vector<nanoseconds> drawn_;
};

/// Time and processor time since its construction.
class stopwatch {
public:
  [[nodiscard]] double ns_each(std::size_t count) const {
    const nanoseconds passed = clock::now() - start_;
    return static_cast<double>(passed.count()) / static_cast<double>(count);
  }
  /// Of all threads together.
  [[nodiscard]] double cpu_ns_each(std::size_t count) const {
    return static_cast<double>((cpu_time() - cpu_start_).count()) / static_cast<double>(count);
  }
  /// Of the calling thread alone.
  [[nodiscard]] double own_cpu_ns_each(std::size_t count) const {
    return static_cast<double>((own_cpu_time() - own_start_).count()) / static_cast<double>(count);
  }

private:
  clock::time_point start_ = clock::now();
  nanoseconds cpu_start_ = cpu_time();
  nanoseconds own_start_ = own_cpu_time();
};

inline constexpr std::size_t breath = 1000;  // calls between two turns of a loop

/// 1..10 s ahead, none fires: schedules all, then cancels all.
template <class Library>
void schedule_then_cancel(std::size_t live, std::string_view order) {
  using namespace std::chrono_literals;
  const delays delay{1s, 10s};
  std::vector<std::uint32_t> cancelled(live);
  std::iota(cancelled.begin(), cancelled.end(), 0U);
  if (order == "random") std::ranges::shuffle(cancelled, std::mt19937{11});
  std::uint64_t sum = 0;
  Library library{{.live = live, .longest = 10s}};

  const stopwatch whole;
  const stopwatch scheduling;
  for (std::size_t number = 0; number < live; ++number) {
    library.schedule(number, delay[number], idle_callable{&sum, number + 1});
    if (number % breath == 0) library.breathe();
  }
  const double schedule_ns = scheduling.ns_each(live);
  print("schedule_own_cpu_ns", scheduling.own_cpu_ns_each(live));
  const stopwatch cancelling;
  std::size_t done = 0;
  for (const std::uint32_t number : cancelled) {
    library.cancel(number);
    if (++done % breath == 0) library.breathe();
  }
  library.breathe();
  const double cancel_ns = cancelling.ns_each(live);
  print("cancel_own_cpu_ns", cancelling.own_cpu_ns_each(live));
  print("own_cpu_ns", whole.own_cpu_ns_each(live));
  // Until here another thread may have deferred its part; a loop has done it in `breathe`.
  if constexpr (requires { library.settle(); }) library.settle();
  print("released_pair_ns", whole.ns_each(live));
  print("schedule_ns", schedule_ns);
  print("cancel_ns", cancel_ns);
  print("pair_ns", schedule_ns + cancel_ns);
  print("cpu_ns", whole.cpu_ns_each(live));
  print("fired", sum != 0 ? 1 : 0);
}

/// `live` timers all the time, 15..30 s ahead: cancels a random timer and schedules it again.
/// Without `threads` the calling thread does everything, also what a driver would do: for counting.
template <class Library>
void steady_state(std::size_t live, std::size_t pairs, std::size_t threads) {
  using namespace std::chrono_literals;
  const bool alone = threads == 0;
  threads = std::max<std::size_t>(threads, 1);
  const delays delay{15s, 30s};
  std::uint64_t sum = 0;
  Library library{{.live = live, .longest = 30s, .alone = alone}};
  for (std::size_t number = 0; number < live; ++number) {
    library.schedule(number, delay[number], idle_callable{&sum, number + 1});
    if (number % breath == 0) library.breathe();
  }
  const std::size_t share = live / threads;
  std::vector<std::vector<std::uint32_t>> chosen(threads);
  for (std::size_t thread = 0; thread < threads; ++thread) {
    std::mt19937 random{static_cast<std::uint32_t>(thread)};
    std::uniform_int_distribution<std::size_t> own{thread * share, (thread + 1) * share - 1};
    for (std::size_t n = 0; n < pairs / threads; ++n)
      chosen[thread].push_back(static_cast<std::uint32_t>(own(random)));
  }
  const auto work = [&](std::size_t thread) {
    std::size_t done = 0;
    for (const std::uint32_t number : chosen[thread]) {
      library.cancel(number);
      library.schedule(number, delay[++done], idle_callable{&sum, number + 1UL});
      if (done % breath == 0) library.breathe();
    }
  };
  print("resident_mb", resident_bytes() / 1e6);
  const stopwatch working;
  std::vector<std::thread> others;
  for (std::size_t thread = 1; thread < threads; ++thread)
    others.emplace_back(work, thread);
  work(0);
  for (std::thread& each : others)
    each.join();
  print("pair_ns", working.ns_each(pairs));
  if (threads == 1) print("own_cpu_ns", working.own_cpu_ns_each(pairs));
  if constexpr (requires { library.settle(); }) library.settle();
  print("released_pair_ns", working.ns_each(pairs));
  print("cpu_ns", working.cpu_ns_each(pairs));
  print("resident_after_mb", resident_bytes() / 1e6);
  print("fired", sum != 0 ? 1 : 0);
}

/// The memory of a live timer: the growth of the process from an empty library with storage for
/// handles.
template <class Library>
void memory(std::size_t live, std::string_view how_far) {
  using namespace std::chrono_literals;
  const bool far = how_far == "far";
  const delays delay{far ? nanoseconds{1h} : 15s, far ? nanoseconds{10h} : 30s};
  std::uint64_t sum = 0;
  Library library{{.live = live, .longest = 30s}};
  const double before = resident_bytes();
  for (std::size_t number = 0; number < live; ++number) {
    library.schedule(number, delay[number], idle_callable{&sum, number + 1});
    if (number % breath == 0) library.breathe();
  }
  // A near timer at the end: a sleeping thread would apply the far ones later.
  library.cancel(0);
  library.schedule(0, 20ms, idle_callable{&sum, 1});
  std::this_thread::sleep_for(1s);
  const double after = resident_bytes();
  print("bytes_each", (after - before) / static_cast<double>(live));
  print("resident_mb", after / 1e6);
}

/// `count` timers at random times within one second, each recording its lateness.
template <class Library>
void fire(std::size_t count, nanoseconds resolution, std::size_t executors) {
  using namespace std::chrono_literals;
  const delays moment{200ms, 1200ms};
  lateness notes{count};
  Library library{
      {.live = count, .resolution = resolution, .longest = 1300ms, .executors = executors}};
  const clock::time_point start = clock::now();
  for (std::size_t number = 0; number < count; ++number) {
    const clock::time_point due = start + moment[number] + nanoseconds{number % 16};
    library.schedule_at(number, due, noting_callable{&notes, due});
  }
  if constexpr (requires { library.sort(); }) library.sort();
  const double setting_up_ms = static_cast<double>((clock::now() - start).count()) / 1e6;
  const nanoseconds cpu_before = cpu_time();
  const long switches_before = context_switches();
  library.run([&] { return notes.fired.load(std::memory_order_relaxed) == count; });
  const nanoseconds used = cpu_time() - cpu_before;

  std::ranges::sort(notes.late_ns);
  const auto late_us = [&](double share) {
    const auto rank = static_cast<std::size_t>(share * static_cast<double>(count - 1));
    return static_cast<double>(notes.late_ns[rank]) / 1e3;
  };
  print("cpu_ms", static_cast<double>(used.count()) / 1e6);
  print("context_switches", static_cast<double>(context_switches() - switches_before));
  print("late_least_us", late_us(0));
  print("late_p50_us", late_us(0.5));
  print("late_p99_us", late_us(0.99));
  print("late_max_us", late_us(1));
  print("setting_up_ms", setting_up_ms);
}

/// Only the calls, for counting instructions: up to and including `last`.
template <class Library>
void instructions(std::string_view last, std::size_t count) {
  using namespace std::chrono_literals;
  constexpr std::size_t most = 20'000;
  const delays delay{15s, 30s};
  std::uint64_t sum = 0;
  Library library{{.live = most, .longest = 30s, .alone = true}};
  for (std::size_t number = 0; number < count; ++number)
    library.schedule(number, delay[number], idle_callable{&sum, number + 1});
  if (last == "schedule") std::_Exit(EXIT_SUCCESS);  // the cost of cleaning up is not measured
  library.breathe();
  if (last == "take_in") std::_Exit(EXIT_SUCCESS);
  for (std::size_t number = 0; number < count; ++number)
    library.cancel(number);
  if (last == "cancel") std::_Exit(EXIT_SUCCESS);
  library.breathe();
  std::_Exit(EXIT_SUCCESS);
}

/// The `main` of each program.
template <class Library>
int run_workload(int argc, char** argv) {
  const std::string_view workload = argc > 1 ? argv[1] : "";
  const auto word = [&](int at) { return std::string_view{argc > at ? argv[at] : ""}; };
  const auto number = [&](int at, std::size_t otherwise) {
    return argc > at ? std::strtoul(argv[at], nullptr, 10) : otherwise;
  };
  if (workload == "pair") {
    schedule_then_cancel<Library>(number(2, 1'000'000), word(3));
  } else if (workload == "steady") {
    steady_state<Library>(number(2, 1'000'000), number(3, 1'000'000), number(4, 1));
  } else if (workload == "memory") {
    memory<Library>(number(2, 1'000'000), word(3));
  } else if (workload == "fire") {
    fire<Library>(number(2, 100'000), std::chrono::microseconds{number(3, 1000)}, number(4, 1));
  } else if (workload == "instructions") {
    instructions<Library>(word(2), number(3, 10'000));
  } else {
    std::fprintf(stderr,
                 "usage: %s pair LIVE random|in_order\n"
                 "       %s steady LIVE PAIRS THREADS (0: no thread but this one)\n"
                 "       %s memory LIVE near|far\n"
                 "       %s fire COUNT RESOLUTION_US EXECUTORS\n"
                 "       %s instructions schedule|take_in|cancel|clear COUNT\n",
                 argv[0], argv[0], argv[0], argv[0], argv[0]);
    return 2;
  }
  return EXIT_SUCCESS;
}

}  // namespace timers
