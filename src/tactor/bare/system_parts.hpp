// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "tactor/bare/system_size.hpp"
#include "tactor/base/duration.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/cell/ask_slot.hpp"
#include "tactor/core/dispatch/priority_coordinator.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/dispatch/single_thread_coordinator.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/scheduler/job/timer_store.hpp"
#include "tactor/core/scheduler/job_queue.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/scheduler/scheduler_config.hpp"
#include "tactor/core/system/cooperative_loop.hpp"
#include "tactor/core/system/reporter.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/timing/timer_wheel.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

namespace tactor::inline v0::bare {

namespace panics {
inline constexpr port::panic_code system_settings{
    .module = 7, .id = 1, .advice = "a setting of a system is invalid: see check(config)"};
inline constexpr port::panic_code system_memory{
    .module = 7, .id = 2, .advice = "a program has one bare::system, started once"};
inline constexpr port::panic_code system_not_started{
    .module = 7, .id = 3, .advice = "a bare::system is used before its start"};
}  // namespace panics

namespace internal {

struct system_storage;

/// Makes the scheduler of the program, which is never destroyed. Requires: called once.
scheduler& make_timers(const scheduler_config& config, const monotonic_clock& clock,
                       const system_storage& storage, job_dispatcher& callables,
                       timer_poller& driver) noexcept;
/// Makes what reports on a system at `at`.
reporter& make_reporter(std::byte* at, const system_config& config, const monotonic_clock& clock,
                        scheduler* timers, std::span<scheduler_event> warnings) noexcept;

/// The memory of a system. All-zero at the start.
struct system_storage {
  std::byte* slots = nullptr;
  std::size_t slot_count = 0;
  std::span<ask_slot> asks;
  std::span<std::byte> pages;
  const block_counts* blocks = nullptr;
  std::byte* reporter_at = nullptr;
  decltype(&internal::make_reporter) make_reporter = nullptr;  // null: nothing is reported
  std::span<scheduler_event> warnings;
  decltype(&internal::make_timers) make_timers = nullptr;  // null: the program has no timers
  timer_store::storage records;
  timer_wheel::storage wheel;
  std::span<priority_coordinator::level> levels;  // one for each priority
};

/// Provides the memory to the runtime, once per program, cut into cells and blocks.
class static_memory {
public:
  explicit static_memory(const system_storage& storage) noexcept;

private:
  static_pages pages_;
};

/// The parts of a started system of any size. `Coordinator`: a `single_thread_coordinator`, or a
/// `priority_coordinator` if actors have priorities. Never destroyed.
template <class Coordinator>
class system_parts final : public timer_poller {
public:
  system_parts(const system_config& config, const monotonic_clock& clock,
               const system_storage& storage) noexcept;
  system_parts(const system_parts&) = delete;
  system_parts& operator=(const system_parts&) = delete;
  ~system_parts() = default;

  /// Polls the timers and runs at most `most` turns. Returns: how many.
  std::size_t poll(std::size_t most) noexcept;
  /// Returns true if `poll` has work now.
  [[nodiscard]] bool has_work() noexcept;
  /// Returns when `poll` has work again; nothing: not before a message arrives.
  [[nodiscard]] std::optional<tick> next_deadline() noexcept { return loop_.next_deadline(); }

  [[nodiscard]] tick this_tick() const noexcept;
  /// Returns the clock's reading at a deadline; the largest if there is none.
  [[nodiscard]] std::uint64_t reading_at(const std::optional<tick>& next) noexcept;
  /// Returns true if an interrupt has made an actor ready, or the clock has reached `due`, since
  /// `has_work` was false. Short: it is called with interrupts masked.
  [[nodiscard]] bool must_wake(std::uint64_t due) noexcept {
    return coordinator_.poll_wait_signal() == wait_signal::ready ||
           core_.clock().now().ticks >= due;
  }

  void poll_now() noexcept override {
    tactor::internal::program_features().scheduling->poll(*timers_);
  }

  /// The system.
  [[nodiscard]] system_core& core() noexcept { return core_; }

  /// Called before each turn; null: nothing is.
  void (*feed_watchdog)() noexcept = nullptr;

private:
  static_memory memory_;
  duration resolution_;  // of ticks
  job_queue callables_;
  Coordinator coordinator_;
  scheduler* timers_;  // null: the program has none. Made before the system: both at once would
                       // need more stack
  system_core core_;
  cooperative_loop<Coordinator> loop_;
};

extern template class system_parts<single_thread_coordinator>;
extern template class system_parts<priority_coordinator>;

}  // namespace internal
}  // namespace tactor::inline v0::bare
