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

constexpr std::string_view user_path = "/user/";

/// The end of the first part of a path. (`find` would call `memchr`, which a board lacks.)
std::size_t end_of_part(std::string_view path) noexcept {
  std::size_t end = 0;
  while (end < path.size() && path[end] != '/')
    ++end;
  return end;
}

bool takes_all(const actor_type& type,
               std::span<const message_operations* const> messages) noexcept {
  for (const message_operations* const wanted : messages) {
    bool found = false;
    for (const message_operations* const taken : type.messages)
      found = found || same_type(*wanted, *taken);
    if (!found) return false;
  }
  return true;
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
      hub_(config.metrics.level),
      random_(config.seed),
      invoker_(*this) {
  limits = {.messages = config.dispatch.throughput,
            .sends = config.dispatch.sends,
            .time = config.dispatch.throughput_deadline,
            .slice_ns = slice_of(config, clock_)};
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

std::uint64_t system_core::next_random() noexcept {
  const lock_guard guard{foreign_lock_};
  // Splitmix64: every seed is suitable.
  random_ += 0x9E37'79B9'7F4A'7C15U;
  std::uint64_t mixed = random_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EBU;
  return mixed ^ (mixed >> 31U);
}

// Finding.

actor_ref<> system_core::find(std::string_view path,
                              std::span<const message_operations* const> messages) noexcept {
  if (path.starts_with(user_path)) path.remove_prefix(user_path.size());
  actor_ref<> found;
  const cell* parent = user_;
  while (parent != nullptr) {
    const std::size_t end = end_of_part(path);
    const bool last = end == path.size();
    // Not `substr`, which could throw. NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage)
    const std::string_view part{path.data(), end};
    const cell* next = nullptr;
    const bool there = names_.find(parent, part, [&](cell& c) {
      next = &c;
      if (last && takes_all(*c.type, messages)) found = {&c, c.generation()};
    });
    if (!there || last) return found;
    path.remove_prefix(end + 1);
    parent = next;
  }
  return found;
}

// Ending.

bool system_core::enter(phase next) noexcept {
  std::uint8_t now = phase_.load(relaxed);  // relaxed: only compared
  do {
    if (now >= std::to_underlying(next)) return false;
    // Not acquire: who enters a phase reads nothing of those who entered one before, but under a lock.
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

void system_core::ended(cell& who) noexcept {
  thread_record& here = this_thread();
  if (who.name != nullptr && recent_names::most > 0 && log_.wants(log_level::warning)) {
    event_text path;
    write_path(path, who);
    ended_names_.add({.slot = who.slot, .generation = who.tenant}, path);
  }
  names_.erase(here, who);
  if (!events_.has_no_subscriber()) (void)events_.unsubscribe_all({&who, who.tenant});
  if (!who.unlisted) {
    count([](worker_counters& block) { block.actors_stopped.add(1); });
    live_.fetch_sub(1, relaxed);  // relaxed: a number
  }
  leave_dispatcher(who);
}

}  // namespace tactor::inline v0::internal
