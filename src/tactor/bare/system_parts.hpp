// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/bare/callable_queue.hpp"
#include "tactor/bare/system_size.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/dispatch/single_thread_coordinator.hpp"
#include "tactor/core/message/page_source.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/system/cooperative_loop.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace tactor::inline v0::bare {

namespace panics {
inline constexpr port::panic_code system_settings{
    .module = 7,
    .id = 1,
    .advice = "a system was given settings that cannot work: see check(config)"};
inline constexpr port::panic_code system_memory{
    .module = 7,
    .id = 2,
    .advice = "there is one bare::system in a program, and it is started once"};
inline constexpr port::panic_code system_not_started{
    .module = 7, .id = 3, .advice = "a bare::system is used before its start"};
}  // namespace panics

namespace internal {

/// The memory a system lives in. All zero at the start.
struct system_storage {
  std::span<cell> cells;
  std::span<std::byte> pages;
  block_counts blocks;
};

/// Hands a room to the runtime, once in a program, and cuts all of it into cells and blocks.
class static_memory {
public:
  explicit static_memory(const system_storage& room) noexcept;

private:
  static_pages pages_;
};

/// What a started system is made of, whatever its size. Built in this order, and never ended.
class system_parts final : public timer_poller {
public:
  /// `timers` makes the scheduler's parts: `timers(clock, dispatcher, driver)`.
  template <class TimerRoom>
  system_parts(const system_config& config, const monotonic_clock& clock,
               const system_storage& room, TimerRoom& timer_storage) noexcept
      : memory_(room),
        timers_(config.scheduler, timer_storage.parts(clock, callables_, this)),
        core_(config, {.clock = clock, .timers = timers_, .coordinator = coordinator_}),
        loop_(core_, coordinator_) {}
  system_parts(const system_parts&) = delete;
  system_parts& operator=(const system_parts&) = delete;
  ~system_parts() = default;

  /// Looks at the clock and runs at most `most` turns of what is ready. Returns: how many.
  std::size_t poll(std::size_t most) noexcept;
  /// Whether `poll` has something to do now. `next` is what `next_deadline` said.
  [[nodiscard]] bool has_work(std::optional<tick> next) noexcept;
  /// When `poll` has something to do again; nothing: not before a message comes.
  [[nodiscard]] std::optional<tick> next_deadline() noexcept { return loop_.next_deadline(); }

  void poll_now() noexcept override { (void)timers_.poll(); }

  /// The system itself.
  [[nodiscard]] system_core& core() noexcept { return core_; }

private:
  static_memory memory_;
  callable_queue callables_;
  single_thread_coordinator coordinator_;
  scheduler timers_;
  system_core core_;
  cooperative_loop<single_thread_coordinator> loop_;
};

}  // namespace internal
}  // namespace tactor::inline v0::bare
