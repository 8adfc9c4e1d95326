// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/system_core.hpp"

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/actor/lifecycle/lifecycle.hpp"
#include "tactor/core/actor/runtime/runtime_memory.hpp"

#include <new>
#include <type_traits>
#include <utility>

namespace tactor::inline v0::internal {

constinit late<logger> log_of_board;
constinit late<std::uint64_t> start_of_board;
constinit late<metrics_hub> hub_of_board;
constinit late<std::uint64_t> random_of_board;
constinit late<diagnostics_subscription> warnings_of_board;
constinit late<worker_counters> counters_of_board;
constinit late<name_table> names_of_board;
constinit late<std::optional<root_failure>> cause_of_board;

namespace {

/// Settings that are not constant, or those of a program that starts several systems. A board that starts with the defaults has none.
constinit late<few_settings> settings_of_board;

/// What a system refers to, or copies.
template <bool OfBoard = port::has_interrupts>
std::conditional_t<OfBoard, const few_settings&, few_settings>
keep(const system_config& config) noexcept {
  if constexpr (OfBoard) {
    return *::new (static_cast<void*>(settings_of_board.bytes)) few_settings(config);
  } else {
    return few_settings{config};
  }
}

[[maybe_unused]] void adapt(constants_of_system<false>& constants,
                            const monotonic_clock& to) noexcept {
  constants.change().quick_error_ns = to.quick_error_ns();
}
[[maybe_unused]] void adapt(const constants_of_system<true>& /*constants*/,
                            const monotonic_clock& /*to*/) noexcept {
  // reading the clock of a board is quick
}

}  // namespace

system_core::system_core(const system_config& config, const system_parts& parts) noexcept
    : system_core(config, keep(config), parts) {}

system_core::system_core(const system_config& config, const few_settings& kept,
                         const system_parts& parts) noexcept
    : config_(config),
      clock_(parts.clock),
      timers_(parts.timers),
      coordinator_(parts.coordinator),
      others_(parts.others),
      observer_(parts.observer),
      log_(config.log, config.name),
      timer_warnings_(timers_.events(),
                      parts.warnings.empty() ? warnings_storage_.all() : parts.warnings,
                      scheduler_event_kinds::warnings()),
      hub_(config.metrics.level, memory_of(ended_counts_)),
      invoker_(*this) {
  // Only a real-time clock can measure how long a turn takes.
  constants.use(kept, clock_.kind() == clock_kind::realtime);
  adapt(constants, clock_);
  if constexpr (port::has_interrupts) {
    start_reports(config, parts.warnings);
    start_metrics(config);
    start_names();
  } else {
    *started_ns_ = system_core::now_ns();
    hub_->attach(*foreign_);
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
  hub_->detach(*foreign_);
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
