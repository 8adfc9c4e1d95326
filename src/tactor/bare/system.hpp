// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/bare/cells_of_board.hpp"
#include "tactor/bare/features_check.hpp"
#include "tactor/bare/sleep.hpp"
#include "tactor/bare/system_parts.hpp"
#include "tactor/bare/system_size.hpp"
#include "tactor/base/assert.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/base/text_writer.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/actor/actor.hpp"  // IWYU pragma: keep (for its users)
#include "tactor/core/actor/actor_control.hpp"
#include "tactor/core/actor/behaviour.hpp"  // IWYU pragma: keep (for its users)
#include "tactor/core/actor/event_stream.hpp"
#include "tactor/core/actor/scheduling.hpp"
#include "tactor/core/actor/spawning.hpp"
#include "tactor/core/cell/ask_slot.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/dispatch/priority_coordinator.hpp"
#include "tactor/core/dispatch/single_thread_coordinator.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/scheduler/dump.hpp"
#include "tactor/core/scheduler/job/timer_record.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/system/actor_view.hpp"
#include "tactor/core/system/reporter.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/timing/timer_wheel.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <new>  // IWYU pragma: keep (placement new)
#include <optional>
#include <span>
#include <type_traits>

namespace tactor::inline v0::bare {

template <system_size Size>
class frame_reporter;

/// An actor system for a processor without an operating system: on the program's one thread, in
/// static memory. One per program, a global:
///
///     constinit bare::system<{.actors = 3, .envelopes = 16, .timers = 1}> sys;
///
///     int main() {
///       sys.start(board_clock);
///       if (const auto lamp = sys.try_spawn<led>("lamp")) lamp->tell(on{3});
///       sys.run();
///     }
///
/// All of it is in `.bss`: all-zero is a system that has not been started. A request that does not
/// fit is refused: `try_spawn` says `too_many_actors` or `no_memory`, `tell` says `full` and counts
/// a dead letter, scheduling says `capacity_exceeded`.
///
/// Context: the program's thread. An interrupt may `tell`, and nothing else: see `actor_ref`.
template <system_size Size>
class system : private spawning<system<Size>>,
               private scheduling<system<Size>>,
               private actor_control<system<Size>> {
  static_assert(internal::fits_blocks(Size),
                "the largest message, timer message, actor or arguments do not fit "
                "the largest block of envelope_pool");
  static_assert(Size.actors > 0 && std::has_single_bit(Size.wheel_slots),
                "a system has an actor, and its wheel a power of two of slots");
  static_assert(Size.priorities <= priority_coordinator::most_levels,
                "a system has at most 32 priorities");

public:
  constexpr system() noexcept = default;
  system(const system&) = delete;
  system& operator=(const system&) = delete;
  ~system() = default;

  /// Starts the system. `Size` limits the numbers of actors and timers, whatever `config` says.
  /// Panics if a setting is invalid, if it has a log or middleware that `Size` does not name, and
  /// if a system was started before. Requires: `clock` outlives the program.
  void start(const monotonic_clock& clock, const system_config& config) noexcept {
    TACTOR_ASSERT(Size.log || !config.log.sink.present(), panics::system_settings);
    TACTOR_ASSERT(Size.middleware ||
                      (config.middleware == nullptr && config.spawn_middleware.empty()),
                  panics::system_settings);
    const system_config sized = with_size(config);
    TACTOR_ASSERT(check(sized).has_value(), panics::system_settings);
    start_with(clock, sized);
  }
  /// Starts the system with the default settings. Panics if a system was started before. Requires:
  /// as above.
  void start(const monotonic_clock& clock) noexcept {
    static constexpr system_config defaults = with_size({});  // in flash, not on the stack
    start_with(clock, defaults);
  }

  // Running.

  /// Polls the timers and runs a limited number of turns: actors that keep each other busy do not
  /// delay the timers. Returns: whether there is more to do at once.
  bool poll() noexcept {
    (void)parts().poll(turns_per_poll);
    return parts().has_work();
  }
  /// For a program with a loop of its own: polls the timers and runs at most `budget` turns.
  /// Returns: when to call it again, in ticks of the timers' resolution: the current tick if there
  /// is more to do at once; nothing: not before a message arrives. Before it sleeps, the program
  /// masks interrupts and checks `ready`.
  std::optional<tick> run_once(std::size_t budget = turns_per_poll) noexcept {
    (void)parts().poll(budget);
    if (parts().has_work()) return parts().this_tick();
    return next_deadline();
  }
  /// Returns true if there is something to do now. Context: the program's thread; interrupts may be
  /// masked.
  [[nodiscard]] bool ready() noexcept { return parts().has_work(); }
  /// Calls `feed` before each turn of an actor and each sleep, so that a watchdog notices an actor
  /// that does not return. Null: no call. Context: the program's thread, after `start`.
  void set_watchdog(void (*feed)() noexcept) noexcept { parts().feed_watchdog = feed; }

  /// Returns when there is work again, in ticks of the timers' resolution; nothing: not before a
  /// message arrives.
  [[nodiscard]] std::optional<tick> next_deadline() noexcept { return parts().next_deadline(); }

  /// Runs until the system has stopped. When idle it calls `sleep(next_deadline)` with interrupts
  /// masked, which returns when an interrupt is pending, at the deadline, or earlier.
  template <class Sleep>
  void run(Sleep sleep) noexcept {
    while (!stopped()) {
      while (poll()) {
      }
      if (stopped()) return;
      sleep_with(sleep);
    }
  }
  /// Runs the system likewise, and calls `between()` before each turn of an actor and before each
  /// sleep. It returns whether to call it again at once; otherwise the system may sleep. For what
  /// is done outside of actors, such as `frame_reporter::write_some`.
  template <class Sleep, class Between>
  void run(Sleep sleep, Between between) noexcept {
    while (!stopped()) {
      bool again = true;
      while (again) {
        const bool wanted = between();
        again = parts().poll(1) > 0 || wanted || ready();
      }
      if (stopped()) return;
      sleep_with(sleep);
    }
  }
  /// Runs, and sleeps until the next interrupt: for a clock that interrupts, such as SysTick.
  void run() noexcept {
    run([](std::optional<tick>) { wait_for_interrupt(); });
  }

  /// Asks all actors to stop and accepts no new ones; `run` returns when all have ended.
  void begin_stop() noexcept { core().begin_stop(); }
  /// Returns true if all actors have ended.
  [[nodiscard]] bool stopped() noexcept {
    return core().now_in() == internal::system_core::phase::stopped;
  }

  // What any system does.

  using spawning<system>::try_spawn;
  using scheduling<system>::schedule_once;
  using scheduling<system>::schedule_at_fixed_rate;
  using scheduling<system>::schedule_with_fixed_delay;

  using actor_control<system>::stop;
  using actor_control<system>::drain;
  using actor_control<system>::suspend;
  using actor_control<system>::resume;
  using actor_control<system>::signal;
  /// The stream of events.
  [[nodiscard]] event_stream& events() noexcept { return core().events(); }
  [[nodiscard]] metrics_snapshot metrics() const noexcept {
    if constexpr (all_timers == 0) return core().metrics_without_timers();
    return core().metrics();
  }
  /// Writes the current state of the system as text or JSON, as systems of the host do: its actors,
  /// its figures, and its timers if `Size` has any. It waits for the sink, and needs some 500 bytes
  /// of stack. Context: the program's thread, also in a handler.
  void dump(dump_format format, text_sink& to) noexcept {
    internal::cells_of_board actors{core()};
    constexpr internal::dump_of_timers dump_timers =
        all_timers > 0 ? tactor::internal::write_dump : nullptr;
    internal::dump_system(core(), format, to, Size.actors, actors, metrics(), dump_timers);
  }
  /// Returns the number of live actors.
  [[nodiscard]] std::size_t live() const noexcept { return core().live(); }

private:
  friend class spawning<system>;
  friend class scheduling<system>;
  friend class actor_control<system>;
  friend class frame_reporter<Size>;
  static constexpr std::size_t all_timers = Size.timers + internal::runtime_timers_of(Size);
  /// A system without timers has the smallest wheel.
  static constexpr std::size_t wheel_slots = all_timers > 0 ? Size.wheel_slots : 2;

  static constexpr bool has_priorities = Size.priorities > 1;
  using parts_type = internal::system_parts<
      std::conditional_t<has_priorities, priority_coordinator, single_thread_coordinator>>;

  static constexpr std::size_t turns_per_poll = 32;

  // Out of line: what it needs of the stack is not in the frame of `main`.
  [[gnu::noinline]] void start_with(const monotonic_clock& clock,
                                    const system_config& sized) noexcept {
    TACTOR_ASSERT(parts_ == nullptr, panics::system_memory);
    tactor::internal::features_of_board = &named_features;
    parts_ = ::new (static_cast<void*>(bytes_))
        parts_type(sized, clock,
                   {.slots = slots_,
                    .slot_count = internal::cells_of(Size),
                    .asks = asks_,
                    .pages = pages_.bytes,
                    .blocks = &blocks,
                    .reporter_at = reporter_bytes_.data(),
                    .make_reporter = has_reports ? &internal::make_reporter : nullptr,
                    .warnings = make_warnings(),
                    .make_timers = all_timers > 0 ? &internal::make_timers : nullptr,
                    .records = {.records = records_,
                                .plans = plans_,
                                .reserved = internal::runtime_timers_of(Size),
                                .rooms = rooms_.data(),
                                .room_size = room_size},
                    .wheel = wheel_.view(),
                    .levels = levels_});
    TACTOR_ASSERT(parts_->core().usable(), panics::system_memory);
    parts_->core().constants.restarts_actors = Size.supervised > 0;
    if constexpr (has_priorities) parts_->core().constants.priorities = Size.priorities;
  }

  /// Memory that is not all-zero would move the whole system from `.bss` to `.data`.
  [[nodiscard]] std::span<scheduler_event> make_warnings() noexcept {
    if constexpr (Size.log) {
      auto* const first =
          ::new (static_cast<void*>(warning_bytes_.data())) scheduler_event[most_warnings];
      return {first, most_warnings};
    } else {
      return {};
    }
  }

  template <class Sleep>
  [[gnu::always_inline]] void sleep_with(Sleep& sleep) noexcept {
    const std::optional<tick> next = next_deadline();
    const std::uint64_t due = parts().reading_at(next);
    const port::sleep_section section;  // an interrupt after the check below ends the sleep
    if (!parts().must_wake(due)) sleep(next);
  }

  static constexpr system_config with_size(system_config config) noexcept {
    config.max_actors = Size.actors;
    config.scheduler.system_quota = Size.timers > 0 ? Size.timers : 1;
    config.scheduler.timing.wheel_slots = wheel_slots;
    config.scheduler.timing.overflow_capacity = Size.timers;
    return config;
  }

  [[nodiscard]] parts_type& parts() const noexcept {
    TACTOR_ASSERT(parts_ != nullptr, panics::system_not_started);
    return *parts_;
  }
  [[nodiscard]] internal::system_core& core() const noexcept { return parts().core(); }

  // For the mix-ins.
  template <class How>
    requires requires { typename How::actor_class; }
  using spawn_check = internal::features_check<Size, typename How::actor_class>;
  [[nodiscard]] std::uint64_t now_ns() const noexcept { return core().now_ns(); }
  [[nodiscard]] scheduler& timers() const noexcept { return core().timers(); }
  [[nodiscard]] static internal::cell* timer_owner() noexcept { return nullptr; }
  [[nodiscard]] std::expected<actor_ref<>, spawn_error>
  spawn_cell(const internal::spawn_request& wanted) const noexcept {
    return core().spawn(wanted, nullptr);
  }

  static constexpr std::size_t room_size = internal::room_of_timer(Size);
  static constexpr bool has_reports = Size.log || Size.reports;
  static constexpr std::size_t reporter_alignment =
      has_reports ? alignof(tactor::internal::reporter) : 1;
  static constexpr std::size_t most_warnings = Size.log ? 4 : 0;  // that wait for the log
  static constexpr std::size_t warning_alignment = Size.log ? alignof(scheduler_event) : 1;
  static constexpr tactor::internal::features named_features = internal::features_of(Size);
  static constexpr block_counts blocks = internal::blocks_of(Size);

  // In the order of their alignment. Those without elements take no memory.
  parts_type* parts_ = nullptr;  // in `bytes_`; null: not started
  [[no_unique_address]] internal::room_for<tactor::internal::timer_record, all_timers> records_{};
  static_timing_storage<wheel_slots, all_timers> wheel_;
  [[no_unique_address]] internal::room_for<priority_coordinator::level,
                                           has_priorities ? Size.priorities : 0> levels_{};
  alignas(parts_type) std::byte bytes_[sizeof(parts_type)] = {};
  alignas(8) [[no_unique_address]] internal::room_for<
      std::byte, all_timers * room_size> rooms_{};  // of their large messages
  alignas(tactor::internal::cell)
      std::byte slots_[internal::cells_of(Size) * sizeof(tactor::internal::cell)] = {};
  [[no_unique_address]] internal::room_for<internal::ask_slot, Size.asks> asks_{};
  [[no_unique_address]] internal::room_for<internal::timer_plan,
                                           std::min(Size.periodic, Size.timers)> plans_{};
  alignas(reporter_alignment) [[no_unique_address]] internal::room_for<
      std::byte, has_reports ? sizeof(tactor::internal::reporter) : 0> reporter_bytes_{};
  alignas(warning_alignment) [[no_unique_address]] internal::room_for<
      std::byte, most_warnings * sizeof(scheduler_event)> warning_bytes_{};
  internal::page_storage<internal::page_bytes(Size)> pages_{};
};

}  // namespace tactor::inline v0::bare
