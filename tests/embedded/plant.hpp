// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/supervision/failure.hpp"

#include "embedded/journal.hpp"

#include <chrono>
#include <cstdint>
#include <expected>
#include <utility>

/// A plant of three actors and its timers. It runs on a board and in a simulation on the host, with
/// the same output.
namespace plant {

using namespace std::chrono_literals;

using embedded::say;

struct take_sample {};
struct reading {
  std::uint32_t value;
};
struct level {
  std::uint32_t value;
};
struct too_long_on {};

/// On above a level; off below it, or after some time.
class lamp : public tactor::actor<level, too_long_on> {
public:
  void receive(context& ctx, level now) {
    if (now.value < 9) return turn_off("off");
    if (on_) return;
    on_ = true;
    say("lamp", "on", ++times_);
    if (auto timer = ctx.schedule_once(250ms, ctx.self(), too_long_on{}))
      timer_ = std::move(*timer);
  }
  void receive(context&, too_long_on) { turn_off("off by itself"); }
  void post_stop(context&) { say("lamp", "stops after", times_); }

private:
  void turn_off(const char* how) {
    if (!on_) return;
    on_ = false;
    say("lamp", how, times_);
    if (timer_.cancel()) say("lamp", "needs no timer", times_);
  }

  tactor::cancellable timer_;
  std::uint32_t times_ = 0;
  bool on_ = false;
};

/// The mean of the last three readings.
class filter : public tactor::actor<reading> {
public:
  explicit filter(const lamp::ref& to) : to_(to) {}
  void receive(context& ctx, const reading& r) {
    last_[count_++ % 3] = r.value;
    const std::uint32_t mean = (last_[0] + last_[1] + last_[2]) / 3;
    say("filter", ctx.sender() ? "hears" : "hears without a sender", r.value);
    say("filter", "mean", mean);
    to_.tell(level{mean});
  }
  void post_stop(context&) { say("filter", "stops after", count_); }

private:
  lamp::ref to_;
  std::uint32_t last_[3] = {};
  std::uint32_t count_ = 0;
};

/// Reads its input every 100 ms, and twice as often while it is high.
class sensor : public tactor::actor<take_sample> {
public:
  explicit sensor(const filter::ref& to) : to_(to) {}
  std::expected<void, tactor::failure> pre_start(context& ctx) {
    auto timer = ctx.schedule_at_fixed_rate(100ms, 100ms, ctx.self(), take_sample{});
    if (!timer) return std::unexpected{tactor::failure{"no timer"}};
    samples_ = *std::move(timer);
    return {};
  }
  void receive(context& ctx, take_sample) {
    constexpr std::uint8_t input[]{2, 9, 14, 17, 12, 3, 1, 0, 11, 16, 18, 15, 13, 12};
    const std::uint32_t value = input[taken_ % sizeof input];
    ++taken_;
    say("sensor", "reads", value);
    to_.tell(reading{value});
    if (value > 16 && ctx.batch().runs > 0)
      (void)ctx.schedule_once(50ms, ctx.self(), take_sample{});
    if (taken_ == sizeof input) ctx.stop();
  }
  void post_stop(context&) {
    (void)samples_.cancel();  // the stop does so, but not on a board without supervision
    say("sensor", "stops after", taken_);
  }

private:
  filter::ref to_;
  tactor::cancellable samples_;
  std::uint32_t taken_ = 0;
};

/// Spawns the three actors. Returns: whether all were spawned.
template <class System>
[[nodiscard]] bool spawn(System& system) {
  const auto l = system.template try_spawn<lamp>("lamp");
  if (!l) return false;
  const auto f = system.template try_spawn<filter>("filter", *l);
  if (!f) return false;
  f->tell(reading{6});  // before it has begun
  return system.template try_spawn<sensor>("sensor", *f).has_value();
}

/// The time until the plant is idle.
inline constexpr auto length = 2s;

}  // namespace plant
