// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/assert.hpp"
#include "tactor/base/tick.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/dispatch/worker_executor.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/observe/worker_counters.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/system/system_core.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tactor::inline v0::panics {
inline constexpr port::panic_code loop_within_loop{
    .module = 5,
    .id = 1,
    .advice = "a handler ran its system or waited for an answer: return from the handler "
              "instead, and receive the answer as a message"};
}  // namespace tactor::inline v0::panics

namespace tactor::inline v0::internal {

/// Runs a system on the caller's thread, in the caller's own loop: of a game, of an event loop, of
/// a board.
///
///     while (!done) {
///       loop.poll();
///       wait_until(loop.next_deadline());   // or for an event of the program
///     }
///
/// Context: one thread at a time; no other thread runs the system.
template <class Coordinator>
class cooperative_loop {
public:
  /// Requires: both outlive it.
  cooperative_loop(system_core& system, Coordinator& coordinator) noexcept
      : executor_(coordinator, system) {}
  ~cooperative_loop() = default;
  cooperative_loop(const cooperative_loop&) = delete;
  cooperative_loop& operator=(const cooperative_loop&) = delete;

  /// One turn of one actor. Returns: false if none is ready.
  bool run_one() noexcept {
    const inside guard{*this};
    return run(1) == 1;
  }
  /// Runs turns until nothing is ready, or `most` of them. Returns: how many.
  std::size_t run_ready(std::size_t most = static_cast<std::size_t>(-1)) noexcept {
    const inside guard{*this};
    return run(most);
  }
  /// Polls the timers, then runs at most `most` turns. Returns: how many. Always in the frame of
  /// its caller, since its own would stay on a board's stack while turns run.
  [[gnu::always_inline]] std::size_t
  poll(std::size_t most = static_cast<std::size_t>(-1)) noexcept {
    const inside guard{*this};
    if (const scheduler_functions* const timers = program_features().scheduling)
      timers->poll(system().timers());
    const std::size_t turns = run(most);
    this_thread().sender = {};
    system().flush_log();
    return turns;
  }
  /// Tells when `poll` has work again; nothing: not before a message arrives.
  [[nodiscard]] std::optional<tick> next_deadline() noexcept {
    const scheduler_functions* const timers = program_features().scheduling;
    return timers == nullptr ? std::nullopt : timers->next_deadline(system().timers());
  }

  /// User messages that left mailboxes.
  [[nodiscard]] std::uint64_t handled() const noexcept { return executor_.handled(); }
  [[nodiscard]] std::uint64_t turns() const noexcept { return executor_.turns(); }

private:
  [[nodiscard]] system_core& system() noexcept { return executor_.runner(); }

  /// Runs turns. Warnings are reported first and from time to time: they do not wait until nothing
  /// is ready.
  std::size_t run(std::size_t most) noexcept {
    constexpr std::size_t few = 16;
    std::size_t turns = 0;
    std::size_t some = 1;
    while (some > 0 && turns < most) {
      this_thread().sender = {};  // no actor runs: what a listener sends is not its message
      system().report_timer_warnings();
      some = executor_.run(most - turns < few ? most - turns : few);
      turns += some;
    }
    return turns;
  }

  /// Makes the thread the system's while it runs.
  class inside {
  public:
    explicit inside(cooperative_loop& loop) noexcept
        : loop_(loop), before_(loop.executor_.counts()) {
      TACTOR_ASSERT(this_thread().services == nullptr, panics::loop_within_loop);
      this_thread().services = &loop.system();
      this_thread().counters = loop.system().counters_of_caller();
      begin_counting_sends(this_thread());
      // relaxed: of the same thread
      this_thread().trace.recorder = loop.system().outside_trace.load(relaxed);
    }
    ~inside() {
      const std::int32_t unhandled = take_unhandled(this_thread());
      const std::uint32_t sent = take_sends(this_thread());
      if (worker_counters* const all = this_thread().counters) {
        const loop_counts& now = loop_.executor_.counts();
        const std::uintptr_t handled = now.handled - before_.handled;
        all->messages_handled.add(handled - static_cast<std::uint64_t>(std::int64_t{unhandled}));
        all->turns.add(now.turns - before_.turns);
        all->yields.add(now.yields - before_.yields);
        all->messages_sent.add(sent);
      }
      this_thread().trace.recorder = nullptr;
      end_counting_sends(this_thread());
      this_thread().sender = {};
      this_thread().services = nullptr;
      this_thread().counters = nullptr;
    }
    inside(const inside&) = delete;
    inside& operator=(const inside&) = delete;

  private:
    cooperative_loop& loop_;
    const loop_counts before_;
  };

  worker_executor<Coordinator, system_core> executor_;
};

}  // namespace tactor::inline v0::internal
