// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/pool/work_stealing_coordinator.hpp"

#include "tactor/base/assert.hpp"
#include "tactor/base/lock_guard.hpp"
#include "tactor/core/actor/cell.hpp"
#include "tactor/core/actor/thread_record.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/host/futex.hpp"
#include "tactor/host/pool/pool_settings.hpp"
#include "tactor/host/pool/pool_worker.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>  // IWYU pragma: keep (placement new)
#include <optional>
#include <span>
#include <utility>

namespace tactor::inline v0::host {
namespace {

// Pauses between two looks at the others: each look takes a cache line from somebody who works.
constexpr int pauses_per_look = port::has_real_layout ? 50 : 1;

constinit TACTOR_THREAD_LOCAL pool_worker* worker_here = nullptr;

}  // namespace

// Opening and ending.

bool work_stealing_coordinator::open(const pool_settings& settings) noexcept {
  TACTOR_ASSERT(settings.workers >= 1 && settings.workers <= most_workers, panics::pool_size);
  const lock_guard guard{mutex_};
  TACTOR_ASSERT(count_ == 0, panics::pool_in_use);
  for (std::uint32_t number = 0; number < settings.workers; ++number) {
    if (workers_[number] != nullptr) continue;
    void* const room = settings.pages->allocate(sizeof(pool_worker), alignof(pool_worker));
    if (room == nullptr) return false;
    workers_[number] = ::new (room) pool_worker{*this, number};
  }
  count_ = settings.workers;
  kind_ = settings.kind;
  waiting_ = settings.waiting;
  shutting_down_.set(false);
  return true;
}

void work_stealing_coordinator::shut_down() noexcept {
  std::array<port::atomic<std::uint32_t>*, most_workers> bells{};
  std::uint32_t count = 0;
  void (*ring)(port::atomic<std::uint32_t>&) noexcept = nullptr;
  {
    const lock_guard guard{mutex_};
    shutting_down_.set(true);
    ring = waiting_.wake;
    while (pool_worker* const each = sleeper()) {
      note_asleep(*each, false);
      each->bell.store(awake_bell, release);  // pairs: pool.bell
      bells[count++] = &each->bell;
    }
  }
  for (std::uint32_t i = 0; i < count; ++i)
    ring(*bells[i]);
}

void work_stealing_coordinator::shut() noexcept {
  const lock_guard guard{mutex_};
  TACTOR_ASSERT(seated_.get() == 0 && injected_.empty(), panics::pool_in_use);
  count_ = 0;
}

pool_worker& work_stealing_coordinator::sit_down(std::uint32_t number) noexcept {
  wake_up_calls calls;
  const lock_guard guard{mutex_};
  TACTOR_ASSERT(number < count_ && !workers_[number]->seated.get(), panics::pool_size);
  pool_worker& here = *workers_[number];
  here.seated.set(true);
  seated_.set(seated_.get() + 1);
  seated_hint_.store(seated_.get(), relaxed);  // relaxed: a hint
  here.blocking = kind_ == pool_kind::blocking;
  here.quick_turns = most_quick_turns;
  here.turns_kept = 0;
  get_up(here, calls);
  worker_here = &here;
  return here;
}

void work_stealing_coordinator::stand_up(pool_worker& here) noexcept {
  wake_up_calls calls;
  const lock_guard guard{mutex_};
  while (ready_cell* const each = here.inbox.pop())
    injected_.append(*each);
  here.has_mail.store(false, relaxed);  // relaxed: a hint
  if (ready_cell* const each = here.take_next()) injected_.append(*each);
  while (ready_cell* const each = here.ring.pop())
    injected_.append(*each);
  note_injected();
  here.seated.set(false);
  seated_.set(seated_.get() - 1);
  seated_hint_.store(seated_.get(), relaxed);  // relaxed: a hint
  worker_here = nullptr;
  this_thread().next = {};
  if (!injected_.empty()) wake_for_injected(calls);
}

pool_worker* work_stealing_coordinator::here() const noexcept {
  pool_worker* const whoever = worker_here;
  return whoever != nullptr && whoever->home == this ? whoever : nullptr;
}

// The mark.

// Returns: whether the cell has to be put somewhere. A plain load and store suffice to queue a cell
// that is out: only one may register it, and knows of the drain before, so it does not find an older
// mark than that drain's.
bool work_stealing_coordinator::mark_queued(ready_cell& cell) noexcept {
  using enum ready_cell::mark;
  ready_cell::mark was = cell.ready.load(acquire);  // pairs: pool.mark
  if (was == queued) return false;
  // It stands where it stood. Whoever comes to it learns what this thread did; if it has just been
  // passed over, this thread learns that its link is not used any more.
  if (was == removed && cell.ready.compare_exchange(was, queued, acq_rel))  // pairs: pool.mark
    return false;
  cell.ready.store(queued, relaxed);  // relaxed: the place it is put into publishes it
  return true;
}

// Making ready.

void work_stealing_coordinator::register_ready(ready_cell& cell) noexcept {
  if (pool_worker* const worker = here()) {
    register_ready(*worker, cell);
  } else {
    inject(cell);
  }
}

void work_stealing_coordinator::register_ready(pool_worker& here, ready_cell& cell) noexcept {
  if (here.blocking) [[unlikely]]
    return inject(cell);
  if (!mark_queued(cell)) return;
  if (!here.put_next(cell)) push(here, cell);
  if (here.unwatched) [[unlikely]]
    wake_a_watcher(here);
}

void work_stealing_coordinator::unregister(ready_cell& cell) noexcept {
  ready_cell::mark expected = ready_cell::mark::queued;
  // relaxed: says nothing but itself
  (void)cell.ready.compare_exchange(expected, ready_cell::mark::removed, relaxed);
}

[[gnu::noinline]] void work_stealing_coordinator::inject(ready_cell& cell) noexcept {
  if (!mark_queued(cell)) return;
  wake_up_calls calls;
  const lock_guard guard{mutex_};
  injected_.append(cell);
  note_injected();
  wake_for_injected(calls);
}

// Behind the others. It wakes somebody only if there are many.
[[gnu::noinline]] void work_stealing_coordinator::push(pool_worker& here,
                                                       ready_cell& cell) noexcept {
  if (!here.ring.push(cell)) [[unlikely]]
    return overflow(here, cell);
  if (here.ring.size() < surplus) return;
  const bool somebody_sleeps = sleeping_hint_.load(relaxed) != 0;  // relaxed: a hint
  const bool somebody_searches = searching_.load(relaxed);         // relaxed: a hint
  if (somebody_sleeps && !somebody_searches) wake_for_surplus();
}

[[gnu::noinline]] void work_stealing_coordinator::overflow(pool_worker& here,
                                                           ready_cell& cell) noexcept {
  std::array<ready_cell*, pool_worker::ring_capacity / 2> half{};
  const std::size_t count = here.ring.take_half(half);
  wake_up_calls calls;
  const lock_guard guard{mutex_};
  for (ready_cell* const each : std::span{half}.first(count))
    injected_.append(*each);
  injected_.append(cell);
  note_injected();
  wake_for_injected(calls);
}

void work_stealing_coordinator::go_on_later(pool_worker& here, ready_cell& cell) noexcept {
  const ready_cell* flooded = std::exchange(this_thread().flooded, nullptr);
  if (flooded != nullptr) [[unlikely]] {
    // Where somebody is flooded, both are `cell`s. It may have been another one, in an earlier turn.
    const auto& whom = static_cast<const class cell&>(*flooded);
    const auto& who = static_cast<const class cell&>(cell);
    const bool by_this_one = this_thread().flooder == origin::of_actor(who.slot, who.tenant);
    const bool here_too = whom.coordinator.load(relaxed) == this;  // relaxed: only compared
    if (!by_this_one || !here_too) flooded = nullptr;
  }
  go_on_later(here, cell, flooded);
}

void work_stealing_coordinator::go_on_later(pool_worker& here, ready_cell& cell,
                                            const ready_cell* flooded) noexcept {
  here.turns_kept = std::exchange(here.quick_turns, 0);
  cell.last_worker.store(static_cast<std::uint16_t>(here.number), relaxed);  // relaxed: a hint
  if (here.blocking) return inject(cell);
  if (!mark_queued(cell)) return;
  if (flooded != nullptr) [[unlikely]] {
    const std::uint32_t runs_it = flooded->last_worker.load(relaxed);  // relaxed: a hint
    if (runs_it != here.number && hand_to(runs_it, cell)) return;
  }
  push(here, cell);
  if (here.unwatched) [[unlikely]]
    wake_a_watcher(here);
}

// Returns: false if there is no such worker.
[[gnu::noinline]] bool work_stealing_coordinator::hand_to(std::uint32_t number,
                                                          ready_cell& cell) noexcept {
  wake_up_calls calls;
  const lock_guard guard{mutex_};
  if (number >= count_ || !workers_[number]->seated.get()) return false;
  pool_worker& whom = *workers_[number];
  whom.inbox.append(cell);
  whom.has_mail.store(true, relaxed);  // relaxed: a hint
  if (asleep_.contains(number)) wake(whom, calls);
  return true;
}

void work_stealing_coordinator::handle_invoke_result(ready_cell& cell,
                                                     const invoke_result& result) noexcept {
  if (pool_worker* const worker = here()) return report(*worker, cell, result);
  if (has_more(result)) inject(cell);
}

// Taking what is ready.

ready_cell* work_stealing_coordinator::next_slowly(pool_worker& here) noexcept {
  while (ready_cell* const each = pick(here)) {
    if (begin_turn(here, *each)) [[likely]]
      return each;
  }
  here.running.store(nullptr, relaxed);  // relaxed: for reports
  return nullptr;
}

// NOLINTNEXTLINE(readability-function-cognitive-complexity): a list of places, in their order
ready_cell* work_stealing_coordinator::pick(pool_worker& here) noexcept {
  constexpr std::size_t some = pool_worker::ring_capacity / 2;
  if (here.quick_turns == 0) {
    const bool after_many = here.turns_kept == 0;
    here.quick_turns = after_many ? most_quick_turns : std::exchange(here.turns_kept, 0);
    if (ready_cell* const injected = pick_injected(here, some)) return injected;
    if (after_many) {
      if (ready_cell* const oldest = here.ring.pop()) return oldest;
    }
  }
  --here.quick_turns;
  if (here.has_mail.load(relaxed)) [[unlikely]]  // relaxed: a hint
    open_inbox(here);
  if (ready_cell* const next_one = here.take_next()) return next_one;
  if (ready_cell* const oldest = here.ring.pop()) return oldest;
  return pick_injected(here, some);
}

// One of those injected; up to `most` in all come along, but no more than a fair share.
[[gnu::noinline]] ready_cell* work_stealing_coordinator::pick_injected(pool_worker& here,
                                                                       std::size_t most) noexcept {
  if (injected_hint_.load(relaxed) == 0) return nullptr;  // relaxed: a hint
  ready_cell* first = nullptr;
  {
    const lock_guard guard{mutex_};
    const std::size_t share = std::min(most, fair_share());
    first = injected_.pop();
    if (first != nullptr) (void)move_injected(here, share - 1);
    note_injected();
  }
  if (here.unwatched && here.ring.size() != 0) wake_a_watcher(here);
  return first;
}

[[gnu::noinline]] void work_stealing_coordinator::open_inbox(pool_worker& here) noexcept {
  const lock_guard guard{mutex_};
  move_mail(here, here);
}

std::size_t work_stealing_coordinator::drain_ready_cycle(std::span<ready_cell*> out) noexcept {
  std::size_t count = 0;
  if (pool_worker* const worker = here()) {
    while (count < out.size()) {
      ready_cell* const each = next_for(*worker);
      if (each != nullptr) {
        out[count++] = each;
      } else if (count != 0 || !search_once(*worker)) {
        break;
      }
    }
    return count;
  }
  const lock_guard guard{mutex_};
  while (count < out.size() && !injected_.empty()) {
    ready_cell* const each = injected_.pop();
    if (mark_out(*each)) out[count++] = each;
  }
  note_injected();
  return count;
}

wait_signal work_stealing_coordinator::poll_wait_signal() noexcept {
  return anything_for(here()) ? wait_signal::ready : wait_signal::pending;
}

bool work_stealing_coordinator::anything_for(pool_worker* here) noexcept {
  const lock_guard guard{mutex_};
  if (here != nullptr && !here->inbox.empty()) move_mail(*here, *here);
  if (here != nullptr && has_own(*here)) return true;
  drop_removed();
  return !injected_.empty();
}

// Whether something stands in the worker's own places. What was removed does not count.
bool work_stealing_coordinator::has_own(pool_worker& here) noexcept {
  const auto is_removed = [](const ready_cell& cell) {
    return cell.ready.load(relaxed) == ready_cell::mark::removed;  // relaxed: judged again
  };
  ready_cell* const next_one = here.slot.load(relaxed);  // relaxed: this thread has put it there
  if (next_one != nullptr) {
    if (!is_removed(*next_one)) return true;
    ready_cell* const taken = here.take_next();
    if (taken != nullptr && !pass_over(*taken)) return here.put_next(*taken);
  }
  while (ready_cell* const oldest = here.ring.front()) {
    if (!is_removed(*oldest)) return true;
    ready_cell* const taken = here.ring.pop();
    if (taken != nullptr && !pass_over(*taken)) return here.ring.push(*taken);
  }
  return false;
}

// Returns: false if it is to run after all.
bool work_stealing_coordinator::pass_over(ready_cell& cell) noexcept {
  ready_cell::mark expected = ready_cell::mark::removed;
  return cell.ready.compare_exchange(expected, ready_cell::mark::out, acq_rel);  // pairs: pool.mark
}

// Searching.

// Whether another worker than the one who asks is awake. A hint.
bool work_stealing_coordinator::others_run() const noexcept {
  const std::uint32_t seated = seated_hint_.load(relaxed);    // relaxed: a hint
  const std::uint32_t asleep = sleeping_hint_.load(relaxed);  // relaxed: a hint
  return seated > asleep + 1;
}

// Keeps inv 2.
bool work_stealing_coordinator::begin_search(pool_worker& here) noexcept {
  if (here.searches.get()) return true;
  if (searching_.load(relaxed)) return false;  // relaxed: a hint
  bool nobody = false;
  if (!searching_.compare_exchange(nobody, true, acquire)) return false;  // pairs: pool.search
  here.searches.set(true);
  return true;
}

bool work_stealing_coordinator::search_once(pool_worker& here) noexcept {
  if (here.blocking || !others_run() || !begin_search(here)) return false;
  const bool found = look_round(here);
  wake_up_calls calls;
  const lock_guard guard{mutex_};
  end_search(here, calls);
  return found;
}

// Looks for work until there is some, for a while, as long as others run: alone there is nothing to
// find. If it finds nothing it is still the one who searches.
bool work_stealing_coordinator::search(pool_worker& here) noexcept {
  if (here.blocking) return false;
  if (!here.searches.get() && (!others_run() || !begin_search(here))) return false;
  const std::uint64_t begun = waiting_.now_ns();
  bool found = false;
  do {
    for (int i = 0; i < pauses_per_look && !is_due(here); ++i)
      port::cpu_relax();
    found = is_due(here) || look_round(here);
  } while (!found && others_run() && waiting_.now_ns() - begun < spin_ns);
  if (!found) return false;
  wake_up_calls calls;
  const lock_guard guard{mutex_};
  found = collect(here);
  end_search(here, calls);
  get_up(here, calls);
  return found;
}

bool work_stealing_coordinator::is_due(const pool_worker& here) const noexcept {
  return injected_hint_.load(relaxed) != 0 || here.has_mail.load(relaxed);  // relaxed: hints
}

bool work_stealing_coordinator::look_round(pool_worker& here) noexcept {
  const std::uint64_t now = waiting_.now_ns();
  for (std::uint32_t i = 1; i < count_; ++i) {
    pool_worker& each = *workers_[(here.number + i) % count_];
    if (free_from(each, here, now)) return true;
  }
  return false;
}

// Takes from `victim` what it has plenty of, or what it does not come to.
bool work_stealing_coordinator::free_from(pool_worker& victim, pool_worker& here,
                                          std::uint64_t now) noexcept {
  const std::size_t held = victim.ring.size();
  if (held >= surplus && victim.ring.steal_half_into(here.ring) != 0) return true;

  pool_worker::sight seen = victim.seen.get();
  const std::uint64_t position = held != 0 ? victim.ring.position() : pool_worker::sight::nowhere;
  if (std::exchange(seen.position, position) != position) seen.position_since_ns = now;
  ready_cell* const slot = victim.slot.load(relaxed);  // relaxed: only compared
  const bool mail = victim.has_mail.load(relaxed);     // relaxed: a hint
  const pool_worker::sight::turn turn{.number = victim.turns.value(), .slot = slot, .mail = mail};
  if (std::exchange(seen.current, turn) != turn) seen.turn_since_ns = now;
  victim.seen.set(seen);

  const bool ring_is_stuck = held != 0 && now - seen.position_since_ns >= ring_patience_ns;
  if (ring_is_stuck && victim.ring.steal_half_into(here.ring) != 0) return true;
  const std::uint64_t turn_ns = now - seen.turn_since_ns;
  if (slot != nullptr && turn_ns >= slot_patience_ns && victim.steal_next(*slot)) {
    push(here, *slot);
    return true;
  }
  return mail && turn_ns >= ring_patience_ns && take_mail_of(victim, here);
}

bool work_stealing_coordinator::take_mail_of(pool_worker& victim, pool_worker& here) noexcept {
  const lock_guard guard{mutex_};
  move_mail(victim, here);
  return here.ring.size() != 0;
}

void work_stealing_coordinator::wake_for_surplus() noexcept {
  wake_up_calls calls;
  const lock_guard guard{mutex_};
  wake_searcher(calls);
}

// Keeps inv 3: something stands behind a turn that may last.
[[gnu::noinline]] void work_stealing_coordinator::wake_a_watcher(pool_worker& here) noexcept {
  here.unwatched = false;
  open_next_place(here);
  wake_up_calls calls;
  const lock_guard guard{mutex_};
  if (watcher_.get() == nullptr) appoint_watcher(calls);
}

// Sleeping.

bool work_stealing_coordinator::wait(pool_worker& here) noexcept {
  while (true) {
    if (search(here)) return true;
    switch (lie_down(here)) {
    case rest::found:
      return true;
    case rest::shut_down:
      return false;
    case rest::sent_to_search:
      break;
    }
  }
}

// NOLINTNEXTLINE(readability-function-cognitive-complexity): the parking protocol, in one place
work_stealing_coordinator::rest work_stealing_coordinator::lie_down(pool_worker& here) noexcept {
  std::uint64_t nap_ns = first_nap_ns;
  while (true) {
    bool watches = false;
    {
      wake_up_calls calls;
      const lock_guard guard{mutex_};
      stop_search(here);
      const bool found = collect(here);
      if (found || shutting_down_.get()) {
        get_up(here, calls);
        if (!injected_.empty()) wake_for_injected(calls);
        return found ? rest::found : rest::shut_down;
      }
      fall_asleep(here);
      watches = here.watches.get();
    }
    if (sleep(here, watches ? std::optional{nap_ns} : std::nullopt) == nap::over) {
      if (watch(here)) return rest::found;
      nap_ns = std::min(2 * nap_ns, last_nap_ns);
    } else if (here.searches.get()) {
      return rest::sent_to_search;
    }
  }
}

work_stealing_coordinator::nap
work_stealing_coordinator::sleep(pool_worker& here, std::optional<std::uint64_t> nap_ns) noexcept {
  std::optional<std::uint64_t> until_ns;
  if (nap_ns) until_ns = waiting_.now_ns() + *nap_ns;
  while (here.bell.load(acquire) == asleep_bell) {  // pairs: pool.bell
    const futex_result result = waiting_.sleep(here.bell, asleep_bell, until_ns);
    if (result == futex_result::timed_out) return nap::over;
  }
  return nap::woken;
}

// One look of the one who watches, whose nap is over. Returns: whether it found something to run.
bool work_stealing_coordinator::watch(pool_worker& here) noexcept {
  {
    const lock_guard guard{mutex_};
    if (asleep_.contains(here.number)) note_asleep(here, false);  // or somebody woke it just now
  }
  if (!others_run() || !begin_search(here) || !look_round(here)) return false;
  wake_up_calls calls;
  const lock_guard guard{mutex_};
  end_search(here, calls);
  get_up(here, calls);
  return true;
}

// With the lock.

// In its last critical section before it sleeps. Keeps inv 1 and 3.
void work_stealing_coordinator::fall_asleep(pool_worker& here) noexcept {
  here.bell.store(asleep_bell, relaxed);  // relaxed: only who has the lock writes it
  note_asleep(here, true);
  const bool somebody_runs = seated_.get() > asleep_.size();
  const bool has_to_watch =
      somebody_runs && !here.blocking && (watcher_.get() == nullptr || watcher_.get() == &here);
  if (watcher_.get() == &here || has_to_watch) watcher_.set(has_to_watch ? &here : nullptr);
  here.watches.set(has_to_watch);
}

// Takes for `here` what is its own, or its share of what was injected. Returns: whether there is
// something.
bool work_stealing_coordinator::collect(pool_worker& here) noexcept {
  if (!here.inbox.empty()) move_mail(here, here);
  if (has_own(here)) return true;
  drop_removed();
  const bool found = move_injected(here, fair_share()) != 0;
  note_injected();
  return found;
}

void work_stealing_coordinator::drop_removed() noexcept {
  while (ready_cell* const oldest = injected_.front()) {
    if (oldest->ready.load(relaxed) != ready_cell::mark::removed) break;  // relaxed: judged again
    (void)injected_.pop();
    if (!pass_over(*oldest)) injected_.append(*oldest);
  }
  note_injected();
}

std::size_t work_stealing_coordinator::fair_share() const noexcept {
  if (kind_ == pool_kind::blocking) return 1;
  const std::size_t share = injected_.size() / std::max(seated_.get(), 1U) + 1;
  return std::min(share, pool_worker::ring_capacity / 2);
}

std::size_t work_stealing_coordinator::move_injected(pool_worker& to, std::size_t most) noexcept {
  std::size_t count = 0;
  while (count < most && !injected_.empty() && to.ring.push(*injected_.front())) {
    (void)injected_.pop();
    ++count;
  }
  return count;
}

void work_stealing_coordinator::move_mail(pool_worker& from, pool_worker& to) noexcept {
  while (!from.inbox.empty() && to.ring.push(*from.inbox.front()))
    (void)from.inbox.pop();
  from.has_mail.store(!from.inbox.empty(), relaxed);  // relaxed: a hint
}

// It found something. Whoever it wakes searches in its place.
void work_stealing_coordinator::end_search(pool_worker& here, wake_up_calls& calls) noexcept {
  if (!here.searches.get()) return;
  stop_search(here);
  if (!injected_.empty() || here.ring.size() >= surplus) wake_searcher(calls);
}

// Keeps inv 2: what was injected in trust of the search is looked at by the caller, later.
void work_stealing_coordinator::stop_search(pool_worker& here) noexcept {
  if (!here.searches.get()) return;
  here.searches.set(false);
  searching_.store(false, release);  // pairs: pool.search
}

// Who sends from this thread puts the first cell where it is next without asking, but not while the
// pool wants to know of each one. Context: the owner.
void work_stealing_coordinator::open_next_place(pool_worker& here) noexcept {
  this_thread().next =
      here.unwatched ? next_place{} : next_place{.queue = this, .slot = &here.slot};
}

// It goes on running. Keeps inv 3.
void work_stealing_coordinator::get_up(pool_worker& here, wake_up_calls& calls) noexcept {
  if (here.blocking) return;
  const bool watched = watcher_.get() == &here;
  if (watched) {
    watcher_.set(nullptr);
    here.watches.set(false);
  }
  const bool some_stand_behind = here.ring.size() > 1;
  if (watcher_.get() == nullptr && (watched || some_stand_behind)) appoint_watcher(calls);
  here.unwatched = watcher_.get() == nullptr && asleep_.size() != 0;
  open_next_place(here);
}

// Wakes one who sleeps, so that it sleeps on with a timeout.
void work_stealing_coordinator::appoint_watcher(wake_up_calls& calls) noexcept {
  pool_worker* const whom = sleeper();
  if (whom == nullptr) return;
  watcher_.set(whom);
  whom->watches.set(true);
  wake(*whom, calls);
}

// One who sleeps, rather not the one who watches; if it has to be that one, it does not any more.
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

// Something was injected: somebody has to come, unless it is about to.
void work_stealing_coordinator::wake_for_injected(wake_up_calls& calls) noexcept {
  if (kind_ == pool_kind::computing) return wake_searcher(calls);
  if (pool_worker* const whom = sleeper()) wake(*whom, calls);
}

// Unless somebody searches already: that one looks here before it stops (inv 2).
void work_stealing_coordinator::wake_searcher(wake_up_calls& calls) noexcept {
  if (asleep_.size() == 0) return;
  bool nobody = false;
  if (!searching_.compare_exchange(nobody, true, acquire)) return;  // pairs: pool.search
  pool_worker* const whom = sleeper();
  whom->searches.set(true);
  wake(*whom, calls);
}

void work_stealing_coordinator::wake(pool_worker& whom, wake_up_calls& calls) noexcept {
  note_asleep(whom, false);
  whom.bell.store(awake_bell, release);  // pairs: pool.bell
  calls.note(whom, waiting_);
}

void work_stealing_coordinator::note_asleep(pool_worker& whom, bool asleep) noexcept {
  if (asleep) {
    asleep_.add(whom.number);
  } else {
    asleep_.remove(whom.number);
  }
  sleeping_hint_.store(asleep_.size(), relaxed);  // relaxed: a hint
}

void work_stealing_coordinator::note_injected() noexcept {
  injected_hint_.store(injected_.size(), relaxed);  // relaxed: a hint
}

std::size_t work_stealing_coordinator::depth() const noexcept {
  std::size_t count = injected();
  for (const pool_worker* const each : std::span{workers_}.first(count_))
    count +=
        each->ring.size() + (each->slot.load(relaxed) != nullptr ? 1U : 0U);  // relaxed: a hint
  return count;
}

}  // namespace tactor::inline v0::host
