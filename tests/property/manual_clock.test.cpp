// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/manual_clock.hpp"

#include "tactor/base/duration.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/timing/deadline.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/timing/timer_entry.hpp"
#include "tactor/core/timing/timer_wheel.hpp"

#include "property.hpp"  // IWYU pragma: keep
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <optional>
#include <ostream>
#include <tuple>
#include <utility>
#include <vector>

namespace tactor::property {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t tick_ns = 1'000'000;
constexpr std::size_t timer_count = 8;

// Which timer fired, and the time of the clock then.
using note = std::pair<std::size_t, std::uint64_t>;

// A wheel on a manual clock; a timer with a period schedules itself again when it fires.
class wheel_on_clock final : public testkit::clock_driven {
public:
  explicit wheel_on_clock(testkit::manual_clock& clock)
      : clock_(clock), wheel_(storage_.view(), tick_at(clock.now(), 1ms), {.resolution = 1ms}) {
    clock_.attach(*this);
  }
  ~wheel_on_clock() { clock_.detach(*this); }
  wheel_on_clock(const wheel_on_clock&) = delete;
  wheel_on_clock& operator=(const wheel_on_clock&) = delete;

  bool schedule(std::size_t timer, duration delay, std::uint64_t period_ticks) {
    if (timers_[timer].scheduled()) return false;
    periods_[timer] = period_ticks;
    const auto deadline = deadline_after(clock_.now(), delay, 1ms);
    return deadline && wheel_.insert(timers_[timer], *deadline).has_value();
  }
  bool cancel(std::size_t timer) { return wheel_.cancel(timers_[timer]); }

  [[nodiscard]] std::optional<timer_instant> next_poll() const noexcept override {
    const auto next = wheel_.next_deadline();
    if (!next) return std::nullopt;
    return timer_instant{.ticks = next->count, .resolution_ns = tick_ns};
  }
  void poll() noexcept override {
    ++polls;
    while (timer_entry* due = wheel_.pop_due(tick_at(clock_.now(), 1ms))) {
      const auto timer = static_cast<std::size_t>(due - timers_.data());
      notes.emplace_back(timer, clock_.now().ticks);
      if (periods_[timer] == 0) continue;
      if (!wheel_.insert(*due, later_by(due->deadline(), periods_[timer]))) std::abort();
    }
  }

  std::vector<note> notes;
  std::size_t polls = 0;

private:
  testkit::manual_clock& clock_;
  static_timing_storage<8, timer_count> storage_;  // below the timers
  std::array<timer_entry, timer_count> timers_{};
  std::array<std::uint64_t, timer_count> periods_{};
  timer_wheel wheel_;
};

// A naive model: deadlines in nanoseconds, and two ways for time to pass.
class clock_model {
public:
  explicit clock_model(std::uint64_t start_ns) : now_ns(start_ns), position_(start_ns / tick_ns) {}

  bool schedule(std::size_t timer, std::uint64_t delay_ns, std::uint64_t period_ticks) {
    if (find(timer) != timers_.end()) return false;
    periods_[timer] = period_ticks;
    timers_.insert({std::max((now_ns + delay_ns + tick_ns - 1) / tick_ns, position_ + 1), timer});
    return true;
  }
  bool cancel(std::size_t timer) {
    const auto found = find(timer);
    if (found == timers_.end()) return false;
    timers_.erase(found);
    return true;
  }

  // Fires each timer at its own time.
  void advance(std::uint64_t length) {
    const std::uint64_t end = now_ns + length;
    while (!timers_.empty() && timers_.begin()->first * tick_ns <= end) {
      now_ns = std::max(now_ns, timers_.begin()->first * tick_ns);
      poll();
    }
    now_ns = end;
  }
  // Fires all timers at the end.
  void jump(std::uint64_t length) {
    now_ns += length;
    poll();
  }
  bool advance_to_next() {
    if (timers_.empty()) return false;
    now_ns = std::max(now_ns, timers_.begin()->first * tick_ns);
    poll();
    return true;
  }

  std::uint64_t now_ns;
  std::vector<note> notes;
  std::size_t polls = 0;

private:
  std::multimap<std::uint64_t, std::size_t>::iterator find(std::size_t timer) {
    return std::ranges::find_if(timers_,
                                [timer](const auto& each) { return each.second == timer; });
  }
  void poll() {
    ++polls;
    while (!timers_.empty() && timers_.begin()->first <= now_ns / tick_ns) {
      const auto [deadline, timer] = *timers_.begin();
      timers_.erase(timers_.begin());
      notes.emplace_back(timer, now_ns);
      position_ = std::max(position_, deadline);
      if (periods_[timer] != 0) timers_.insert({deadline + periods_[timer], timer});
    }
    position_ = std::max(position_, now_ns / tick_ns);
  }

  std::uint64_t position_;
  std::multimap<std::uint64_t, std::size_t> timers_;
  std::array<std::uint64_t, timer_count> periods_{};
};

struct clock_step {
  unsigned what;
  std::size_t timer;
  std::uint64_t length_ns;
  std::uint64_t period_ticks;
};

// NOLINTNEXTLINE(readability-identifier-naming): RapidCheck calls it
[[maybe_unused]] void showValue(const clock_step& each, std::ostream& out) {
  constexpr const char* names[] = {"schedule", "cancel", "advance", "jump", "advance_to_next"};
  out << names[each.what] << " timer " << each.timer << ' ' << each.length_ns << " ns, period "
      << each.period_ticks;
}

std::vector<clock_step> any_history() {
  const auto length =
      rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(1, 20 * tick_ns),
                     rc::gen::element<std::uint64_t>(1, tick_ns - 1, tick_ns, tick_ns + 1,
                                                     8 * tick_ns, 9 * tick_ns, 50 * tick_ns));
  const auto any_step = rc::gen::map(
      rc::gen::tuple(rc::gen::element(0u, 0u, 0u, 1u, 2u, 2u, 3u, 4u),
                     rc::gen::inRange(std::size_t{0}, timer_count), length,
                     rc::gen::element<std::uint64_t>(0, 0, 1, 3, 8, 20)),
      [](const std::tuple<unsigned, std::size_t, std::uint64_t, std::uint64_t>& chosen) {
        const auto [what, timer, length_ns, period] = chosen;
        return clock_step{
            .what = what, .timer = timer, .length_ns = length_ns, .period_ticks = period};
      });
  return *rc::gen::container<std::vector<clock_step>>(any_step);
}

// spec: K1 T3 T4 T5
RC_GTEST_PROP(manual_clock_property, advance_and_jump_fire_each_timer_when_the_model_does, ()) {
  const auto start_ns = *rc::gen::element<std::uint64_t>(
      0, 999'999, (1ull << 32) * tick_ns - 3 * tick_ns, (1ull << 63) - 200'000'000);
  testkit::manual_clock clock{start_ns};
  wheel_on_clock subject{clock};
  clock_model model{start_ns};

  for (const clock_step& step : any_history()) {
    const duration length = std::chrono::nanoseconds{step.length_ns};
    switch (step.what) {
    case 0:
      RC_ASSERT(subject.schedule(step.timer, length, step.period_ticks) ==
                model.schedule(step.timer, step.length_ns, step.period_ticks));
      break;
    case 1:
      RC_ASSERT(subject.cancel(step.timer) == model.cancel(step.timer));
      break;
    case 2:
      clock.advance(length);
      model.advance(step.length_ns);
      break;
    case 3:
      clock.jump(length);
      model.jump(step.length_ns);
      break;
    default:
      RC_ASSERT(clock.advance_to_next() == model.advance_to_next());
    }
    RC_ASSERT(clock.now().ticks == model.now_ns);
    RC_ASSERT(subject.polls == model.polls);
    RC_ASSERT(subject.notes == model.notes);
  }
}

// Two parts of an advance are equal to the whole, wherever it is cut.
// spec: K1
RC_GTEST_PROP(manual_clock_property, advancing_in_two_parts_is_advancing_once, ()) {
  const auto total = *rc::gen::inRange<std::uint64_t>(1, 100 * tick_ns);
  const auto part = *rc::gen::inRange<std::uint64_t>(0, total + 1);
  const auto delays = *rc::gen::container<std::vector<std::uint64_t>>(
      timer_count, rc::gen::inRange<std::uint64_t>(1, 40 * tick_ns));
  const auto period = *rc::gen::inRange<std::uint64_t>(0, 12);

  const auto run = [&](std::initializer_list<std::uint64_t> parts) {
    testkit::manual_clock clock;
    wheel_on_clock subject{clock};
    for (std::size_t timer = 0; timer < timer_count; ++timer)
      RC_ASSERT(subject.schedule(timer, std::chrono::nanoseconds{delays[timer]}, period));
    for (const std::uint64_t length : parts)
      clock.advance(std::chrono::nanoseconds{length});
    RC_ASSERT(clock.now().ticks == total);
    return subject.notes;
  };

  RC_ASSERT(run({part, total - part}) == run({total}));
}

}  // namespace
}  // namespace tactor::property
