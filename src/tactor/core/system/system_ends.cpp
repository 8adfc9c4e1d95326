// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/lock_guard.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/system/system_core.hpp"

#include <utility>

// How messages are lost, how actors fail and end, and how the system does.
namespace tactor::inline v0::internal {

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
    if (suppressed) block.dead_letters_suppressed.add(1);
  });
  const report_functions* const reports = linked().reports;
  if (!suppressed && reports != nullptr) reports->dead_letter(*this, lost, why);
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
  if (who.name != nullptr) linked().names->forget(*this, who);
  if (!events().has_no_subscriber())
    (void)linked().events->unsubscribe(events(), {&who, who.tenant});
  if (!who.unlisted) {
    count(&worker_counters::actors_stopped);
    live_.fetch_sub(1, relaxed);  // relaxed: a number
  }
  leave_dispatcher(who);
}

void system_core::failed(cell& who, const message_operations* in, const failure& why,
                         const verdict& said) noexcept {
  count(&worker_counters::failures);
  if (const report_functions* const reports = linked().reports)
    reports->failed(*this, who, in, why, said);
}

void system_core::escalated(cell& who, const message_operations* in, const failure& why) noexcept {
  if (const report_functions* const reports = linked().reports) reports->cause(*this, who, in, why);
  begin_stop();
}

void system_core::restarted(cell& who) noexcept {
  count(&worker_counters::restarts);
  if (const report_functions* const reports = linked().reports) reports->restarted(*this, who);
}

std::uint64_t system_core::next_random() noexcept {
  const lock_guard guard{foreign_lock_};
  // Splitmix64: every seed is suitable.
  random_ += 0x9E37'79B9'7F4A'7C15U;
  std::uint64_t mixed = random_ + seed_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EBU;
  return mixed ^ (mixed >> 31U);
}

}  // namespace tactor::inline v0::internal
