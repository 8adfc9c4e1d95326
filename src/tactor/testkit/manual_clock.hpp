// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/intrusive_list.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::testkit {

namespace panics {
inline constexpr port::panic_code time_goes_back{
    .module = 6,
    .id = 1,
    .advice = "a manual clock was moved by a negative duration: time never goes back"};
inline constexpr port::panic_code time_ends{
    .module = 6,
    .id = 2,
    .advice = "a manual clock was moved past 2^64 ns (584 years): start it earlier"};
}  // namespace panics

/// An object with deadlines that a manual clock drives: a scheduler, a whole system, a test's own
/// wheel.
class clock_driven : public tactor::internal::intrusive_list_node<clock_driven> {
public:
  /// Returns: the time of the next poll that it needs; nothing: never. It is asked again after
  /// every poll.
  [[nodiscard]] virtual std::optional<timer_instant> next_poll() const noexcept = 0;
  /// Fires the timers that are due and runs until nothing is ready. Afterwards `next_poll` is in
  /// the future.
  virtual void poll() noexcept = 0;

protected:
  ~clock_driven() = default;
};

/// A clock that moves only when told to, in steps of a nanosecond. Clocks are independent: two
/// simulations in one process do not share time.
///
/// Moving costs O(deadlines passed), whatever the distance. Context: `now` from any thread, the
/// rest from the test's thread.
class manual_clock final : public monotonic_clock {
public:
  /// Makes a clock that shows `start_ns`, for tests of the far future.
  explicit manual_clock(std::uint64_t start_ns = 0) noexcept { now_ns_.add(start_ns); }

  [[nodiscard]] timer_instant now() const noexcept override {
    return {.ticks = now_ns_.value(), .resolution_ns = 1};
  }
  [[nodiscard]] clock_kind kind() const noexcept override { return clock_kind::deterministic; }

  /// Polls `driven` whenever this clock is moved. Requires: it is attached to no clock, and is
  /// detached before it is destroyed.
  void attach(clock_driven& driven) noexcept { driven_.push_back(driven); }
  /// Requires: `driven` is attached to this clock.
  void detach(clock_driven& driven) noexcept { driven_.erase(driven); }

  /// Moves from deadline to deadline. The clock shows exactly the deadline while everything
  /// attached is polled, so no run is missed and `now()` in a callback is the deadline of the
  /// callback. In the end the clock has moved by exactly `length`.
  void advance(duration length) noexcept;

  /// Moves the clock at once, like a pause, then polls everything once. This makes missed runs and
  /// late polls.
  void jump(duration length) noexcept;

  /// Moves to the nearest deadline and polls everything there. Returns: false, and nothing moves,
  /// if there is none.
  bool advance_to_next() noexcept;
  /// Returns: the nearest deadline of everything attached; nothing: there is none.
  [[nodiscard]] std::optional<std::uint64_t> next_deadline_ns() const noexcept;

private:
  [[nodiscard]] std::uint64_t after(duration length) const noexcept;
  void move_to(std::uint64_t then_ns) noexcept;
  void poll_all() noexcept;

  port::counter now_ns_;
  tactor::internal::intrusive_list<clock_driven> driven_;
};

}  // namespace tactor::inline v0::testkit
