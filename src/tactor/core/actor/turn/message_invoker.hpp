// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/cell/actor_type.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/message/envelope.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

struct step_result;
struct task_step;

/// Runs cells: system messages and requests first, then messages of users, one at a time. It
/// returns the result of a turn; the executor acts on it.
///
/// The only code that calls message handlers. Context: a thread of the system, with cells that were
/// drained from its coordinator.
class message_invoker {
public:
  /// Requires: `services` outlives it.
  explicit message_invoker(system_services& services) noexcept : services_(services) {}

  /// Runs one turn of `c`, within the system's limits.
  invoke_result invoke(cell& c) noexcept { return invoke(this_thread(), c); }
  /// `here` is the record of the calling thread.
  invoke_result invoke(thread_record& here, cell& c) noexcept;
  /// Like `invoke`, and measures the first handler. Requires: this thread measures times.
  invoke_result invoke_measured(thread_record& here, cell& c) noexcept;
  /// Like `invoke`, and records what is handled and sent. Requires: a trace runs on this thread.
  invoke_result invoke_traced(thread_record& here, cell& c) noexcept;
  /// What failed last in a turn that this thread ran, and the strategy's back-off.
  [[nodiscard]] static const turn_failure& last_failure() noexcept {
    return this_thread().failures.get().failed;
  }

private:
  [[gnu::always_inline]] inline invoke_result invoke_on_board(thread_record& here,
                                                              cell& c) noexcept;
  /// Returns: false if `finish_single_slow` is to do the rest; otherwise the actor is idle, and the message is freed.
  [[gnu::always_inline]] static inline bool try_finish_single(thread_record& here, cell& c,
                                                              envelope& e) noexcept;
  invoke_result finish_single(thread_record& here, cell& c, envelope& e) noexcept;
  [[gnu::noinline]] invoke_result after_single(thread_record& here, cell& c,
                                               call_result said) noexcept;
  [[gnu::noinline]] invoke_result finish_single_slow(thread_record& here, cell& c,
                                                     envelope& e) noexcept;
  /// Continues a turn in which `handled` messages were handled; `failed`: the last one failed.
  [[gnu::noinline]] invoke_result continue_turn(thread_record& here, cell& c, std::uint32_t handled,
                                                bool failed) noexcept;
  /// The turn of an actor for which `only_awaits` holds, with a notice.
  [[gnu::noinline]] invoke_result run_awaited(thread_record& here, cell& c) noexcept;
  [[gnu::noinline]] invoke_result after_awaited(thread_record& here, cell& c,
                                                const task_step& went) noexcept;
  [[gnu::noinline]] invoke_result start_or_run_turn(thread_record& here, cell& c,
                                                    std::uint32_t handled, bool failed) noexcept;
  static invoke_result result_of(const step_result& last, bool failed,
                                 std::uint32_t handled) noexcept;
  static invoke_result finish_turn(thread_record& here, invoke_result result) noexcept;
  /// The turn in which the actor starts.
  [[gnu::noinline]] invoke_result run_first(thread_record& here, cell& c) noexcept;
  [[gnu::noinline]] invoke_result run_turn(thread_record& here, cell& c, std::uint32_t handled,
                                           bool failed) noexcept;
  [[gnu::noinline]] invoke_result take_single_answer(thread_record& here, cell& c,
                                                     envelope& e) noexcept;
  [[gnu::noinline]] invoke_result after_handler(thread_record& here, cell& c,
                                                call_result said) noexcept;
  [[nodiscard]] std::uint64_t end_of_turn(duration length) noexcept;

  system_services& services_;
};

}  // namespace tactor::inline v0::internal
