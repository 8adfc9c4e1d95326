// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/timing/timer_entry.hpp"
#include "tactor/core/timing/timer_instant.hpp"
#include "tactor/core/timing/timing_config.hpp"
#include "tactor/core/timing/timing_wheel.hpp"
#include "tactor/host/timing_room.hpp"

#include "showcase/lateness.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace showcase {

/// What a timer of the showcase does when it fires.
enum class timer_kind : std::uint8_t {
  near,       // starts again after a short random delay
  edge,       // starts again one turn of the wheel ahead, a tick more or less
  far,        // starts again beyond the wheel
  heartbeat,  // periodic: its next run is one period after the last deadline, whenever that fired
  watchdog,   // put off by heartbeats, so it fires only if they stop
};
inline constexpr std::size_t kinds = 5;

struct kind_description {
  const char* name;
  const char* what;
  std::size_t count;
};

inline constexpr std::array<kind_description, kinds> descriptions{{
    {.name = "near", .what = "one-shots, 5 to 400 ms", .count = 160},
    {.name = "edge", .what = "one turn of the wheel, +/- 1 tick", .count = 48},
    {.name = "far", .what = "one-shots, 1.3 to 5 s", .count = 200},
    {.name = "heartbeat", .what = "periodic, every 20 to 500 ms", .count = 48},
    {.name = "watchdog", .what = "2 s, put off by each heartbeat", .count = 48},
}};

/// What happened so far.
struct figures {
  std::array<std::uint64_t, kinds> fired{};
  std::array<std::uint64_t, kinds> cancelled{};
  std::uint64_t early = 0;  // fired before the moment that was asked for
  std::uint64_t refused = 0;
  lateness late;  // beyond the deadline

  [[nodiscard]] std::uint64_t total_fired() const { return late.count(); }
};

/// One timer, and the exact moment it was asked for.
struct timer : tactor::timer_entry {
  timer_kind kind;
  std::uint64_t not_before_ns = 0;
  std::uint64_t period_ticks = 0;
};

/// A few hundred timers of all kinds on one timing wheel. It has no clock: whoever drives it says
/// what time it is.
class workload {
public:
  /// Requires: `check(config, clock, …)` holds for the clock that `start` comes from.
  workload(const tactor::timing_config& config, tactor::timer_instant start);

  /// Fires what is due at `now`.
  void look(tactor::timer_instant now);

  /// When to look next, on the time line of the clock, in nanoseconds; nothing if never.
  [[nodiscard]] std::optional<std::uint64_t> next_look_ns() const;

  [[nodiscard]] const tactor::timing_config& config() const { return config_; }
  [[nodiscard]] const tactor::timing_wheel& wheel() const { return wheel_; }
  [[nodiscard]] const figures& so_far() const { return figures_; }

private:
  void fire(timer& due, tactor::timer_instant now);
  void start(timer& idle, tactor::timer_instant now, tactor::duration delay);
  void start_period(timer& idle);
  void put_off_one_watchdog(tactor::timer_instant now);
  [[nodiscard]] std::chrono::nanoseconds delay_of(timer_kind kind);
  [[nodiscard]] std::chrono::nanoseconds between(std::chrono::nanoseconds least,
                                                 std::chrono::nanoseconds most);
  [[nodiscard]] std::uint64_t nanoseconds_at(tactor::tick tick) const;
  [[nodiscard]] std::span<timer> all_of(timer_kind kind);

  tactor::timing_config config_;
  tactor::host::timing_room room_;
  tactor::timing_wheel wheel_;
  std::vector<timer> timers_;  // in the order of their kinds; never grows, the wheel points here
  std::size_t next_watchdog_ = 0;
  std::minstd_rand random_{1};
  figures figures_;
};

}  // namespace showcase
