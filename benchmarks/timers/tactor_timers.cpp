// SPDX-License-Identifier: BSL-1.0
//
// The timers of tactor, through the public API: a realtime_scheduler with its own threads.
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/host/timers/realtime_scheduler.hpp"
#include "tactor/testkit/system_drive.hpp"

#include "workloads.hpp"

#include <bit>
#include <utility>

namespace timers {
namespace {

/// The system's clock, which reports to be deterministic: then no thread drives the timers.
class undriven_clock final : public tactor::monotonic_clock {
public:
  [[nodiscard]] tactor::timer_instant now() const noexcept override { return system_.now(); }
  [[nodiscard]] tactor::clock_kind kind() const noexcept override {
    return tactor::clock_kind::deterministic;
  }

private:
  tactor::host::steady_clock system_;
};
constinit const undriven_clock undriven;

class tactor_timers {
public:
  explicit tactor_timers(const setup& wanted)
      : alone_(wanted.alone), timers_(start(wanted)), handles_(wanted.live) {}

  template <class Callable>
  void schedule(std::size_t number, nanoseconds delay, const Callable& callable) {
    auto handle = timers_->schedule_once(delay, callable);
    if (!handle) std::abort();
    handles_[number] = std::move(*handle);
  }
  template <class Callable>
  void schedule_at(std::size_t number, clock::time_point moment, const Callable& callable) {
    schedule(number, moment - clock::now(), callable);
  }
  void cancel(std::size_t number) {
    handles_[number].cancel();
    handles_[number] = {};
  }
  void breathe() {
    if (alone_) tactor::testkit::system_steps::poll_now(timers_);
  }
  void settle() {  // waits for a poll in progress, then does the rest
    tactor::testkit::system_steps::poll_now(timers_);
  }
  template <class Done>
  void run(Done done) {
    while (!done())
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }

private:
  static tactor::host::realtime_scheduler start(const setup& wanted) {
    tactor::host::realtime_config config;
    config.timers.timing.resolution = wanted.resolution;
    const auto ticks = static_cast<std::size_t>(wanted.longest / wanted.resolution) + 1;
    config.timers.timing.wheel_slots = std::bit_ceil(ticks);
    config.timers.timing.overflow_capacity = wanted.live;
    config.timers.system_quota = wanted.live;
    config.callable_threads = wanted.executors;
    if (wanted.alone) {
      config.clock = &undriven;
      config.use = tactor::clock_use::test;
    }
    auto started = tactor::host::realtime_scheduler::start(config);
    if (!started) std::abort();
    return std::move(*started);
  }

  bool alone_;
  tactor::host::realtime_scheduler timers_;
  std::vector<tactor::cancellable> handles_;
};

}  // namespace
}  // namespace timers

int main(int argc, char** argv) {
  return timers::run_workload<timers::tactor_timers>(argc, argv);
}
