// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0 {

/// What a loop has counted so far. On a board these are words, which wrap: use differences.
struct loop_counts {
  std::uintptr_t handled = 0;
  std::uintptr_t turns = 0;
  std::uintptr_t yields = 0;
};

namespace internal {

/// The sums of a loop.
template <bool OfBoard = port::has_interrupts>
class counts_of_loop {
public:
  void add(const loop_counts& more) noexcept {
    all_.handled += more.handled;
    all_.turns += more.turns;
    all_.yields += more.yields;
  }
  [[nodiscard]] const loop_counts& get() const noexcept { return all_; }

private:
  loop_counts all_;
};
/// Those of a board's only loop. Null: nothing reads them, so nothing is counted.
[[nodiscard]] loop_counts* counts_of_board() noexcept;
/// Likewise of a board.
template <>
class counts_of_loop<true> {
public:
  counts_of_loop() noexcept {
    if (loop_counts* const all = counts_of_board()) *all = {};
  }
  static void add(const loop_counts& more) noexcept {
    loop_counts* const all = counts_of_board();
    if (all == nullptr) return;
    all->handled += more.handled;
    all->turns += more.turns;
    all->yields += more.yields;
  }
  [[nodiscard]] static loop_counts get() noexcept {
    const loop_counts* const all = counts_of_board();
    return all == nullptr ? loop_counts{} : *all;
  }
};

}  // namespace internal

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
    loop_counts these;
    ready_cell* next = nullptr;
    for (; these.turns < most && coordinator_.drain_ready_cycle({&next, 1}) == 1; ++these.turns) {
      const invoke_result result = runner_.run(*next);
      these.handled += result.messages;
      if (has_more(result)) ++these.yields;
      coordinator_.handle_invoke_result(*next, result);
    }
    counts_.add(these);
    return these.turns;
  }

  /// User messages that left their mailboxes in all turns.
  [[nodiscard]] std::uint64_t handled() const noexcept { return counts_.get().handled; }
  [[nodiscard]] std::uint64_t turns() const noexcept { return counts_.get().turns; }
  /// Turns that ended with more to do.
  [[nodiscard]] std::uint64_t yields() const noexcept { return counts_.get().yields; }
  /// What runs the turns.
  [[nodiscard]] Runner& runner() noexcept { return runner_; }
  /// All of them.
  [[nodiscard]] loop_counts counts() const noexcept { return counts_.get(); }

private:
  Coordinator& coordinator_;
  Runner& runner_;
  [[no_unique_address]] internal::counts_of_loop<> counts_;
};

}  // namespace tactor::inline v0
