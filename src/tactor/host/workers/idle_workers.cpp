// SPDX-License-Identifier: BSL-1.0
// A worker without work: searching, sleeping, waking.
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/dispatch/lifo_slot_ref.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/host/os/futex.hpp"
#include "tactor/host/workers/message_cost.hpp"
#include "tactor/host/workers/pool_counts.hpp"
#include "tactor/host/workers/pool_settings.hpp"
#include "tactor/host/workers/pool_worker.hpp"
#include "tactor/host/workers/work_stealing_coordinator.hpp"
#include "tactor/host/workers/worker_set.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

// Pauses between two searches: each search takes cache lines from the workers that run.
constexpr int pauses_per_search = port::has_real_layout ? 50 : 1;

}  // namespace

// Searching.

// Whether a worker other than the caller is awake. A hint.
bool work_stealing_coordinator::others_run() const noexcept {
  return attached_hint_.load(relaxed) > sleeping() + 1;  // relaxed: a hint
}

// Keeps inv 2.
bool work_stealing_coordinator::begin_search(pool_worker& here) noexcept {
  if (here.searches.get()) return true;
  if (searching_.load(relaxed)) return false;  // relaxed: a hint
  bool expected = false;
  if (!searching_.compare_exchange(expected, true, acquire)) return false;  // pairs: pool.search
  here.searches.set(true);
  return true;
}

bool work_stealing_coordinator::search_once(pool_worker& here) noexcept {
  if (here.blocking || !others_run() || !begin_search(here)) return false;
  const bool found = search_victims(here);
  deferred_wakes calls;
  const pool_lock guard{mutex_};
  end_search(here, calls);
  return found;
}

// Searches for a while, as long as other workers run: without them there is nothing to steal. If it
// finds nothing, it remains the searching worker.
bool work_stealing_coordinator::search(pool_worker& here) noexcept {
  if (here.blocking) return false;
  if (!here.searches.get() && (!others_run() || !begin_search(here))) return false;
  const std::uint64_t begun = waiting_.now_ns();
  bool found = false;
  do {
    for (int i = 0; i < pauses_per_search && !is_due(here); ++i)
      port::cpu_relax();
    found = is_due(here) || search_victims(here);
  } while (!found && others_run() && waiting_.now_ns() - begun < spin_ns);
  if (!found) return false;
  ready_cell* const injected = take_in(here);
  if (injected != nullptr && !here.put_next(*injected)) push(here, *injected);
  deferred_wakes calls;
  const pool_lock guard{mutex_};
  found = collect(here);
  end_search(here, calls);
  unpark(here, calls);
  return found;
}

bool work_stealing_coordinator::is_due(const pool_worker& here) const noexcept {
  return injected() != 0 || here.inbox_filled.load(relaxed);  // relaxed: a hint
}

bool work_stealing_coordinator::search_victims(pool_worker& here) noexcept {
  const std::uint64_t now = waiting_.now_ns();
  const std::uint32_t count = workers();
  for (std::uint32_t i = 1; i < count; ++i) {
    pool_worker& each = *workers_[(here.number + i) % count];
    if (steal_from(each, here, now)) return true;
  }
  return false;
}

// Steals the victim's surplus, or cells that the victim does not reach.
bool work_stealing_coordinator::steal_from(pool_worker& victim, pool_worker& here,
                                           std::uint64_t now) noexcept {
  pool_worker::progress_sample seen = victim.seen.get();
  // relaxed: only compared
  seen.cost.observe({.progress = victim.progress.value(),
                     .idles = victim.idles.value(),
                     .runs = victim.running.load(relaxed) != nullptr,
                     .now_ns = now});
  const std::uint32_t message_ns = seen.cost.ns();
  victim.message_ns.store(message_ns, relaxed);  // relaxed: an estimate
  victim.seen.set(seen);
  const std::size_t queued = victim.ring.size();
  const bool steals = queued >= surplus || is_worth_stealing(queued, message_ns);
  if (steals && steal_ring_of(victim, here)) return true;

  const std::uint64_t position =
      queued != 0 ? victim.ring.position() : pool_worker::progress_sample::nowhere;
  if (std::exchange(seen.position, position) != position) seen.position_since_ns = now;
  ready_cell* const slot = victim.lifo_slot.load(relaxed);      // relaxed: only compared
  const bool inbox_filled = victim.inbox_filled.load(relaxed);  // relaxed: a hint
  const pool_worker::progress_sample::turn turn{
      .number = victim.progress.value(), .slot = slot, .inbox_filled = inbox_filled};
  if (std::exchange(seen.current, turn) != turn) seen.turn_since_ns = now;
  victim.seen.set(seen);

  const bool ring_is_stuck = queued != 0 && now - seen.position_since_ns >= ring_steal_after_ns;
  if (ring_is_stuck && steal_ring_of(victim, here)) return true;
  const std::uint64_t waited_ns = now - seen.turn_since_ns;
  if (slot != nullptr && waited_ns >= slot_steal_after_ns && victim.steal_next(*slot)) {
    push(here, *slot);
    count_pool_event(pool_event::hand_over);
    return true;
  }
  return inbox_filled && waited_ns >= ring_steal_after_ns && steal_inbox_of(victim, here);
}

bool work_stealing_coordinator::steal_ring_of(pool_worker& victim, pool_worker& here) noexcept {
  const std::size_t stolen = victim.ring.steal_half_into(here.ring);
  if (stolen == 0) count_pool_event(pool_event::failed_exchange);
  count_pool_event(pool_event::hand_over, stolen);
  return stolen != 0;
}

bool work_stealing_coordinator::steal_inbox_of(pool_worker& victim, pool_worker& here) noexcept {
  const pool_lock guard{mutex_};
  move_inbox(victim, here);
  return here.ring.size() != 0;
}

void work_stealing_coordinator::wake_for_surplus() noexcept {
  deferred_wakes calls;
  const pool_lock guard{mutex_};
  wake_searching_worker(calls);
}

// Keeps inv 3: a cell is queued behind a turn that may take long.
[[gnu::noinline]] void work_stealing_coordinator::wake_a_watcher(pool_worker& here) noexcept {
  here.unwatched = false;
  open_lifo_slot(here);
  const bool searches = watcher_searches(here.message_ns.load(relaxed));  // relaxed: an estimate
  deferred_wakes calls;
  const pool_lock guard{mutex_};
  if (watcher_.get() == nullptr) appoint_watcher(calls, searches);
}

// Sleeping.

bool work_stealing_coordinator::wait(pool_worker& here) noexcept {
  while (true) {
    if (!is_draining(here) && search(here)) return true;
    const rest slept = park(here);
    if (waiting_.placement) waiting_.placement->allow(here.ban);
    switch (slept) {
    case rest::found:
      return true;
    case rest::leaves:
      return false;
    case rest::sent_to_search:
      break;
    }
  }
}

// NOLINTNEXTLINE(readability-function-cognitive-complexity): the parking protocol, in one place
work_stealing_coordinator::rest work_stealing_coordinator::park(pool_worker& here) noexcept {
  std::uint64_t nap_ns = first_nap_ns;
  for (bool is_first = true;; is_first = false) {
    bool watches = false;
    bool last = false;
    {
      deferred_wakes calls;
      const pool_lock guard{mutex_};
      stop_search(here);
      bool found = collect(here);
      if (is_draining(here)) {
        leave(here, calls);
        return rest::leaves;
      }
      if (!found && !shutting_down_.get()) {
        fall_asleep(here);
        found = !intake_.empty();
        if (found) note_asleep(here, false);
      }
      if (found || shutting_down_.get()) {
        unpark(here, calls);
        if (!injected_.empty()) wake_for_injected(calls);
        return found ? rest::found : rest::leaves;
      }
      last = asleep_.size() == attached_.get();
      watches = here.watches.get();
    }
    if (last && waiting_.at_rest != nullptr) waiting_.at_rest(here.wake_word, wake_word_asleep);
    if (is_first) stay_away(here);
    if (sleep(here, watches ? std::optional{nap_ns} : std::nullopt) == nap::over) {
      if (watch(here)) return rest::found;
      nap_ns = std::min(2 * nap_ns, last_nap_ns);
    } else {
      make_way(here);
      if (here.searches.get()) return rest::sent_to_search;
      nap_ns = first_nap_ns;
    }
  }
}

// The worker is about to sleep: it is not to be woken on the processor of the worker that wakes it.
void work_stealing_coordinator::stay_away(pool_worker& here) noexcept {
  if (!waiting_.placement) return;
  if (const auto avoided = here.placement.before_sleep())
    waiting_.placement->avoid(here.ban, *avoided);
}

// The worker was woken. If that was done by a worker of the same processor, which goes on running, it moves to another.
void work_stealing_coordinator::make_way(pool_worker& here) noexcept {
  const std::uint32_t waker = here.woken_from.get();
  if (waker == pool_worker::nowhere || !waiting_.placement) return;
  here.woken_from.set(pool_worker::nowhere);
  const std::uint64_t began = waiting_.now_ns();
  if (!here.placement.is_shared(waker, waiting_.placement->processor_here(),
                                began - here.woken_at_ns.get()))
    return;
  waiting_.placement->avoid(here.ban, waker);
  here.placement.came_after(waiting_.now_ns() - began);
}

work_stealing_coordinator::nap
work_stealing_coordinator::sleep(pool_worker& here, std::optional<std::uint64_t> nap_ns) noexcept {
  std::optional<std::uint64_t> until_ns;
  if (nap_ns) until_ns = waiting_.now_ns() + *nap_ns;
  while (here.wake_word.load(acquire) == wake_word_asleep) {  // pairs: pool.wake_word
    const futex_result result = waiting_.sleep(here.wake_word, wake_word_asleep, until_ns);
    if (result == futex_result::timed_out) return nap::over;
  }
  return nap::woken;
}

// One check of the watcher, whose sleep has timed out. Returns: whether it found a cell to run.
bool work_stealing_coordinator::watch(pool_worker& here) noexcept {
  {
    const pool_lock guard{mutex_};
    if (asleep_.contains(here.number)) note_asleep(here, false);  // otherwise it was just woken
  }
  make_way(here);
  if (!others_run() || !begin_search(here) || !search_victims(here)) return false;
  deferred_wakes calls;
  const pool_lock guard{mutex_};
  end_search(here, calls);
  unpark(here, calls);
  return true;
}

// With the lock.

// A draining worker gives up its roles. `detach` follows, and passes on what it was woken for, and its
// cells. Keeps inv 3.
void work_stealing_coordinator::leave(pool_worker& here, deferred_wakes& calls) noexcept {
  here.left.set(true);
  unpark(here, calls);
}

// In the last critical section before the worker sleeps. Keeps inv 1 and 3.
void work_stealing_coordinator::fall_asleep(pool_worker& here) noexcept {
  here.wake_word.store(wake_word_asleep, relaxed);  // relaxed: written under the lock only
  note_asleep(here, true);
  const bool some_run = attached_.get() > asleep_.size();
  const bool has_to_watch =
      some_run && !here.blocking && (watcher_.get() == nullptr || watcher_.get() == &here);
  if (watcher_.get() == &here || has_to_watch) watcher_.set(has_to_watch ? &here : nullptr);
  here.watches.set(has_to_watch);
}

// The worker found a cell. A worker that it wakes searches in its place.
void work_stealing_coordinator::end_search(pool_worker& here, deferred_wakes& calls) noexcept {
  if (!here.searches.get()) return;
  stop_search(here);
  if (anything_injected() || here.ring.size() >= surplus) wake_searching_worker(calls);
}

// Keeps inv 2: the caller checks afterwards for cells that were injected without a wake.
void work_stealing_coordinator::stop_search(pool_worker& here) noexcept {
  if (!here.searches.get()) return;
  here.searches.set(false);
  // seq_cst: tied to the intake (inv 2)
  searching_.store(false, seq_cst);  // pairs: pool.search
}

// Lets senders on this thread fill the LIFO slot without calling the pool, unless the pool has to
// see every cell (`unwatched`). Context: the owner.
void work_stealing_coordinator::open_lifo_slot(pool_worker& here) noexcept {
  this_thread().next =
      here.unwatched ? lifo_slot_ref{} : lifo_slot_ref{.queue = this, .slot = &here.lifo_slot};
}

// The worker runs again. Keeps inv 3.
void work_stealing_coordinator::unpark(pool_worker& here, deferred_wakes& calls) noexcept {
  if (here.blocking) return;
  const bool watched = watcher_.get() == &here;
  if (watched) {
    watcher_.set(nullptr);
    here.watches.set(false);
  }
  const bool has_next = here.lifo_slot.load(relaxed) != nullptr;  // relaxed: written by this thread
  const bool some_wait = here.ring.size() > (has_next ? 0 : 1);   // behind the cell that runs next
  if (watcher_.get() == nullptr && (watched || some_wait)) appoint_watcher(calls);
  here.unwatched = watcher_.get() == nullptr && asleep_.size() != 0;
  open_lifo_slot(here);
}

// Makes a sleeping worker the watcher: wakes it so that it sleeps again with a timeout; `and_search`: after a search.
void work_stealing_coordinator::appoint_watcher(deferred_wakes& calls, bool and_search) noexcept {
  pool_worker* const whom = sleeper();
  if (whom == nullptr) return;
  watcher_.set(whom);
  whom->watches.set(true);
  bool expected = false;
  // relaxed: as in `wake_searching_worker`
  if (and_search && searching_.compare_exchange(expected, true, relaxed)) whom->searches.set(true);
  wake(*whom, calls);
}

// Picks a sleeping worker, preferably not the watcher. If only the watcher is left, it gives up that
// role.
pool_worker* work_stealing_coordinator::sleeper() noexcept {
  const pool_worker* const watcher = watcher_.get();
  const auto chosen = asleep_.choose(watcher != nullptr ? watcher->number : worker_set::most);
  if (!chosen) return nullptr;
  pool_worker& whom = *workers_[*chosen];
  if (&whom == watcher) {
    watcher_.set(nullptr);
    whom.watches.set(false);
  }
  return &whom;
}

// A cell was injected: wakes a worker unless one is already searching.
void work_stealing_coordinator::wake_for_injected(deferred_wakes& calls) noexcept {
  if (kind_ == pool_kind::computing) return wake_searching_worker(calls);
  if (pool_worker* const whom = sleeper()) wake(*whom, calls);
}

// Does nothing if a worker searches: it checks for injected cells before it stops (inv 2).
void work_stealing_coordinator::wake_searching_worker(deferred_wakes& calls) noexcept {
  if (asleep_.size() == 0) return;
  bool expected = false;
  // relaxed: the lock orders it, which the last searching worker held when it stopped
  if (!searching_.compare_exchange(expected, true, relaxed)) return;
  pool_worker* const whom = sleeper();
  whom->searches.set(true);
  wake(*whom, calls);
}

void work_stealing_coordinator::wake(pool_worker& whom, deferred_wakes& calls) noexcept {
  note_asleep(whom, false);
  if (waiting_.placement && here() != nullptr) {
    whom.woken_from.set(waiting_.placement->processor_here());
    whom.woken_at_ns.set(waiting_.now_ns());
  }
  whom.wake_word.store(wake_word_awake, release);  // pairs: pool.wake_word
  calls.note(whom, waiting_);
  count_pool_event(pool_event::wake);
}

bool work_stealing_coordinator::all_asleep() noexcept {
  const pool_lock guard{mutex_};
  return asleep_.size() == expected_.get() && intake_.empty();
}

void work_stealing_coordinator::note_asleep(pool_worker& whom, bool asleep) noexcept {
  if (asleep) {
    asleep_.add(whom.number);
  } else {
    asleep_.remove(whom.number);
  }
  // seq_cst: tied to the intake (inv 1)
  sleeping_hint_.store(asleep_.size(), seq_cst);  // pairs: pool.asleep
}

}  // namespace tactor::inline v0::internal
