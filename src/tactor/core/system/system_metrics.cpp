// SPDX-License-Identifier: BSL-1.0
// What a system counts.
#include "tactor/base/lock_guard.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/send/interrupt_delivery.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/system_core.hpp"

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0 {

namespace internal {
namespace {

/// Adds what was counted outside of the system's threads.
void add_outside(metrics_snapshot& all, const system_gate& gate) noexcept {
  all.messages_sent += gate.sent();
  for (std::size_t why = 0; why < drop_reasons; ++why)
    all.dead_letters[why] += refused_in_interrupts(static_cast<drop_reason>(why));
}

}  // namespace

metrics_snapshot system_core::metrics() const noexcept {
  timers_->check_for_stall();
  metrics_snapshot all = metrics_without_timers();
  if (hub_.level() != metrics_level::off) all.timers = timers_->metrics();
  return all;
}

metrics_snapshot system_core::metrics_without_timers() const noexcept {
  if (hub_.level() == metrics_level::off) return {};
  metrics_snapshot all = hub_.scrape();
  if (gate_ != nullptr) add_outside(all, *gate_);
  const ready_queue_usage pool = coordinator_.usage();
  const ready_queue_usage others = others_ == nullptr ? ready_queue_usage{} : others_->usage();
  all.ready_queue_depth = pool.cells + others.cells;
  all.coordinator_bytes = pool.bytes + others.bytes;
  all.workers = pool.workers;
  all.workers_draining = pool.draining;
  all.registry_bytes = std::uint64_t{program_memory.cells.made()} * sizeof(cell);
  return all;
}

void system_core::set_metrics_level(metrics_level level) noexcept {
  const lock_guard guard{foreign_lock_};
  const bool counted = hub_.level() != metrics_level::off;
  hub_.set_level(level);
  const bool counts = level != metrics_level::off;
  // The gate counts at every level, and what it counts at `off` is left out of the sum.
  if (gate_ == nullptr || counted == counts) return;
  foreign_.messages_sent.add(counts ? 0 - gate_->sent() : gate_->sent());
}

}  // namespace internal

}  // namespace tactor::inline v0
