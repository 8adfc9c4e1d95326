// SPDX-License-Identifier: BSL-1.0
#include "scheduler_showcase/incidents.hpp"

#include "tactor/timers.hpp"

#include "scheduler_showcase/workload.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <stdexcept>
#include <thread>
#include <utility>

namespace showcase {
namespace {

using namespace std::chrono_literals;
using tactor::timer_priority;

enum class trouble : std::uint8_t { out_of_paper = 7 };

}  // namespace

incidents::incidents(const tactor::host::realtime_scheduler& timers, workload& work)
    : timers_(timers), work_(work) {
  arrange_close();
}

const char* incidents::next() const {
  static constexpr std::array<const char*, count> what = {
      "the driver stands still for 180 ms",
      "both threads for callables are busy for 150 ms",
      "one callable throws, another returns an error",
      "more timers than the quota allows",
      "the overflow fills up; higher priorities push lower ones out",
      "the driver is held up again and again",
      "20 000 timers are scheduled and cancelled",
  };
  return what[next_];
}

void incidents::cause() {
  static constexpr std::array<void (incidents::*)(), count> causes = {
      &incidents::pause_driver,   &incidents::occupy_threads, &incidents::fail,
      &incidents::exceed_quota,   &incidents::fill_overflow,  &incidents::disturb_driver,
      &incidents::arm_and_cancel,
  };
  clear_away();
  (this->*causes[next_])();
  next_ = (next_ + 1) % count;
}

/// `exclusively` is for short calls: here it takes long, and the driver cannot poll meanwhile. A
/// job that may have a backlog of 20 runs only does not survive it.
void incidents::pause_driver() {
  keep(work_.at_rate(5ms, [] {}, {.missed_runs = tactor::missed::burst, .backlog_limit = 20}));
  std::this_thread::sleep_for(20ms);
  timers_.exclusively([](tactor::scheduler& stopped) {
    std::this_thread::sleep_for(180ms);
    stopped.check_for_stall();
  });
}

/// The driver finds its lock taken whenever it wants to poll, and is late eight times in a row.
void incidents::disturb_driver() {
  for (int times = 0; times < 14; ++times) {
    timers_.exclusively([](tactor::scheduler&) { std::this_thread::sleep_for(8ms); });
    std::this_thread::sleep_for(200us);
  }
}

void incidents::occupy_threads() {
  for (int thread = 0; thread < 2; ++thread)
    keep(work_.once(5ms, [] { std::this_thread::sleep_for(150ms); }));
}

void incidents::fail() {
  keep(work_.at_rate(5ms, []() -> std::expected<void, trouble> {
    return std::unexpected{trouble::out_of_paper};
  }));
  keep(work_.once(5ms, [] { throw std::runtime_error{"this goes no further"}; }));
}

void incidents::exceed_quota() {
  while (const auto accepted = work_.once(300ms, [] {}))
    keep(accepted);
  std::this_thread::sleep_for(60ms);  // meanwhile timers that start again are refused, too
  clear_away();
}

void incidents::fill_overflow() {
  constexpr std::size_t pushed_out = 5;
  while (const auto accepted = work_.once(1h, [] {}, {.priority = timer_priority::low}))
    keep(accepted);
  for (std::size_t times = 0; times < pushed_out; ++times)
    keep(work_.once(1h, [] {}));
}

void incidents::arm_and_cancel() {
  for (int times = 0; times < 20'000; ++times) {
    if (auto accepted = work_.once(1s, [] {})) accepted->cancel();
  }
}

/// Two timers that run at the end, and three tasks, one of which fails.
void incidents::arrange_close() {
  for (int times = 0; times < 2; ++times) {
    const auto accepted = work_.once(1h, [] {}, {.at_shutdown = tactor::on_shutdown::run});
    if (accepted) at_the_end_.push_back(*accepted);
  }
  const auto arrange = [this](tactor::close_priority priority, tactor::small_task task) {
    const auto arranged = timers_->on_close(priority, std::move(task));
    if (!arranged) throw std::logic_error{"there is room for three close tasks"};
  };
  arrange(tactor::close_priority::user, [] {});
  arrange(tactor::close_priority::system, [] { throw std::runtime_error{"nor does this"}; });
  arrange(tactor::close_priority::critical, [] {});
}

void incidents::keep(const std::expected<tactor::cancellable, tactor::scheduler_error>& accepted) {
  if (accepted) extra_.push_back(*accepted);
}

void incidents::clear_away() {
  for (tactor::cancellable& each : extra_)
    each.cancel();
  extra_.clear();
}

}  // namespace showcase
