// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/system_core.hpp"

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/send/runtime_memory.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

namespace {

/// The constants of a system with these settings.
system_constants constants_of(const system_config& config, const monotonic_clock& clock) noexcept {
  const auto& slice = config.dispatch.slice;
  // Only a real-time clock can measure how long a turn takes.
  const bool is_measured = slice && clock.kind() == clock_kind::realtime;
  return {
      .limits = {.messages = config.dispatch.throughput,
                 .sends = config.dispatch.sends,
                 .time = config.dispatch.throughput_deadline,
                 .slice_ns = is_measured ? static_cast<std::uint64_t>(slice->nanoseconds()) : 0},
      .middleware = config.middleware};
}

}  // namespace

system_core::system_core(const system_config& config, const system_parts& parts) noexcept
    : name_(config.name),
      max_actors_(config.max_actors),
      seed_(config.seed),
      spawn_middleware_(config.spawn_middleware),
      all_on_pool_(config.dispatchers.all_on_pool),
      clock_(parts.clock),
      timers_(parts.timers),
      coordinator_(parts.coordinator),
      others_(parts.others),
      observer_(parts.observer),
      log_(parts.log),
      hub_(config.metrics.level, parts.ended_counts) {
  constants = constants_of(config, clock_);
  hub_.attach(foreign_);
  gate_ = program_memory.gates.take();
  if (gate_ == nullptr) return;
  gate_->open(*this, program_memory.waiting());
  user_ = make_guardian();
}

system_core::~system_core() {
  thread_record& here = this_thread();
  program_memory.note(here);
  report_timer_warnings();
  if (log_ != nullptr) log_->out.report_all_left_out(running_ns());
  hub_.detach(foreign_);
  if (user_ != nullptr) {
    program_memory.cells.end_tenancy(*user_);
    program_memory.cells.give_back(here.cells, *user_);
  }
  if (gate_ == nullptr) return;
  gate_->close();
  // Kept references to this system's actors must not reach the gate of the next system. Slots that
  // other systems make meanwhile never had this gate.
  const std::uint32_t slots = program_memory.cells.made();
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    system_gate* mine = gate_;
    cell* const left = program_memory.cells.at(slot);
    // relaxed: type-stable, and closed
    if (left != nullptr) (void)left->gate.compare_exchange(mine, nullptr, relaxed);
  }
  program_memory.gates.give_back(*gate_);
}

std::uint64_t system_core::now_ns() const noexcept {
  const timer_instant now = clock_.now();
  return saturated_ns(now.ticks, now.resolution_ns);
}

std::uint64_t system_core::stamp_ns() const noexcept {
  const timer_instant now = clock_.stamp();
  return saturated_ns(now.ticks, now.resolution_ns);
}

}  // namespace tactor::inline v0::internal
