// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/system_core.hpp"

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/actor/cell/runtime_memory.hpp"
#include "tactor/core/actor/lifecycle/lifecycle.hpp"

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

system_core::system_core(const system_config& config, const system_parts& parts) noexcept
    : config_(config),
      clock_(parts.clock),
      timers_(parts.timers),
      coordinator_(parts.coordinator),
      others_(parts.others),
      watcher_(parts.watcher),
      started_ns_(system_core::now_ns()),
      log_(config.log, config.name),
      timer_warnings_(timers_.events(),
                      parts.warnings.empty() ? std::span{warnings_storage_} : parts.warnings,
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
  log_.report_all_left_out(running_ns());
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

std::uint64_t system_core::quick_ns() const noexcept {
  const timer_instant now = clock_.quick();
  return saturated_ns(now.ticks, now.resolution_ns);
}

std::uint64_t system_core::next_random() noexcept {
  const lock_guard guard{foreign_lock_};
  // Splitmix64: every seed is suitable.
  random_ += 0x9E37'79B9'7F4A'7C15U;
  std::uint64_t mixed = random_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EBU;
  return mixed ^ (mixed >> 31U);
}

// Ending.

bool system_core::enter(phase next) noexcept {
  std::uint8_t now = phase_.load(relaxed);  // relaxed: only compared
  do {
    if (now >= std::to_underlying(next)) return false;
    // Not acquire: the thread that enters a phase reads what earlier phases wrote only under a lock.
  } while (
      !phase_.compare_exchange(now, std::to_underlying(next), release));  // pairs: system.phase
  return true;
}

void system_core::begin_drain() noexcept {
  if (!enter(phase::stopping)) return;
  request_all(drain_children);
  (void)enter(phase::draining);
}

void system_core::begin_stop() noexcept {
  (void)enter(phase::stopping);
  request_all(stop_children);
}

void system_core::request_all(void (*request)(cell& parent)) noexcept {
  if (user_ != nullptr) {
    const lock_guard guard{family_};
    request(*user_);
  }
  stop_if_no_actor_is_left();
}

void system_core::stop_if_no_actor_is_left() noexcept {
  {
    const lock_guard guard{family_};
    const bool alone = user_ == nullptr || user_->first_child == nullptr;
    if (!alone || now_in() == phase::running || !enter(phase::stopped)) return;
  }
  if (watcher_ != nullptr) watcher_->all_stopped();
}

void system_core::last_child_left() noexcept {
  if (now_in() != phase::running) stop_if_no_actor_is_left();
}

/// A log entry may still name an actor that has ended.
[[gnu::noinline]] void system_core::forget_name(cell& who) noexcept {
  if (recent_names::most > 0 && log_.wants(log_level::warning)) {
    event_text path;
    write_path(path, who);
    ended_names_.add({.slot = who.slot, .generation = who.tenant}, path);
  }
  names_.erase(this_thread(), who);
}

void system_core::ended(cell& who) noexcept {
  if (who.name != nullptr) forget_name(who);
  if (!events_.has_no_subscriber()) (void)events_.unsubscribe_all({&who, who.tenant});
  if (!who.unlisted) {
    count([](worker_counters& block) { block.actors_stopped.add(1); });
    live_.fetch_sub(1, relaxed);  // relaxed: a number
  }
  leave_dispatcher(who);
}

// Counted, then reported.

/// While the whole system stops, that is the reason why an actor is gone.
drop_reason system_core::reason_of(drop_reason why) const noexcept {
  const bool gone = why == drop_reason::stopped || why == drop_reason::draining;
  return gone && now_in() != phase::running ? drop_reason::system_stopping : why;
}

void system_core::dead_letter(const lost_message& lost) noexcept {
  const bool suppressed = lost.operations.suppress_dead_letter;
  const drop_reason why = reason_of(lost.why);
  count([&](worker_counters& block) {
    block.count_dead_letter(why);
    if (suppressed) block.dead_letters_suppressed.add(1);
  });
  if (!suppressed) report_dead_letter(lost, why);
}

void system_core::mailbox_filled(const actor_ref<>& who, std::uint32_t waiting) noexcept {
  count([](worker_counters& block) { block.mailbox_pressure.add(1); });
  report_pressure(who, waiting);
}

void system_core::failed(cell& who, const message_operations* in, const failure& why,
                         const verdict& said) noexcept {
  count([](worker_counters& block) { block.failures.add(1); });
  report_failure(who, in, why, said);
}

void system_core::escalated(cell& who, const message_operations* in, const failure& why) noexcept {
  report_cause(who, in, why);
  begin_stop();
}

void system_core::restarted(cell& who) noexcept {
  count([](worker_counters& block) { block.restarts.add(1); });
  report_restart(who);
}

}  // namespace tactor::inline v0::internal
