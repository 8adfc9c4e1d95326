// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0 {

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
    std::uint64_t handled = 0;
    ready_cell* next = nullptr;
    for (; turns < most && coordinator_.drain_ready_cycle({&next, 1}) == 1; ++turns) {
      const invoke_result result = runner_.run(*next);
      handled += result.messages;
      if (has_more(result)) ++yields_;
      coordinator_.handle_invoke_result(*next, result);
    }
    handled_ += handled;
    turns_ += turns;
    return turns;
  }

  /// User messages that left their mailboxes in all turns.
  [[nodiscard]] std::uint64_t handled() const noexcept { return handled_; }
  [[nodiscard]] std::uint64_t turns() const noexcept { return turns_; }
  /// Turns that ended with more to do.
  [[nodiscard]] std::uint64_t yields() const noexcept { return yields_; }

private:
  Coordinator& coordinator_;
  Runner& runner_;
  std::uint64_t handled_ = 0;
  std::uint64_t turns_ = 0;
  std::uint64_t yields_ = 0;
};

}  // namespace tactor::inline v0
