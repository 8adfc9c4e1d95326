// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/intrusive_list.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/timing/timer_instant.hpp"
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

/// Something with deadlines that a manual clock drives: a scheduler, a whole system, a test's own
/// wheel.
class clock_driven : public tactor::internal::intrusive_list_node<clock_driven> {
public:
  /// When it wants to look next; nothing if never. Asked again after every look.
  [[nodiscard]] virtual std::optional<timer_instant> next_poll() const noexcept = 0;
  /// Fires what is due by the clock and runs until nothing is ready. Afterwards `next_poll` lies in
  /// the future.
  virtual void poll() noexcept = 0;

protected:
  ~clock_driven() = default;
};

/// A clock that moves only when it is told to, in steps of a nanosecond. Each is its own: two
/// simulations in one process do not share time.
///
/// Moving costs O(deadlines passed), however long the way. Context: `now` any thread, the rest the
/// test's own.
class manual_clock final : public monotonic_clock {
public:
  /// A clock that stands at `start_ns`; tests of far futures begin there.
  explicit manual_clock(std::uint64_t start_ns = 0) noexcept { now_ns_.add(start_ns); }

  [[nodiscard]] timer_instant now() const noexcept override {
    return {.ticks = now_ns_.value(), .resolution_ns = 1};
  }
  [[nodiscard]] clock_kind kind() const noexcept override { return clock_kind::deterministic; }

  /// Lets `driven` look whenever this clock is moved. Requires: it is attached to no clock, and
  /// detached before it dies.
  void attach(clock_driven& driven) noexcept { driven_.push_back(driven); }
  /// Requires: `driven` is attached to this clock.
  void detach(clock_driven& driven) noexcept { driven_.erase(driven); }

  /// Goes from deadline to deadline: at each the clock stands exactly there while everything
  /// attached looks, so no run is missed and `now()` in a callback is its own deadline. In the end
  /// the clock has moved by exactly `length`.
  void advance(duration length) noexcept;

  /// A pause: moves the clock first, then lets everything look once. This is how a test makes
  /// missed runs and late looks.
  void jump(duration length) noexcept;

  /// Goes to the nearest deadline and lets everything look there. Returns: false, and nothing
  /// moves, if there is none.
  bool advance_to_next() noexcept;

private:
  [[nodiscard]] std::optional<std::uint64_t> nearest_ns() const noexcept;
  [[nodiscard]] std::uint64_t after(duration length) const noexcept;
  void move_to(std::uint64_t then_ns) noexcept;
  void let_all_look() noexcept;

  port::counter now_ns_;
  tactor::internal::intrusive_list<clock_driven> driven_;
};

}  // namespace tactor::inline v0::testkit
