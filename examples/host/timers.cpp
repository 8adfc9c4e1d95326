// SPDX-License-Identifier: BSL-1.0
#include "tactor/timers.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

using namespace std::chrono_literals;

int main() {
  const auto timers = tactor::host::realtime_scheduler::start();
  if (!timers) {
    std::printf("%s must be %s\n", timers.error().setting, timers.error().allowed);
    return 1;
  }

  const auto hello = (*timers)->schedule_once(50ms, [] { std::puts("once: 50 ms are over"); });
  if (!hello) return 1;  // why: hello.error()

  // Every 20 ms, on a grid; missed runs come as one batch.
  std::atomic<unsigned long long> runs = 0;
  const auto beat = (*timers)->schedule_at_fixed_rate(
      20ms, 20ms, [&](tactor::execution_batch batch) { runs += batch.runs; });
  if (!beat) return 1;

  auto never = (*timers)->schedule_once(1h, [] { std::puts("this is never printed"); });
  if (!never) return 1;
  std::printf("cancel: %s\n", never->cancel() ? "true, it will not run" : "false, too late");
  std::printf("again:  %s\n", never->cancel() ? "true" : "false, that was done before");

  std::this_thread::sleep_for(210ms);
  const auto summary = timers->shutdown();
  std::printf("rate: %s\n", runs >= 5 ? "it ran every 20 ms" : "the machine was busy");
  std::printf("shutdown: %zu cancelled; hello is %s\n", summary.cancelled,
              hello->is_completed() ? "completed" : "cancelled");
}
