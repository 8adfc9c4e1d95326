// SPDX-License-Identifier: BSL-1.0
// In the order of a worker's loop: it takes the next cell, else searches, else sleeps. Then how a
// cell becomes ready, what needs the lock, and how workers come and go.
#include "tactor/host/workers/work_stealing_coordinator.hpp"

#include "tactor/base/assert.hpp"
#include "tactor/base/lock_guard.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/lifo_slot_ref.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/host/workers/message_cost.hpp"
#include "tactor/host/workers/pool_settings.hpp"
#include "tactor/host/workers/pool_worker.hpp"
#include "tactor/host/workers/worker_set.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>  // IWYU pragma: keep (placement new)
#include <optional>
#include <span>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

constinit TACTOR_THREAD_LOCAL pool_worker* worker_here = nullptr;

// Pauses between two searches: each search takes cache lines from the workers that run.
constexpr int pauses_per_search = port::has_real_layout ? 50 : 1;

}  // namespace

// 1 A worker takes the next cell.

ready_cell* work_stealing_coordinator::next_slowly(pool_worker& here) noexcept {
  while (ready_cell* const each = pick(here)) {
    if (begin_turn(here, *each)) [[likely]]
      return each;
  }
  here.running.store(nullptr, relaxed);  // relaxed: for reports
  here.idles.add(1);
  return nullptr;
}

ready_cell* work_stealing_coordinator::pick(pool_worker& here) noexcept {
  if (here.progress.value() >= here.slot_limit) {
    const std::uint64_t kept = std::exchange(here.budget_kept, 0);
    here.slot_limit = here.progress.value() + (kept != 0 ? kept : slot_budget);
    if (kept == 0) {
      if (ready_cell* const next_one = pick_fairly(here)) return next_one;
    } else if (ready_cell* const injected = pick_injected(here)) {
      return injected;
    }
  }
  if (here.inbox_filled.load(relaxed)) [[unlikely]] {  // relaxed: a hint
    const lock_guard guard{mutex_};
    move_inbox(here, here);
  }
  if (ready_cell* const next_one = here.take_next()) return next_one;
  if (ready_cell* const oldest = here.ring.pop()) return oldest;
  return pick_injected(here);
}

// The LIFO slot has used up its budget: its cell goes behind the others, so that cells that keep
// sending to each other do not hold up the rest.
ready_cell* work_stealing_coordinator::pick_fairly(pool_worker& here) noexcept {
  if (ready_cell* const last = here.take_next()) push(here, *last);
  here.injected_next = !here.injected_next;
  if (here.injected_next) {
    if (ready_cell* const injected = pick_injected(here)) return injected;
  }
  return here.ring.pop();
}

// Takes an injected cell: from the list, whose cells are older, or from the intake. Moves others to
// the ring, but no more than a fair share.
[[gnu::noinline]] ready_cell* work_stealing_coordinator::pick_injected(pool_worker& here) noexcept {
  ready_cell* first = nullptr;
  if (injected_hint_.load(relaxed) != 0) {  // relaxed: a hint
    const lock_guard guard{mutex_};
    first = injected_.pop();
    if (first != nullptr) (void)move_injected(here, share_.get() - 1);
    show_injected();
  }
  if (first == nullptr) first = take_in(here);
  const bool some_wait =
      here.ring.size() != 0 || here.lifo_slot.load(relaxed) != nullptr;  // relaxed: this thread's
  if (here.unwatched && some_wait) wake_a_watcher(here);
  return first;
}

// Takes all cells of the intake. Returns: the oldest; null if there is none. A fair share of the
// others goes to the ring, the rest to the list, for other workers.
ready_cell* work_stealing_coordinator::take_in(pool_worker& here) noexcept {
  if (intake_.seems_empty()) return nullptr;
  const cell_intake::chain taken = intake_.take_all();
  if (taken.size == 0) return nullptr;
  std::size_t left = taken.size - 1;
  ready_cell* each = left != 0 ? taken.oldest->next.get() : nullptr;
  for (std::size_t share = fair_share(taken.size); share > 1 && left != 0; --share, --left) {
    ready_cell* const newer = each->next.get();  // read first: another worker may steal the cell
    if (!queue(here, *each)) break;
    each = newer;
  }
  if (left != 0) {
    deferred_wakes calls{&here};
    const lock_guard guard{mutex_};
    injected_.append(*each, *taken.newest, left);
    share_out();
    wake_for_injected(calls);
  }
  return taken.oldest;
}

// 2 A worker finds nothing: it searches the others.

bool work_stealing_coordinator::wait(pool_worker& here) noexcept {
  rest slept = rest::sent_to_search;
  while (slept == rest::sent_to_search) {
    if (!is_draining(here) && search(here)) return true;
    slept = park(here);
  }
  return slept == rest::found;
}

// Returns true if a worker other than the caller is awake. A hint.
bool work_stealing_coordinator::others_run() const noexcept {
  return attached_hint_.load(relaxed) > sleeping() + 1;  // relaxed: a hint
}

bool work_stealing_coordinator::search_once(pool_worker& here) noexcept {
  if (here.blocking || !others_run() || !parked_.begin_search(here)) return false;
  const bool found = search_victims(here);
  deferred_wakes calls{&here};
  const lock_guard guard{mutex_};
  hand_over_search(here, calls);
  return found;
}

// Searches for a while, as long as other workers run: without them there is nothing to steal. If it
// finds nothing, it remains the searching worker.
bool work_stealing_coordinator::search(pool_worker& here) noexcept {
  if (here.blocking) return false;
  if (!here.searches.get() && (!others_run() || !parked_.begin_search(here))) return false;
  const std::uint64_t begun = parked_.how().now_ns();
  bool found = false;
  do {
    for (int i = 0; i < pauses_per_search && !is_due(here); ++i)
      port::cpu_relax();
    found = is_due(here) || search_victims(here);
  } while (!found && others_run() && parked_.how().now_ns() - begun < spin_ns);
  if (!found) return false;
  ready_cell* const injected = take_in(here);
  if (injected != nullptr && !here.put_next(*injected)) push(here, *injected);
  deferred_wakes calls{&here};
  const lock_guard guard{mutex_};
  found = collect(here);
  hand_over_search(here, calls);
  unpark(here, calls);
  return found;
}

bool work_stealing_coordinator::is_due(const pool_worker& here) const noexcept {
  return injected() != 0 || here.inbox_filled.load(relaxed);  // relaxed: a hint
}

bool work_stealing_coordinator::search_victims(pool_worker& here) noexcept {
  const std::uint64_t now = parked_.how().now_ns();
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
  if (steals && victim.ring.steal_half_into(here.ring) != 0) return true;

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
  if (ring_is_stuck && victim.ring.steal_half_into(here.ring) != 0) return true;
  const std::uint64_t waited_ns = now - seen.turn_since_ns;
  if (slot != nullptr && waited_ns >= slot_steal_after_ns && victim.steal_next(*slot)) {
    push(here, *slot);
    return true;
  }
  if (!inbox_filled || waited_ns < ring_steal_after_ns) return false;
  const lock_guard guard{mutex_};
  move_inbox(victim, here);
  return here.ring.size() != 0;
}

// 3 Then it sleeps.

// The parking protocol. A draining worker gives up its roles, and `detach` passes on what it was
// woken for. Keeps inv 1 and 3.
// NOLINTNEXTLINE(readability-function-cognitive-complexity): it is in one place
work_stealing_coordinator::rest work_stealing_coordinator::park(pool_worker& here) noexcept {
  std::uint64_t nap_ns = first_nap_ns;
  for (;;) {
    bool watches = false;
    bool last = false;
    {
      deferred_wakes calls{&here};
      const lock_guard guard{mutex_};
      parked_.stop_search(here);
      bool found = collect(here);
      if (is_draining(here)) {
        here.left.set(true);
        unpark(here, calls);
        return rest::leaves;
      }
      if (!found && !shutting_down_.get()) {
        parked_.fall_asleep(here, attached_.get());
        found = !intake_.empty();
        if (found) parked_.stay_awake(here);
      }
      if (found || shutting_down_.get()) {
        unpark(here, calls);
        if (!injected_.empty()) wake_for_injected(calls);
        return found ? rest::found : rest::leaves;
      }
      last = parked_.size() == attached_.get();
      watches = here.watches.get();
    }
    if (last && parked_.how().at_rest != nullptr)
      parked_.how().at_rest(here.wake_word, parked_workers::wake_word_asleep);
    if (parked_.sleep(here, watches ? std::optional{nap_ns} : std::nullopt)) {
      parked_.make_way(here);
      if (here.searches.get()) return rest::sent_to_search;
      nap_ns = first_nap_ns;
    } else {
      if (watch(here)) return rest::found;
      nap_ns = std::min(2 * nap_ns, last_nap_ns);
    }
  }
}

// One check of the watcher, whose sleep has timed out. Returns: whether it found a cell to run.
bool work_stealing_coordinator::watch(pool_worker& here) noexcept {
  {
    const lock_guard guard{mutex_};
    if (parked_.contains(here)) parked_.stay_awake(here);  // otherwise it was just woken
  }
  parked_.make_way(here);
  if (!search_once(here)) return false;
  deferred_wakes calls{&here};
  const lock_guard guard{mutex_};
  unpark(here, calls);
  return true;
}

// 4 A cell becomes ready.

// Returns: whether the caller has to queue the cell. A plain load and store suffice for a cell that
// is out: only one thread may register it, and the last drain happens before that, so the load does
// not return an older mark.
bool work_stealing_coordinator::mark_queued(ready_cell& cell) noexcept {
  using enum ready_cell::mark;
  // no mutant: the mailbox orders a registration after the last drain, as said
  ready_cell::mark was = cell.ready.load(acquire);  // pairs: pool.mark
  if (was == queued) return false;
  // The cell keeps its place. The worker that reaches it sees what this thread wrote; if the cell
  // has just been skipped, this thread sees that its link is no longer used.
  if (was == removed && cell.ready.compare_exchange(was, queued, acq_rel))  // pairs: pool.mark
    return false;
  cell.ready.store(queued, relaxed);  // relaxed: the queue publishes it
  return true;
}

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
  // relaxed: publishes nothing
  (void)cell.ready.compare_exchange(expected, ready_cell::mark::removed, relaxed);
}

// A sender takes the lock only to wake a worker. Only the sender that finds the intake empty wakes
// one: until the intake is empty again, a worker is awake that will look into it.
[[gnu::noinline]] void work_stealing_coordinator::inject(ready_cell& cell) noexcept {
  if (!mark_queued(cell)) return;
  if (kind_ == pool_kind::blocking) return inject_locked(cell);
  if (!intake_.push(cell)) return;
  if (parked_.may_have_missed() && !parked_.search_will_see()) wake_searching_worker();
}

// Each cell wakes a worker.
void work_stealing_coordinator::inject_locked(ready_cell& cell) noexcept {
  deferred_wakes calls{here()};
  const lock_guard guard{mutex_};
  injected_.push(cell);
  show_injected();
  wake_for_injected(calls);
}

// Queues behind the other cells. Wakes a worker only if that pays.
[[gnu::noinline]] void work_stealing_coordinator::push(pool_worker& here,
                                                       ready_cell& cell) noexcept {
  if (!queue(here, cell)) [[unlikely]]
    return overflow(here, cell);
  const std::size_t queued = here.ring.size();
  const std::uint32_t message_ns = here.message_ns.load(relaxed);  // relaxed: an estimate
  if (queued < surplus && !is_worth_waking(queued, message_ns)) return;
  if (sleeping() != 0 && !parked_.is_searched()) wake_searching_worker();
}

// Returns: false if the ring is full and cannot grow.
bool work_stealing_coordinator::queue(pool_worker& here, ready_cell& cell) noexcept {
  return here.ring.push(cell) || (here.ring.grow(*pages_) && here.ring.push(cell));
}

// The ring is full and cannot grow.
[[gnu::noinline]] void work_stealing_coordinator::overflow(pool_worker& here,
                                                           ready_cell& cell) noexcept {
  std::array<ready_cell*, pool_worker::ring_type::most_at_once> oldest{};
  const std::size_t count = here.ring.take_oldest(oldest);
  deferred_wakes calls{&here};
  const lock_guard guard{mutex_};
  for (ready_cell* const each : std::span{oldest}.first(count))
    injected_.push(*each);
  injected_.push(cell);
  share_out();
  wake_for_injected(calls);
}

// Returns the cell of this pool that the cell whose turn is over has overloaded; null: none.
[[gnu::noinline]] const ready_cell* work_stealing_coordinator::overload_target() const noexcept {
  const ready_cell* const target = std::exchange(this_thread().overload.target, nullptr);
  if (target == nullptr) [[likely]]
    return nullptr;
  // The source may also be a cell that ran here earlier and did not yield.
  const bool by_this_cell = this_thread().overload.source == this_thread().sender;
  const bool same_pool = target->coordinator.load(relaxed) == this;  // relaxed: compared
  return by_this_cell && same_pool ? target : nullptr;
}

void work_stealing_coordinator::go_on_later(pool_worker& here, ready_cell& cell,
                                            const ready_cell* overload_target) noexcept {
  const std::uint64_t limit = std::exchange(here.slot_limit, 0);
  here.budget_kept = limit - std::min(limit, here.progress.value());
  cell.last_worker.store(static_cast<std::uint16_t>(here.number), relaxed);  // relaxed: a hint
  if (here.blocking) return inject(cell);
  if (!mark_queued(cell)) return;
  if (overload_target != nullptr) [[unlikely]] {
    const std::uint32_t runs_it = overload_target->last_worker.load(relaxed);  // relaxed: a hint
    if (runs_it != here.number && push_to_worker(runs_it, cell)) return;
  }
  push(here, cell);
  if (here.unwatched) [[unlikely]]
    wake_a_watcher(here);
}

// Returns: false if there is no such worker.
[[gnu::noinline]] bool work_stealing_coordinator::push_to_worker(std::uint32_t number,
                                                                 ready_cell& cell) noexcept {
  deferred_wakes calls{here()};
  const lock_guard guard{mutex_};
  if (number >= workers() || !workers_[number]->attached.get()) return false;
  pool_worker& whom = *workers_[number];
  whom.inbox.push(cell);
  whom.inbox_filled.store(true, relaxed);  // relaxed: a hint
  if (parked_.contains(whom)) {
    parked_.wake(whom, calls);
  } else if (!parked_.has_watcher()) {
    parked_.appoint_watcher(calls);  // inv 3: the turn that it waits behind may take long
  }
  return true;
}

void work_stealing_coordinator::wake_searching_worker() noexcept {
  deferred_wakes calls{here()};
  const lock_guard guard{mutex_};
  parked_.wake_to_search(calls);
}

// Keeps inv 3: a cell is queued behind a turn that may take long.
[[gnu::noinline]] void work_stealing_coordinator::wake_a_watcher(pool_worker& here) noexcept {
  here.unwatched = false;
  open_lifo_slot(here);
  const bool searches = watcher_searches(here.message_ns.load(relaxed));  // relaxed: an estimate
  deferred_wakes calls{&here};
  const lock_guard guard{mutex_};
  if (!parked_.has_watcher()) parked_.appoint_watcher(calls, searches);
}

// 5 With the lock: queues.

// Returns true if the worker's own queues hold a cell. Removed cells do not count.
bool work_stealing_coordinator::has_own(pool_worker& here) noexcept {
  const auto is_removed = [](const ready_cell& cell) {
    return cell.ready.load(relaxed) == ready_cell::mark::removed;  // relaxed: checked again
  };
  ready_cell* const next_one = here.lifo_slot.load(relaxed);  // relaxed: written by this thread
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

// Returns: false if the cell was registered again and has to run.
bool work_stealing_coordinator::pass_over(ready_cell& cell) noexcept {
  ready_cell::mark expected = ready_cell::mark::removed;
  // no mutant: the mutant of `mark_out` shows the pair
  return cell.ready.compare_exchange(expected, ready_cell::mark::out, acq_rel);  // pairs: pool.mark
}

// Moves the worker's inbox, or its share of the list of injected cells, to its ring. Returns:
// whether the worker has a cell to run, or one of the intake.
bool work_stealing_coordinator::collect(pool_worker& here) noexcept {
  if (!here.inbox.empty()) move_inbox(here, here);
  if (has_own(here)) return true;
  drop_removed();
  const bool found = move_injected(here, share_.get()) != 0;
  show_injected();
  return found || !intake_.empty();
}

// Moves the cells of the intake to the list.
void work_stealing_coordinator::move_intake() noexcept {
  const cell_intake::chain taken = intake_.take_all();
  if (taken.size == 0) return;
  injected_.append(*taken.oldest, *taken.newest, taken.size);
  share_out();
}

bool work_stealing_coordinator::anything_injected() const noexcept {
  return !injected_.empty() || !intake_.empty();
}

void work_stealing_coordinator::drop_removed() noexcept {
  while (ready_cell* const oldest = injected_.front()) {
    if (oldest->ready.load(relaxed) != ready_cell::mark::removed) break;  // relaxed: checked again
    (void)injected_.pop();
    if (!pass_over(*oldest)) injected_.push(*oldest);
  }
  show_injected();
}

// Returns a worker's share of `cells`. The lock need not be held.
std::size_t work_stealing_coordinator::fair_share(std::size_t cells) const noexcept {
  const std::size_t workers = std::max(attached_hint_.load(relaxed), 1U);  // relaxed: a hint
  return std::min((cells + workers - 1) / workers, pool_worker::ring_type::most_at_once);
}

// Cells were appended to the list: says how many of them each worker takes. That stays as it is
// while the list gets shorter, so that the number of times that workers come for 1 000 cells does
// not grow with the number of workers. A cell of a blocking pool is taken alone.
void work_stealing_coordinator::share_out() noexcept {
  if (kind_ == pool_kind::computing) share_.set(fair_share(injected_.size()));
  show_injected();
}

std::size_t work_stealing_coordinator::move_injected(pool_worker& to, std::size_t most) noexcept {
  std::size_t count = 0;
  while (count < most && !injected_.empty() && to.ring.push(*injected_.front())) {
    (void)injected_.pop();
    ++count;
  }
  return count;
}

void work_stealing_coordinator::move_inbox(pool_worker& from, pool_worker& to) noexcept {
  while (!from.inbox.empty() && to.ring.push(*from.inbox.front()))
    (void)from.inbox.pop();
  from.inbox_filled.store(!from.inbox.empty(), relaxed);  // relaxed: a hint
}

void work_stealing_coordinator::show_injected() noexcept {
  injected_hint_.store(injected_.size(), relaxed);  // relaxed: a hint
}

// 6 With the lock: how a worker begins to run, and who is woken.

// The worker found a cell. A worker that it wakes searches in its place.
void work_stealing_coordinator::hand_over_search(pool_worker& here,
                                                 deferred_wakes& calls) noexcept {
  if (!here.searches.get()) return;
  parked_.stop_search(here);
  if (anything_injected() || here.ring.size() >= surplus) parked_.wake_to_search(calls);
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
  const bool watched = parked_.stop_watching(here);
  const bool has_next = here.lifo_slot.load(relaxed) != nullptr;  // relaxed: written by this thread
  const bool some_wait = here.ring.size() > (has_next ? 0 : 1);   // behind the cell that runs next
  if (!parked_.has_watcher() && (watched || some_wait)) parked_.appoint_watcher(calls);
  here.unwatched = !parked_.has_watcher() && parked_.size() != 0;
  open_lifo_slot(here);
}

// A cell was injected: wakes a worker unless one is already searching.
void work_stealing_coordinator::wake_for_injected(deferred_wakes& calls) noexcept {
  if (kind_ == pool_kind::computing) return parked_.wake_to_search(calls);
  parked_.wake_one(calls);
}

// 7 Workers come and go.

bool work_stealing_coordinator::open(const pool_settings& settings) noexcept {
  TACTOR_ASSERT(settings.workers >= 1 && settings.workers <= most_workers, panics::pool_size);
  const lock_guard guard{mutex_};
  TACTOR_ASSERT(workers() == 0, panics::pool_in_use);
  if (!make_workers(settings.workers, *settings.pages)) return false;
  expected_.set(settings.workers);
  for (std::uint32_t number = 0; number < settings.workers; ++number)
    workers_[number]->left.set(false);
  kind_ = settings.kind;
  pages_ = settings.pages;
  parked_.open(settings.waiting);
  shutting_down_.set(false);
  share_.set(1);
  return true;
}

// Publishes the number of workers only if there is memory for all.
bool work_stealing_coordinator::make_workers(std::uint32_t count, page_source& pages) noexcept {
  for (std::uint32_t number = workers(); number < count; ++number) {
    if (workers_[number] != nullptr) continue;
    void* const storage = pages.allocate(sizeof(pool_worker), alignof(pool_worker));
    if (storage == nullptr) return false;
    workers_[number] = ::new (storage) pool_worker{*this, number};
  }
  // no mutant: as in `workers`
  if (count > workers()) count_.store(count, release);  // pairs: pool.count
  return true;
}

bool work_stealing_coordinator::grow(std::uint32_t workers) noexcept {
  TACTOR_ASSERT(workers <= most_workers, panics::pool_size);
  const lock_guard guard{mutex_};
  return make_workers(workers, *pages_);
}

void work_stealing_coordinator::expect_attach(std::uint32_t number) noexcept {
  const lock_guard guard{mutex_};
  pool_worker& whom = *workers_[number];
  TACTOR_ASSERT(number < workers() && !whom.attached.get(), panics::pool_size);
  whom.left.set(false);
  whom.draining.store(false, relaxed);  // relaxed: a hint
  expected_.set(expected_.get() + 1);
}

void work_stealing_coordinator::cancel_attach(std::uint32_t number) noexcept {
  const lock_guard guard{mutex_};
  workers_[number]->left.set(true);  // there is no thread whose drain could be cancelled
  expected_.set(expected_.get() - 1);
}

void work_stealing_coordinator::drain_worker(std::uint32_t number) noexcept {
  deferred_wakes calls{here()};
  const lock_guard guard{mutex_};
  pool_worker& whom = *workers_[number];
  whom.draining.store(true, relaxed);  // relaxed: checked under the lock
  if (parked_.contains(whom)) parked_.wake(whom, calls);
}

bool work_stealing_coordinator::cancel_drain(std::uint32_t number) noexcept {
  const lock_guard guard{mutex_};
  pool_worker& whom = *workers_[number];
  if (whom.left.get()) return false;
  whom.draining.store(false, relaxed);  // relaxed: checked under the lock
  return true;
}

void work_stealing_coordinator::shut_down() noexcept {
  std::array<port::atomic<std::uint32_t>*, most_workers> wake_words{};
  std::uint32_t count = 0;
  void (*wake_thread)(port::atomic<std::uint32_t>&) noexcept = nullptr;
  {
    const lock_guard guard{mutex_};
    shutting_down_.set(true);
    wake_thread = parked_.how().wake;
    while (pool_worker* const each = parked_.end_a_sleep())
      wake_words[count++] = &each->wake_word;
  }
  for (std::uint32_t i = 0; i < count; ++i)
    wake_thread(*wake_words[i]);
}

void work_stealing_coordinator::close() noexcept {
  const lock_guard guard{mutex_};
  TACTOR_ASSERT(attached_.get() == 0 && !anything_injected(), panics::pool_in_use);
  count_.store(0, relaxed);  // relaxed: the lock orders it
}

pool_worker& work_stealing_coordinator::attach(std::uint32_t number) noexcept {
  deferred_wakes calls{here()};
  const lock_guard guard{mutex_};
  TACTOR_ASSERT(number < workers() && !workers_[number]->attached.get(), panics::pool_size);
  pool_worker& here = *workers_[number];
  here.attached.set(true);
  attached_.set(attached_.get() + 1);
  attached_hint_.store(attached_.get(), relaxed);  // relaxed: a hint
  here.blocking = kind_ == pool_kind::blocking;
  here.slot_limit = here.progress.value() + slot_budget;
  here.budget_kept = 0;
  unpark(here, calls);
  worker_here = &here;
  this_thread().may_block = here.blocking;
  return here;
}

void work_stealing_coordinator::detach(pool_worker& here) noexcept {
  deferred_wakes calls{nullptr};  // the thread goes on as none
  const lock_guard guard{mutex_};
  while (ready_cell* const each = here.inbox.pop())
    injected_.push(*each);
  here.inbox_filled.store(false, relaxed);  // relaxed: a hint
  if (ready_cell* const each = here.take_next()) injected_.push(*each);
  while (ready_cell* const each = here.ring.pop())
    injected_.push(*each);
  if (!injected_.empty()) share_out();
  here.attached.set(false);
  here.draining.store(false, relaxed);  // relaxed: a hint
  attached_.set(attached_.get() - 1);
  expected_.set(expected_.get() - 1);
  attached_hint_.store(attached_.get(), relaxed);  // relaxed: a hint
  worker_here = nullptr;
  this_thread().next = {};
  this_thread().may_block = false;
  if (anything_injected()) wake_for_injected(calls);
}

// 8 For those who do not know which worker they are, and for reports.

pool_worker* work_stealing_coordinator::here() const noexcept {
  pool_worker* const worker = worker_here;
  return worker != nullptr && worker->pool == this ? worker : nullptr;
}

void work_stealing_coordinator::handle_invoke_result(ready_cell& cell,
                                                     const invoke_result& result) noexcept {
  if (pool_worker* const worker = here()) return report(*worker, cell, result);
  if (has_more(result)) inject(cell);
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
  move_intake();
  while (count < out.size() && !injected_.empty()) {
    ready_cell* const each = injected_.pop();
    if (mark_out(*each)) out[count++] = each;
  }
  show_injected();
  return count;
}

wait_signal work_stealing_coordinator::poll_wait_signal() noexcept {
  return anything_for(here()) ? wait_signal::ready : wait_signal::pending;
}

bool work_stealing_coordinator::anything_for(pool_worker* here) noexcept {
  const lock_guard guard{mutex_};
  if (here != nullptr && !here->inbox.empty()) move_inbox(*here, *here);
  if (here != nullptr && has_own(*here)) return true;
  move_intake();
  drop_removed();
  return !injected_.empty();
}

bool work_stealing_coordinator::all_asleep() noexcept {
  const lock_guard guard{mutex_};
  return parked_.size() == expected_.get() && intake_.empty();
}

/// Without the lock: it holds up no worker. Cells in an inbox, which are rare, count as one.
ready_queue_usage work_stealing_coordinator::usage() noexcept {
  ready_queue_usage all{.cells = injected(), .bytes = sizeof(*this)};
  for (std::uint32_t number = 0; number < workers(); ++number) {
    const pool_worker& each = worker(number);
    const bool in_slot = each.lifo_slot.load(relaxed) != nullptr;  // relaxed: a hint
    const bool in_inbox = each.inbox_filled.load(relaxed);         // relaxed: a hint
    all.cells += each.ring.size() + (in_slot ? 1 : 0) + (in_inbox ? 1 : 0);
    all.bytes += sizeof(pool_worker);
    if (is_draining(each)) ++all.draining;
  }
  all.workers = attached_hint_.load(relaxed);  // relaxed: a hint
  return all;
}

}  // namespace tactor::inline v0::internal
