// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0 {

/// Sums of a loop. They are words, which wrap where words are short: use differences.
struct loop_counts {
  std::uintptr_t handled = 0;  // user messages that left their mailboxes
  std::uintptr_t turns = 0;
  std::uintptr_t yields = 0;  // turns that ended with more to do
};

/// The loop of a worker: drain the coordinator, run a turn of each cell, report the result. Its
/// driver decides how to wait in between.
///
/// `Coordinator` is a `ready_queue_coordinator`; `Runner` has `run(ready_cell&)`, which runs one
/// turn of a cell. Template parameters instead of virtual calls: they are called once per turn.
/// Context: one thread.
template <class Coordinator, class Runner>
class worker_executor {
public:
  /// Requires: both outlive it.
  worker_executor(Coordinator& coordinator, Runner& runner) noexcept
      : coordinator_(coordinator), runner_(runner) {}

  /// One turn of one cell. Returns: false if none is ready.
  bool run_one() noexcept { return run(1) == 1; }

  /// Runs turns until nothing is ready, or `most` turns have run. Returns: how many.
  std::size_t run(std::size_t most) noexcept {
    std::size_t turns = 0;
    ready_cell* next = nullptr;
    for (; turns < most && coordinator_.drain_ready_cycle({&next, 1}) == 1; ++turns) {
      const invoke_result result = runner_.run(*next);
      counts_.handled += result.messages;
      if (has_more(result)) ++counts_.yields;
      coordinator_.handle_invoke_result(*next, result);
    }
    counts_.turns += turns;
    return turns;
  }

  /// User messages that left their mailboxes in all turns.
  [[nodiscard]] std::uint64_t handled() const noexcept { return counts_.handled; }
  [[nodiscard]] std::uint64_t turns() const noexcept { return counts_.turns; }
  /// Turns that ended with more to do.
  [[nodiscard]] std::uint64_t yields() const noexcept { return counts_.yields; }
  /// The object that runs the turns.
  [[nodiscard]] Runner& runner() noexcept { return runner_; }
  /// All counts so far.
  [[nodiscard]] const loop_counts& counts() const noexcept { return counts_; }

private:
  Coordinator& coordinator_;
  Runner& runner_;
  loop_counts counts_;
};

}  // namespace tactor::inline v0
