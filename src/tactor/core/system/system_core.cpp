// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/system_core.hpp"

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/actor/lifecycle/lifecycle.hpp"
#include "tactor/core/actor/runtime/runtime_memory.hpp"

#include <utility>

namespace tactor::inline v0::internal {
namespace {

/// Only a real-time clock can measure how long a turn takes.
std::uint64_t slice_of(const system_config& config, const monotonic_clock& clock) noexcept {
  const auto& slice = config.dispatch.slice;
  if (!slice || clock.kind() != clock_kind::realtime) return 0;
  return static_cast<std::uint64_t>(slice->nanoseconds());
}

}  // namespace

constinit late<logger> log_of_board;
constinit late<diagnostics_subscription> warnings_of_board;
constinit late<worker_counters> counters_of_board;
constinit late<name_table> names_of_board;
constinit late<std::optional<root_failure>> cause_of_board;

system_core::system_core(const system_config& config, const system_parts& parts) noexcept
    : config_(config),
      clock_(parts.clock),
      timers_(parts.timers),
      coordinator_(parts.coordinator),
      others_(parts.others),
      observer_(parts.observer),
      started_ns_(system_core::now_ns()),
      log_(config.log, config.name),
      timer_warnings_(timers_.events(),
                      parts.warnings.empty() ? warnings_storage_.all() : parts.warnings,
                      scheduler_event_kinds::warnings()),
      hub_(config.metrics.level, memory_of(ended_counts_)),
      random_(config.seed),
      invoker_(*this) {
  limits = {.messages = config.dispatch.throughput,
            .sends = config.dispatch.sends,
            .time = config.dispatch.throughput_deadline,
            .slice_ns = slice_of(config, clock_)};
  quick_error_ns = clock_.quick_error_ns();
  middleware = config.middleware;
  if constexpr (port::has_interrupts) {
    start_reports(config, parts.warnings);
    start_metrics();
    start_names();
  } else {
    hub_.attach(*foreign_);
  }
  gate_ = program_memory.gates.take();
  if (gate_ == nullptr) return;
  gate_->open(*this, program_memory.waiting());
  user_ = make_guardian();
}

system_core::~system_core() {
  thread_record& here = this_thread();
  program_memory.note(here);
  report_timer_warnings();
  log_->report_all_left_out(running_ns());
  hub_.detach(*foreign_);
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

std::uint64_t system_core::quick_ns() const noexcept {
  if constexpr (port::has_interrupts) return system_core::now_ns();  // reading its clock is quick
  const timer_instant now = clock_.quick();
  return saturated_ns(now.ticks, now.resolution_ns);
}

}  // namespace tactor::inline v0::internal
