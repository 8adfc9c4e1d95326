// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/scheduler/deadline_timer.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/scheduler_harness.hpp"

#include <array>
#include <cstddef>
#include <expected>
#include <optional>

namespace tactor::inline v0::testkit {

/// A `deadline_timer` for tests of code that polls one: time passes when the test says so. It uses
/// the scheduler of production, with ticks of 10 ms, on a manual clock. Context: one thread.
///
///     testkit::manual_deadline_timer<> deadlines;
///     connection subject{deadlines};
///     deadlines.advance(5s);
template <std::size_t Deadlines = 64>
class manual_deadline_timer final : public deadline_timer {
public:
  manual_deadline_timer() noexcept = default;
  manual_deadline_timer(const manual_deadline_timer&) = delete;
  manual_deadline_timer& operator=(const manual_deadline_timer&) = delete;
  ~manual_deadline_timer() { (void)harness_.timers().close(); }

  /// Lets time pass, from deadline to deadline. `poll_expired` then returns the deadlines that have
  /// passed.
  void advance(duration length) noexcept { harness_.clock().advance(length); }
  /// Returns: the clock, for tests that need more.
  [[nodiscard]] manual_clock& clock() noexcept { return harness_.clock(); }

  /// See `deadline_timer`.
  [[nodiscard]] std::expected<deadline_key, scheduler_error>
  insert(duration delay) noexcept override {
    return deadlines_.insert(delay);
  }
  /// See `deadline_timer`.
  [[nodiscard]] std::expected<bool, scheduler_error> rearm(deadline_key key,
                                                           duration delay) noexcept override {
    return deadlines_.rearm(key, delay);
  }
  /// See `deadline_timer`.
  bool cancel(deadline_key key) noexcept override { return deadlines_.cancel(key); }
  /// See `deadline_timer`.
  [[nodiscard]] std::optional<deadline_key> poll_expired() noexcept override {
    return deadlines_.poll_expired();
  }

private:
  // Cancelled timers are removed by the next poll: until then they need a place.
  scheduler_harness<16, 2 * Deadlines> harness_;
  std::array<scheduler_deadline_timer::slot, Deadlines> storage_{};
  scheduler_deadline_timer deadlines_{harness_.timers(), storage_};
};

}  // namespace tactor::inline v0::testkit
