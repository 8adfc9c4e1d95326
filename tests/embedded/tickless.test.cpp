// SPDX-License-Identifier: BSL-1.0

// The processor sleeps from deadline to deadline: for 10 s with timers of 17 and 50 ms, and with
// other interrupts that wake it early, it is woken by the alarm exactly once for each deadline, and
// no timer is late (EM-06). The counter wraps on the way (EM-12).
#include "tactor/bare.hpp"

#include "embedded/alarm_board.hpp"
#include "embedded/interrupt_board.hpp"
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>

namespace tactor {
namespace {

using embedded::alarm_board;
using embedded::shared_number;
using namespace std::chrono_literals;

struct expired {};

constinit bare::system<{.actors = 2, .envelopes = 4, .timers = 2, .arguments = 4}> sys;
constinit bare::counter_clock board_clock{[]() noexcept { return alarm_board::read(); },
                                          alarm_board::unit_ns, alarm_board::first_reading};
constexpr std::uint64_t units_per_tick = 1'000'000 / alarm_board::unit_ns;

shared_number alarms;
shared_number early;
std::uint64_t origin;
std::uint32_t late;
std::uint32_t handled;

/// Expects its message every `period` ticks, at exactly that tick.
class timed : public actor<expired> {
public:
  explicit timed(std::uint32_t period) : period_(period) {}
  std::expected<void, failure> pre_start(context& ctx) {
    const auto period = std::chrono::milliseconds{period_};
    if (origin == 0)
      origin = 1 + board_clock.now().ticks / units_per_tick;  // never early: the next tick
    due_ = origin + period_;
    if (ctx.schedule_at_fixed_rate(period, period, ctx.self(), expired{})) return {};
    return std::unexpected{failure{"no timer"}};
  }
  void receive(context&, expired) {
    ++handled;
    if (board_clock.now().ticks / units_per_tick != due_) ++late;
    due_ += period_;
  }

private:
  std::uint32_t period_;
  std::uint64_t due_ = 0;
};

}  // namespace
}  // namespace tactor

extern "C" {
void irq_0_handler() {
  embedded::increment(tactor::early);
}
#if !defined(__ARM_FEATURE_LDREX)
void sys_tick_handler() {
#elif defined(__ARM_FEATURE_CMSE)
void irq_4_handler() {
#else
void irq_9_handler() {
#endif
  embedded::alarm_board::on_alarm();
  embedded::increment(tactor::alarms);
}
}

namespace tactor {
namespace {

// spec: E3
TEST(tickless, the_processor_wakes_once_for_each_deadline_and_no_timer_is_late) {
  system_config config;
  config.scheduler.timing.resolution = 1ms;
  alarm_board::start();
  sys.start(board_clock, config);
  const auto ticks_now = [] { return board_clock.now().ticks / units_per_tick; };
  for (const std::uint64_t begun = ticks_now(); ticks_now() == begun;) {
  }  // a tick has just begun: both actors start in it
  ASSERT_TRUE(sys.try_spawn<timed>("", std::uint32_t{17}).has_value());
  ASSERT_TRUE(sys.try_spawn<timed>("", std::uint32_t{50}).has_value());
  embedded::enable_interrupt(0);
  std::uint32_t sleeps = 0;

  sys.run([&](std::optional<tick> next) {
    if (origin != 0 && (!next || next->count > origin + 10'000)) return sys.begin_stop();
    if (++sleeps % 5 == 0) return embedded::pend_interrupt(0);  // wakes it at once
    const std::uint64_t due = next->count * units_per_tick;
    const std::uint64_t now = board_clock.now().ticks;
    if (due <= now) return;
    alarm_board::set_alarm(static_cast<std::uint32_t>(due - now));
    bare::wait_for_interrupt();
  });

  // 588 + 200 - 11 deadlines. The M0 needs no sleep between a few that are one tick apart.
  EXPECT_LE(alarms, 777u);
  EXPECT_GE(alarms, alarm_board::restarts ? 770u : 777u);
  EXPECT_EQ(handled, 788u);
  EXPECT_EQ(late, 0u);
  EXPECT_GT(early, 150u);
  embedded::print("sleeps ", sleeps);
  embedded::print("woken early ", early);
}

}  // namespace
}  // namespace tactor
