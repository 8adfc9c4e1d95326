// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/parked_workers.hpp"

#include "tactor/host/os/wait_on_word.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

// Who sleeps.

// In the last critical section before the worker sleeps.
void parked_workers::fall_asleep(pool_worker& here, std::uint32_t attached) noexcept {
  here.wake_word.store(wake_word_asleep, relaxed);  // relaxed: written under the lock only
  asleep_.add(here.number);
  show();
  const bool some_run = attached > asleep_.size();
  const bool has_to_watch =
      some_run && !here.blocking && (watcher_.get() == nullptr || watcher_.get() == &here);
  if (watcher_.get() == &here || has_to_watch) watcher_.set(has_to_watch ? &here : nullptr);
  here.watches.set(has_to_watch);
}

void parked_workers::stay_awake(pool_worker& here) noexcept {
  asleep_.remove(here.number);
  show();
}

bool parked_workers::sleep(pool_worker& here, std::optional<std::uint64_t> nap_ns) const noexcept {
  std::optional<std::uint64_t> until_ns;
  if (nap_ns) until_ns = how_.now_ns() + *nap_ns;
  while (here.wake_word.load(acquire) == wake_word_asleep) {  // pairs: pool.wake_word
    const wait_result result = how_.sleep(here.wake_word, wake_word_asleep, until_ns);
    if (result == wait_result::timed_out) return false;
  }
  return true;
}

void parked_workers::make_way(pool_worker& here) const noexcept {
  if (here.woken_from.get() == pool_worker::nowhere) return;
  how_.leave_processor(here.woken_from.get());
  here.woken_from.set(pool_worker::nowhere);
}

void parked_workers::wake(pool_worker& whom, deferred_wakes& calls) noexcept {
  if (how_.leave_processor != nullptr && calls.by_a_worker())
    whom.woken_from.set(how_.processor_here());
  wake_up(whom);
  calls.add(whom, how_);
}

void parked_workers::wake_up(pool_worker& whom) noexcept {
  stay_awake(whom);
  whom.wake_word.store(wake_word_awake, release);  // pairs: pool.wake_word
}

void parked_workers::wake_one(deferred_wakes& calls) noexcept {
  if (pool_worker* const whom = sleeper()) wake(*whom, calls);
}

pool_worker* parked_workers::end_a_sleep() noexcept {
  pool_worker* const whom = sleeper();
  if (whom != nullptr) wake_up(*whom);
  return whom;
}

// Picks a sleeping worker, preferably not the watcher. If only the watcher is left, it gives up
// that role.
pool_worker* parked_workers::sleeper() noexcept {
  const pool_worker* const watcher = watcher_.get();
  const auto chosen = asleep_.choose(watcher != nullptr ? watcher->number : worker_set::most);
  if (!chosen) return nullptr;
  pool_worker& whom = *workers_[*chosen];
  (void)stop_watching(whom);
  return &whom;
}

void parked_workers::show() noexcept {
  // seq_cst: tied to the intake of the pool
  sleeping_hint_.store(asleep_.size(), seq_cst);  // pairs: pool.asleep
}

// Who searches.

// Keeps inv 1.
bool parked_workers::begin_search(pool_worker& here) noexcept {
  if (here.searches.get()) return true;
  if (is_searched()) return false;
  bool expected = false;
  if (!searching_.compare_exchange(expected, true, acquire)) return false;  // pairs: pool.search
  here.searches.set(true);
  return true;
}

void parked_workers::stop_search(pool_worker& here) noexcept {
  if (!here.searches.get()) return;
  here.searches.set(false);
  // seq_cst: tied to the intake of the pool
  searching_.store(false, seq_cst);  // pairs: pool.search
}

// Does nothing if a worker searches: it checks for injected cells before it stops.
void parked_workers::wake_to_search(deferred_wakes& calls) noexcept {
  if (asleep_.size() == 0) return;
  bool expected = false;
  // relaxed: the lock orders it, which the last searching worker held when it stopped
  if (!searching_.compare_exchange(expected, true, relaxed)) return;
  pool_worker* const whom = sleeper();
  whom->searches.set(true);
  wake(*whom, calls);
}

// Who watches.

bool parked_workers::stop_watching(pool_worker& here) noexcept {
  if (watcher_.get() != &here) return false;
  watcher_.set(nullptr);
  here.watches.set(false);
  return true;
}

void parked_workers::appoint_watcher(deferred_wakes& calls, bool and_search) noexcept {
  pool_worker* const whom = sleeper();
  if (whom == nullptr) return;
  watcher_.set(whom);
  whom->watches.set(true);
  bool expected = false;
  // relaxed: as in `wake_to_search`
  if (and_search && searching_.compare_exchange(expected, true, relaxed)) whom->searches.set(true);
  wake(*whom, calls);
}

}  // namespace tactor::inline v0::internal
