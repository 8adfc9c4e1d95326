// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/system_core.hpp"

#include "tactor/base/lock_guard.hpp"
#include "tactor/base/treap.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/runtime_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

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
      hub_(config.metrics.level, parts.ended_counts) {
  constants = constants_of(config, clock_);
  reports = parts.reports;
  if (parts.reports != nullptr) parts.reports->begin(*this, parts.observer);
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
  if (reports != nullptr) reporting()->finish();
  hub_.detach(foreign_);
  if (user_ != nullptr) {
    program_memory.cells.end_tenancy(*user_);
    program_memory.cells.give_back(here.cells, *user_);
  }
  if (gate_ == nullptr) return;
  end_asks_of_threads();
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

void system_core::end_asks_of_threads() noexcept {
  thread_record& here = this_thread();
  const std::uint32_t slots = program_memory.asks.made();
  for (std::uint32_t number = 0; number < slots; ++number) {
    const ask_slot* const slot = program_memory.asks.at(number);
    if (slot != nullptr)
      refuse_answer(here, slot->thread_ask_of(*gate_), ask_failure::would_never_answer);
  }
}

std::uint64_t system_core::now_ns() const noexcept {
  return saturated_ns(clock_.now());
}

std::uint64_t system_core::stamp_ns() const noexcept {
  return saturated_ns(clock_.stamp());
}

// How messages are lost, how actors fail and end, and how the system does.

// Counting.

template <class Add>
void system_core::change_counters(Add add) noexcept {
  if (hub_.level() == metrics_level::off) return;
  const thread_record& here = this_thread();
  if (here.services == this && here.counters != nullptr) return add(*here.counters);
  const lock_guard guard{foreign_lock_};
  add(foreign_);
}

void system_core::count(port::counter worker_counters::* what) noexcept {
  change_counters([what](worker_counters& block) { (block.*what).add(1); });
}

// Lost messages.

/// While the whole system stops, that is the reason why an actor is gone.
drop_reason system_core::reason_of(drop_reason why) const noexcept {
  const bool gone = why == drop_reason::stopped || why == drop_reason::draining;
  return gone && now_in() != phase::running ? drop_reason::system_stopping : why;
}

void system_core::dead_letter(const lost_message& lost) noexcept {
  const bool suppressed = lost.operations.suppress_dead_letter;
  const drop_reason why = reason_of(lost.why);
  change_counters([&](worker_counters& block) {
    block.count_dead_letter(why);
    if (lost.by_mailbox == acceptance::accepted) block.messages_lost.add(1);
    if (suppressed) block.dead_letters_suppressed.add(1);
  });
  if (!suppressed && reports != nullptr) reports->lost(lost, why);
}

// Ending.

bool system_core::enter(phase next) noexcept {
  std::uint8_t now = phase_.load(relaxed);  // relaxed: only compared
  do {
    if (now >= std::to_underlying(next)) return false;
    // Not acquire: the thread that enters a phase reads what earlier phases wrote only under a
    // lock. no mutant: no scenario has a phase; host.system_phase shows it under TSan
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
  if (system_observer* const observer = observer_) observer->all_stopped();
}

void system_core::last_child_left() noexcept {
  if (now_in() != phase::running) stop_if_no_actor_is_left();
}

void system_core::ended(cell& who) noexcept {
  if (who.name != nullptr) program_features().names->forget(*this, who);
  if (!events().has_no_subscriber())
    (void)program_features().events->unsubscribe(events(), {&who, who.tenant});
  if (!who.unlisted) {
    count(&worker_counters::actors_stopped);
    live_.fetch_sub(1, relaxed);  // relaxed: a number
  }
  leave_dispatcher(who);
}

void system_core::escalated(cell& who, const message_operations* in, const failure& why) noexcept {
  if (reports != nullptr) reports->system_failed(who, in, why);
  begin_stop();
}

std::uint64_t system_core::next_random() noexcept {
  const lock_guard guard{foreign_lock_};
  // Splitmix64: every seed is suitable.
  random_ += 0x9E37'79B9'7F4A'7C15U;
  return mixed_bits(random_ + seed_);
}

// What a system counts.

namespace {

/// Adds what was counted outside of the system's threads.
void add_outside(metrics_snapshot& all, const system_gate& gate) noexcept {
  all.messages_sent += gate.sent();
  for (std::size_t why = 0; why < drop_reasons; ++why)
    all.dead_letters[why] += refused_in_interrupts(static_cast<drop_reason>(why));
  all.messages_lost += refused_in_interrupts(drop_reason::dropped_oldest);
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
  all.events_refused = events_.refused();
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

}  // namespace tactor::inline v0::internal
