// SPDX-License-Identifier: BSL-1.0
// Measures how late timers run on this machine: one-shots at random moments of two seconds, at two
// resolutions.
#include "scheduler_showcase/lateness.hpp"

#include "tactor/timers.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <random>
#include <thread>

using namespace std::chrono_literals;

namespace {

constexpr int timers_per_run = 2000;

struct result {
  std::mutex mutex;
  showcase::lateness late;  // beyond the moment that was asked for: rounding to a tick included
  bool early = false;

  void add(std::uint64_t asked_ns, std::uint64_t now_ns) {
    const std::scoped_lock lock{mutex};
    if (now_ns < asked_ns) early = true;
    late.record(now_ns - (now_ns < asked_ns ? now_ns : asked_ns));
  }
};

bool measure(std::chrono::milliseconds resolution) {
  result measured;
  const tactor::host::steady_clock clock;
  const auto timers =
      tactor::host::realtime_scheduler::start({.timers = {.timing = {.resolution = resolution}}});
  if (!timers) return false;

  std::minstd_rand random{1};
  std::uniform_int_distribution<std::int64_t> any{10'000'000, 2'000'000'000};
  for (int i = 0; i < timers_per_run; ++i) {
    const std::chrono::nanoseconds delay{any(random)};
    const std::uint64_t asked_ns = clock.now().ticks + static_cast<std::uint64_t>(delay.count());
    const auto accepted = (*timers)->schedule_once(delay, [&measured, asked_ns] {
      measured.add(asked_ns, tactor::host::steady_clock{}.now().ticks);
    });
    if (!accepted) return false;
  }
  for (int waited = 0; timers->metrics().active_total > 0 && waited < 100; ++waited)
    std::this_thread::sleep_for(100ms);
  (void)timers->shutdown();

  const std::scoped_lock lock{measured.mutex};
  std::printf("resolution %2lld ms: late p50 %6.2f ms, p99 %6.2f ms, max %6.2f ms; driver at worst "
              "%.2f ms; %s\n",
              static_cast<long long>(resolution.count()),
              static_cast<double>(measured.late.percentile_ns(50)) / 1e6,
              static_cast<double>(measured.late.percentile_ns(99)) / 1e6,
              static_cast<double>(measured.late.max_ns()) / 1e6,
              static_cast<double>(timers->metrics().drift_worst_ns) / 1e6,
              measured.early ? "EARLY" : "none early");
  return !measured.early && measured.late.count() == timers_per_run;
}

}  // namespace

int main() {
  const bool coarse = measure(10ms);
  const bool fine = measure(1ms);
  return coarse && fine ? 0 : 1;
}
