// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/work_stealing_coordinator.hpp"

#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/host/workers/message_cost.hpp"
#include "tactor/host/workers/pool_counts.hpp"
#include "tactor/host/workers/pool_worker.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace tactor::inline v0::internal {

// The mark.

// Returns: whether the caller has to queue the cell. A plain load and store suffice for a cell that
// is out: only one thread may register it, and the last drain happens before that, so the load does
// not return an older mark.
bool work_stealing_coordinator::mark_queued(ready_cell& cell) noexcept {
  using enum ready_cell::mark;
  // no mutant: the mailbox orders a registration after the last drain, as said
  ready_cell::mark was = cell.ready.load(acquire);  // pairs: pool.mark
  if (was == queued) return false;
  // The cell keeps its place. The worker that reaches it sees what this thread wrote; if the cell has
  // just been skipped, this thread sees that its link is no longer used.
  if (was == removed && cell.ready.compare_exchange(was, queued, acq_rel))  // pairs: pool.mark
    return false;
  cell.ready.store(queued, relaxed);  // relaxed: the queue publishes it
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
  // relaxed: publishes nothing
  (void)cell.ready.compare_exchange(expected, ready_cell::mark::removed, relaxed);
}

// A sender takes the lock only to wake a worker. Only the sender that finds the intake empty wakes one:
// until the intake is empty again, a worker is awake that will look into it.
[[gnu::noinline]] void work_stealing_coordinator::inject(ready_cell& cell) noexcept {
  if (!mark_queued(cell)) return;
  if (kind_ == pool_kind::blocking) return inject_locked(cell);
  if (!intake_.push(cell)) return;
  // seq_cst: tied to the intake (inv 1)
  if (sleeping_hint_.load(seq_cst) == 0) return;  // pairs: pool.asleep
  // seq_cst: tied to the intake (inv 2)
  if (searching_.load(seq_cst)) return;  // pairs: pool.search
  deferred_wakes calls;
  const pool_lock guard{mutex_};
  wake_searching_worker(calls);
}

// Each cell wakes a worker.
void work_stealing_coordinator::inject_locked(ready_cell& cell) noexcept {
  deferred_wakes calls;
  const pool_lock guard{mutex_};
  injected_.push(cell);
  note_injected();
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
  const bool is_searched = searching_.load(relaxed);  // relaxed: a hint
  if (sleeping() != 0 && !is_searched) wake_for_surplus();
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
  deferred_wakes calls;
  const pool_lock guard{mutex_};
  for (ready_cell* const each : std::span{oldest}.first(count))
    injected_.push(*each);
  injected_.push(cell);
  share_out();
  wake_for_injected(calls);
}

void work_stealing_coordinator::go_on_later(pool_worker& here, ready_cell& cell) noexcept {
  const ready_cell* overload_target = std::exchange(this_thread().overload.target, nullptr);
  if (overload_target != nullptr) [[unlikely]] {
    // The source may also be a cell that ran here earlier and did not yield.
    const bool by_this_cell = this_thread().overload.source == this_thread().sender;
    const bool same_pool = overload_target->coordinator.load(relaxed) == this;  // relaxed: compared
    if (!by_this_cell || !same_pool) overload_target = nullptr;
  }
  go_on_later(here, cell, overload_target);
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
  deferred_wakes calls;
  const pool_lock guard{mutex_};
  if (number >= workers() || !workers_[number]->attached.get()) return false;
  pool_worker& whom = *workers_[number];
  whom.inbox.push(cell);
  count_pool_event(pool_event::hand_over);
  whom.inbox_filled.store(true, relaxed);  // relaxed: a hint
  if (asleep_.contains(number)) {
    wake(whom, calls);
  } else if (watcher_.get() == nullptr) {
    appoint_watcher(calls);  // inv 3: the turn that it waits behind may take long
  }
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
  here.idles.add(1);
  return nullptr;
}

// NOLINTNEXTLINE(readability-function-cognitive-complexity): a list of queues, in their order
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
  if (here.inbox_filled.load(relaxed)) [[unlikely]]  // relaxed: a hint
    open_inbox(here);
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

// Takes an injected cell: from the list, whose cells are older, or from the intake. Moves others to the
// ring, but no more than a fair share.
[[gnu::noinline]] ready_cell* work_stealing_coordinator::pick_injected(pool_worker& here) noexcept {
  ready_cell* first = nullptr;
  if (injected_hint_.load(relaxed) != 0) {  // relaxed: a hint
    const pool_lock guard{mutex_};
    first = injected_.pop();
    if (first != nullptr) (void)move_injected(here, share_.get() - 1);
    note_injected();
  }
  if (first == nullptr) first = take_in(here);
  const bool some_wait =
      here.ring.size() != 0 || here.lifo_slot.load(relaxed) != nullptr;  // relaxed: this thread's
  if (here.unwatched && some_wait) wake_a_watcher(here);
  return first;
}

// Takes all cells of the intake. Returns: the oldest; null if there is none. A fair share of the others
// goes to the ring, the rest to the list, for other workers.
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
    deferred_wakes calls;
    const pool_lock guard{mutex_};
    injected_.append(*each, *taken.newest, left);
    share_out();
    wake_for_injected(calls);
  }
  return taken.oldest;
}

[[gnu::noinline]] void work_stealing_coordinator::open_inbox(pool_worker& here) noexcept {
  const pool_lock guard{mutex_};
  move_inbox(here, here);
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
  const pool_lock guard{mutex_};
  move_intake();
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
  const pool_lock guard{mutex_};
  if (here != nullptr && !here->inbox.empty()) move_inbox(*here, *here);
  if (here != nullptr && has_own(*here)) return true;
  move_intake();
  drop_removed();
  return !injected_.empty();
}

// Whether the worker's own queues hold a cell. Removed cells do not count.
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

// With the lock.

// Moves the worker's inbox, or its share of the list of injected cells, to its ring. Returns: whether
// the worker has a cell to run, or one of the intake.
bool work_stealing_coordinator::collect(pool_worker& here) noexcept {
  if (!here.inbox.empty()) move_inbox(here, here);
  if (has_own(here)) return true;
  drop_removed();
  const bool found = move_injected(here, share_.get()) != 0;
  note_injected();
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
  note_injected();
}

// A worker's share of `cells`. Without the lock, too.
std::size_t work_stealing_coordinator::fair_share(std::size_t cells) const noexcept {
  const std::size_t workers = std::max(attached_hint_.load(relaxed), 1U);  // relaxed: a hint
  return std::min((cells + workers - 1) / workers, pool_worker::ring_type::most_at_once);
}

// Cells were appended to the list: says how many of them each worker takes. That stays as it is while
// the list gets shorter, so that the number of times that workers come for 1 000 cells does not grow
// with the number of workers. A cell of a blocking pool is taken alone.
void work_stealing_coordinator::share_out() noexcept {
  if (kind_ == pool_kind::computing) share_.set(fair_share(injected_.size()));
  note_injected();
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

void work_stealing_coordinator::note_injected() noexcept {
  injected_hint_.store(injected_.size(), relaxed);  // relaxed: a hint
}

}  // namespace tactor::inline v0::internal
