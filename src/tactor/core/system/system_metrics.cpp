// SPDX-License-Identifier: BSL-1.0
// What a system counts.
#include "tactor/base/lock_guard.hpp"
#include "tactor/core/actor/delivery/interrupt_delivery.hpp"
#include "tactor/core/actor/runtime/runtime_memory.hpp"
#include "tactor/core/dispatch/worker_executor.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/system/system_core.hpp"

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0 {

namespace internal {
namespace {

// What the loop of a board's system has counted, and what of it is in the metrics.
constinit loop_counts counted;
constinit loop_counts counted_before;

// A program that reads metrics wants those of timers, too.
[[gnu::used]] void (*const metrics_need_timer_reports)() noexcept = link_timer_reports;
[[gnu::used]] void (*const metrics_need_dead_letters)() noexcept = link_dead_letters;

/// Adds what was counted outside of the system's threads.
void add_outside(metrics_snapshot& all, const system_gate& gate) noexcept {
  all.messages_sent += gate.sent();
  if constexpr (port::has_interrupts)
    for (std::size_t why = 0; why < drop_reasons; ++why)
      all.dead_letters[why] += refused_in_interrupts(static_cast<drop_reason>(why));
}

}  // namespace

worker_counters* system_core::board_counters() noexcept {
  return port::has_interrupts && hub_->level() != metrics_level::off ? &*foreign_ : nullptr;
}

void system_core::start_metrics(const system_config& config) noexcept {
  foreign_.make();
  counted_before = {};  // the loop of a new system
  hub_.make(config.metrics.level, memory_of(ended_counts_));
  hub_->attach(*foreign_);
}

void system_core::count_started() noexcept {
  count([](worker_counters& block) { block.actors_started.add(1); });
}

void system_core::count_loop(std::uint32_t sent, std::int32_t unhandled) noexcept {
  const std::uintptr_t handled = counted.handled - counted_before.handled;
  foreign_->messages_handled.add(handled -
                                 static_cast<std::uint64_t>(static_cast<std::int64_t>(unhandled)));
  foreign_->turns.add(counted.turns - counted_before.turns);
  foreign_->yields.add(counted.yields - counted_before.yields);
  foreign_->messages_sent.add(sent);
  counted_before = counted;
}

metrics_snapshot system_core::metrics() const noexcept {
  timers_.check_for_stall();
  if (hub_->level() == metrics_level::off) return {};
  metrics_snapshot all = hub_->scrape();
  if (gate_ != nullptr) add_outside(all, *gate_);
  const ready_queue_usage pool = coordinator_.usage();
  const ready_queue_usage others =
      others_.get() == nullptr ? ready_queue_usage{} : others_.get()->usage();
  all.ready_queue_depth = pool.cells + others.cells;
  all.coordinator_bytes = pool.bytes + others.bytes;
  all.workers = pool.workers;
  all.workers_draining = pool.draining;
  all.registry_bytes = std::uint64_t{program_memory.cells.made()} * board_slots.size();
  all.timers = timers_.metrics();
  return all;
}

void system_core::set_metrics_level(metrics_level level) noexcept {
  const lock_guard guard{foreign_lock_};
  const bool counted = hub_->level() != metrics_level::off;
  hub_->set_level(level);
  const bool counts = level != metrics_level::off;
  // The gate counts at every level, and what it counts at `off` is left out of the sum.
  if (gate_ == nullptr || counted == counts) return;
  foreign_->messages_sent.add(counts ? 0 - gate_->sent() : gate_->sent());
}

}  // namespace internal

loop_counts* internal::counts_of_board() noexcept {
  return port::has_interrupts ? &internal::counted : nullptr;
}

}  // namespace tactor::inline v0
