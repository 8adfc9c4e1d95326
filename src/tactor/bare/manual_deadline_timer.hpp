// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/assert.hpp"
#include "tactor/base/duration.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/scheduler/deadline_timer.hpp"
#include "tactor/core/scheduler/job_queue.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_config.hpp"
#include "tactor/core/scheduler/scheduler_storage.hpp"
#include "tactor/core/timing/deadline.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <new>  // IWYU pragma: keep (placement new)
#include <optional>

namespace tactor::inline v0::bare {

namespace panics {
inline constexpr port::panic_code deadlines_not_started{
    .module = 7,
    .id = 4,
    .advice = "a manual_deadline_timer is used before its start, or was started twice"};
inline constexpr port::panic_code deadlines_go_back{
    .module = 7,
    .id = 5,
    .advice = "a manual_deadline_timer was advanced by a negative duration: time never goes back"};
}  // namespace panics

/// A `deadline_timer` for a loop without actors, on a processor that need not have a timer: time
/// passes when the loop says so. Below it is the scheduler of production, in static memory. A
/// global:
///
///     constinit bare::manual_deadline_timer<8> deadlines;
///
///     deadlines.start();
///     const auto lease = deadlines.insert(5s);
///     while (true) {
///       deadlines.advance(time_since_the_last_round());
///       while (const auto key = deadlines.poll_expired())
///         end_of(*key);
///     }
///
/// At most `Deadlines` are set at once; those at most `WheelSlots` ticks ahead are cheapest. All of
/// it is in `.bss`. Context: the program's thread; no interrupt.
template <std::size_t Deadlines, std::size_t WheelSlots = 16>
class manual_deadline_timer final : public deadline_timer {
  static_assert(Deadlines > 0 && std::has_single_bit(WheelSlots),
                "there is a deadline, and the wheel has a power of two of slots");

public:
  constexpr manual_deadline_timer() noexcept = default;
  manual_deadline_timer(const manual_deadline_timer&) = delete;
  manual_deadline_timer& operator=(const manual_deadline_timer&) = delete;
  ~manual_deadline_timer() = default;

  /// Starts at time 0, with ticks of this length: a deadline is exact to one tick. Panics if it was
  /// started before.
  void start(duration resolution = std::chrono::milliseconds{10}) noexcept {
    TACTOR_ASSERT(parts_ == nullptr, panics::deadlines_not_started);
    scheduler_config config;
    config.system_quota = places;
    config.timing.resolution = resolution;
    config.timing.wheel_slots = WheelSlots;
    config.timing.overflow_capacity = places;
    parts_ = ::new (static_cast<void*>(bytes_)) parts(config);
  }
  /// Lets time pass. What is reached is returned by `poll_expired`, in order, however many ticks
  /// have passed. Panics if `length` is negative.
  void advance(duration length) noexcept {
    TACTOR_ASSERT(length >= duration{}, panics::deadlines_go_back);
    started().clock.now_ns += static_cast<std::uint64_t>(length.nanoseconds());
    started().poll_now();
  }
  /// Returns how long it is until the next deadline, for a loop that sleeps; nothing: none is set.
  [[nodiscard]] std::optional<duration> time_left() noexcept {
    scheduler& timers = started().timers;
    const std::optional<tick> next = timers.next_deadline();
    if (!next) return std::nullopt;
    const std::uint64_t due = first_reading_of(*next, 1, timers.config().timing.resolution);
    const std::uint64_t now = started().clock.now_ns;
    return std::chrono::nanoseconds{due > now ? static_cast<std::int64_t>(due - now) : 0};
  }

  /// See `deadline_timer`.
  [[nodiscard]] std::expected<deadline_key, scheduler_error>
  insert(duration delay) noexcept override {
    return started().deadlines.insert(delay);
  }
  /// See `deadline_timer`.
  [[nodiscard]] std::expected<bool, scheduler_error> rearm(deadline_key key,
                                                           duration delay) noexcept override {
    return started().deadlines.rearm(key, delay);
  }
  /// See `deadline_timer`.
  bool cancel(deadline_key key) noexcept override { return started().deadlines.cancel(key); }
  /// See `deadline_timer`.
  [[nodiscard]] std::optional<deadline_key> poll_expired() noexcept override {
    return started().deadlines.poll_expired();
  }

private:
  /// Cancelled timers are removed by the next poll: until then they need a place.
  static constexpr std::size_t places = 2 * Deadlines;

  struct loop_clock final : monotonic_clock {
    [[nodiscard]] timer_instant now() const noexcept override {
      return {.ticks = now_ns, .resolution_ns = 1};
    }
    [[nodiscard]] clock_kind kind() const noexcept override { return clock_kind::deterministic; }
    std::uint64_t now_ns = 0;
  };
  /// Never destroyed.
  struct parts final : timer_poller {
    explicit parts(const scheduler_config& config) noexcept
        : timers(config, storage.parts(clock, callables, this)) {}
    void poll_now() noexcept override {
      while (timers.poll().again) {
      }
    }
    loop_clock clock;
    tactor::internal::job_queue callables;  // none: each deadline has a dispatcher
    static_scheduler_storage<WheelSlots, places, 1, 1> storage;
    scheduler timers;
    std::array<scheduler_deadline_timer::slot, Deadlines> slots{};
    scheduler_deadline_timer deadlines{timers, slots};
  };

  [[nodiscard]] parts& started() noexcept {
    TACTOR_ASSERT(parts_ != nullptr, panics::deadlines_not_started);
    return *parts_;
  }

  parts* parts_ = nullptr;  // in `bytes_`; null: not started
  alignas(parts) std::byte bytes_[sizeof(parts)] = {};
};

}  // namespace tactor::inline v0::bare
