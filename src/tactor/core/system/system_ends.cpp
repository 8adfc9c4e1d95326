// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/lock_guard.hpp"
#include "tactor/core/actor/lifecycle/lifecycle.hpp"
#include "tactor/core/system/system_core.hpp"

#include <utility>

// How actors fail and end, and how the system does.
namespace tactor::inline v0::internal {

void link_ends_in_system() noexcept {}

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
  if (system_observer* const observer = observer_.get()) observer->all_stopped();
}

void system_core::last_child_left() noexcept {
  if (now_in() != phase::running) stop_if_no_actor_is_left();
}

/// A log entry may still name an actor that has ended.
[[gnu::noinline]] void system_core::forget_name(cell& who) noexcept {
  if (recent_names::most > 0 && log_->wants(log_level::warning)) {
    event_text path;
    write_path(path, who);
    ended_names_.add({.slot = who.slot, .generation = who.tenant}, path);
  }
  erase_name(who);
}

void system_core::ended(cell& who) noexcept {
  if (who.rare().name != nullptr) forget_name(who);
  if (!events().has_no_subscriber()) (void)events().unsubscribe_all({&who, who.tenant});
  if (!who.unlisted) {
    count([](worker_counters& block) { block.actors_stopped.add(1); });
    live_.fetch_sub(1, relaxed);  // relaxed: a number
  }
  leave_dispatcher(who);
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

std::uint64_t system_core::next_random() noexcept {
  const lock_guard guard{foreign_lock_};
  // Splitmix64: every seed is suitable.
  *random_ += 0x9E37'79B9'7F4A'7C15U;
  std::uint64_t mixed = *random_ + config().seed;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EBU;
  return mixed ^ (mixed >> 31U);
}

}  // namespace tactor::inline v0::internal
