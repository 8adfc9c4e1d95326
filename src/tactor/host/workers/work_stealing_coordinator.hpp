// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_fifo.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/host/workers/cell_intake.hpp"
#include "tactor/host/workers/parked_workers.hpp"
#include "tactor/host/workers/pool_settings.hpp"
#include "tactor/host/workers/pool_worker.hpp"
#include "tactor/host/workers/worker_set.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

// Misuse of a pool.
namespace tactor::inline v0::panics {
inline constexpr port::panic_code pool_size{
    .module = 8, .id = 1, .advice = "a pool has 1 to 256 workers, and each is attached once"};
inline constexpr port::panic_code pool_in_use{
    .module = 8,
    .id = 2,
    .advice = "a pool is closed after its workers are detached and its cells are drained"};
}  // namespace tactor::inline v0::panics

namespace tactor::inline v0::internal {

/// The ready queue of a thread pool.
///
/// A cell that a worker makes ready stays with that worker: one cell in its LIFO slot, the others
/// in its ring. Cells that other threads make ready are injected. A worker without work searches,
/// one worker at a time: it steals cells that another worker will not reach soon. A worker that
/// finds nothing sleeps.
///
/// A thread of the pool calls `attach`, then in a loop `next_for`, runs the cell, `report`; `wait`
/// when there is no cell; and `detach` once `wait` returns false.
///
/// Type-stable: a sender may be about to wake a worker after the system has ended, so a pool and
/// its workers are never destroyed, only reused. (Pools in tests have no late senders.)
///
/// Thread safety: `register_ready`, `unregister`, `shut_down` and the reading functions from any
/// thread; `open` and `close` by the owner; the rest by the worker named.
///
/// inv 1  The list of injected cells, the inboxes, the sleeping workers and the watcher change
///        under `mutex_` only, and a worker marks itself as sleeping in the critical section of its
///        last check. So no cell in them is missed, whatever the hints say. Other threads inject
///        into `intake_`, without the lock: a thread that finds it empty reads afterwards whether a
///        worker sleeps, and a worker that has marked itself as sleeping looks into it once more.
/// inv 2  At most one worker searches. A worker stops searching under `mutex_`, and checks there
///        for cells that were injected without a wake because a worker was searching.
/// inv 3  While some workers run and others sleep, one sleeper has a timeout (the watcher), or the
///        running workers know that there is none (`unwatched`) and wake a sleeper as soon as a
///        cell is queued behind their turn.
/// inv 4  A cell is in at most one queue, and only while its mark is `queued` or `removed`.
class work_stealing_coordinator final : public ready_queue_coordinator {
public:
  static constexpr std::uint32_t most_workers = worker_set::most;
  /// A ring with this many cells wakes a worker, and may be stolen from at once; a ring with fewer
  /// if their messages are long.
  static constexpr std::size_t surplus = port::has_real_layout ? 8 : 2;
  /// Each turn and each message that it handles takes one of the LIFO slot's budget. When it is
  /// used up, the cell in the slot is queued behind the ring, and the ring and the injected cells
  /// are served in turn. After a turn that yielded, injected cells are served at once.
  static constexpr std::uint64_t slot_budget = 128;
  static constexpr std::uint64_t spin_ns = 30'000;
  /// A cell that has waited this long behind one turn may be stolen.
  static constexpr std::uint64_t slot_steal_after_ns = 5'000;
  static constexpr std::uint64_t ring_steal_after_ns = 20'000;
  /// The watcher's sleep: from the first, doubling, to the last.
  static constexpr std::uint64_t first_nap_ns = 100'000;
  static constexpr std::uint64_t last_nap_ns = 1'000'000;

  work_stealing_coordinator() noexcept = default;
  work_stealing_coordinator(const work_stealing_coordinator&) = delete;
  work_stealing_coordinator& operator=(const work_stealing_coordinator&) = delete;
  ~work_stealing_coordinator() = default;

  // Called by the owner of the pool, unless the context says otherwise.

  /// Prepares the pool. Returns: false, and nothing has changed, if there is no memory for the
  /// workers. Requires: new, or closed.
  [[nodiscard]] bool open(const pool_settings& settings) noexcept;
  /// From now on `wait` does not sleep: it returns false for a worker that has nothing left to run.
  /// Cells may still be made ready. Context: any thread.
  void shut_down() noexcept;
  /// Makes workers up to the number `workers`, which `expect_attach` then allows to attach.
  /// Returns: false, and nothing has changed, if there is no memory. Context: any thread, one at a
  /// time.
  [[nodiscard]] bool grow(std::uint32_t workers) noexcept;
  /// Expects that a thread attaches as this worker. Requires: it is new, or detached. Context: as
  /// above.
  void expect_attach(std::uint32_t number) noexcept;
  /// Takes back `expect_attach`: no thread attaches as this worker after all. Context: as above.
  void cancel_attach(std::uint32_t number) noexcept;
  /// Tells a worker to leave: soon `wait` returns false for it, also if there is something to run,
  /// which is left to the others. Requires: one worker at least is not draining. Context: as above.
  void drain_worker(std::uint32_t number) noexcept;
  /// Undoes `drain_worker`. Returns: false if it is too late, and the worker leaves. Context: as
  /// above.
  [[nodiscard]] bool cancel_drain(std::uint32_t number) noexcept;
  /// Ends the pool's use. Requires: every worker is detached; nothing is queued (drain the pool on
  /// the calling thread).
  void close() noexcept;

  // Called by a worker on its own thread.

  /// Makes the calling thread the worker `number`. Requires: the thread is no worker, and no other
  /// thread is this worker.
  pool_worker& attach(std::uint32_t number) noexcept;
  /// Ends what `attach` began. The worker's cells are injected.
  void detach(pool_worker& here) noexcept;
  /// Takes the next cell to run: the worker's own, its inbox, an injected one. Returns: null if
  /// there is none.
  [[nodiscard]] ready_cell* next_for(pool_worker& here) noexcept {
    if (here.progress.value() < here.slot_limit && !here.inbox_filled.load(relaxed))
        [[likely]] {  // relaxed: a hint
      ready_cell* const next_one = here.take_next();
      if (next_one != nullptr) [[likely]] {
        if (begin_turn(here, *next_one)) [[likely]]
          return next_one;
      }
    }
    return next_slowly(here);
  }
  /// Does what `handle_invoke_result` promises, on the thread of a worker.
  void report(pool_worker& here, ready_cell& cell, const invoke_result& result) noexcept {
    here.progress.add(result.messages);
    if (has_more(result)) [[unlikely]]  // otherwise another worker may run the cell already
      go_on_later(here, cell, overload_target());
  }
  /// Queues a cell that has more to do. If the cell has overloaded `overload_target` in its turn,
  /// it continues on the worker that runs `overload_target`; null: it stays. Requires:
  /// `overload_target` is a cell of this pool.
  void go_on_later(pool_worker& here, ready_cell& cell, const ready_cell* overload_target) noexcept;
  /// Returns true if the worker was told to leave: then it calls `wait`.
  [[nodiscard]] static bool is_draining(const pool_worker& here) noexcept {
    return here.draining.load(relaxed);  // relaxed: a hint, checked under the lock
  }
  /// Waits until there may be something to run: searches, then sleeps.
  /// Returns: false if the pool shuts down and there is nothing for this worker, or if it drains.
  [[nodiscard]] bool wait(pool_worker& here) noexcept;
  /// Does what `register_ready` promises, on the thread of a worker.
  void register_ready(pool_worker& here, ready_cell& cell) noexcept;
  /// Does what `register_ready` promises, on any other thread.
  void inject(ready_cell& cell) noexcept;
  /// Searches the other workers once. Returns: whether it stole a cell.
  bool search_once(pool_worker& here) noexcept;
  /// Returns true if there is a cell that this worker would take; null: an injected cell.
  [[nodiscard]] bool anything_for(pool_worker* here) noexcept;

  /// Returns the worker of this pool that the calling thread is; null: none.
  [[nodiscard]] pool_worker* here() const noexcept;

  // The interface `ready_queue_coordinator`.

  /// Requires: the last drain of this cell happens before this call; a mailbox ensures that.
  void register_ready(ready_cell& cell) noexcept override;
  /// Leaves the entry in its queue, where it is skipped later. Requires: the cell is not reused
  /// before that (until its mark is `out`).
  void unregister(ready_cell& cell) noexcept override;
  /// Takes injected cells, on a thread that is no worker of the pool.
  [[nodiscard]] std::size_t drain_ready_cycle(std::span<ready_cell*> out) noexcept override;
  [[nodiscard]] wait_signal poll_wait_signal() noexcept override;
  void handle_invoke_result(ready_cell& cell, const invoke_result& result) noexcept override;
  [[nodiscard]] ready_queue_usage usage() noexcept override;

  // Read by reports.

  /// Returns the number of workers, with those that have left.
  [[nodiscard]] std::uint32_t workers() const noexcept {
    // no mutant: the array is plain memory, which the checker does not see
    return count_.load(acquire);  // pairs: pool.count
  }
  /// Returns the state of one worker. Requires: `number` is less than `workers()`.
  [[nodiscard]] const pool_worker& worker(std::uint32_t number) const noexcept {
    return *workers_[number];
  }
  /// Returns the number of injected cells that are not taken yet. A hint.
  [[nodiscard]] std::size_t injected() const noexcept {
    return injected_hint_.load(relaxed) + intake_.size();  // relaxed: a hint
  }
  /// Returns the number of sleeping workers. A hint.
  [[nodiscard]] std::uint32_t sleeping() const noexcept { return parked_.seen(); }
  /// Returns true if every expected worker that has not left is attached and sleeps: then nothing
  /// is ready (inv 1).
  [[nodiscard]] bool all_asleep() noexcept;

  port::plain<work_stealing_coordinator*> next;  // among the unused ones; of `stable_store`

private:
  static constexpr std::size_t apart = pool_worker::apart;

  enum class rest : std::uint8_t { found, sent_to_search, leaves };

  // The mark of a cell.
  [[nodiscard]] static bool mark_queued(ready_cell& cell) noexcept;
  /// Returns: whether the cell is to run. A plain load and store suffice for a queued cell: it has
  /// left its queue, so no other worker reaches it. In between another thread may remove the cell
  /// and even register it again, and the store hides both. That is correct: the cell was drained
  /// before it was removed, and is about to run, as the registration wants. The worker may not see
  /// what was written before that registration; it is mail that arrives during the turn.
  [[nodiscard]] static bool mark_out(ready_cell& cell) noexcept {
    using enum ready_cell::mark;
    // no mutant: the queue orders a registration, unless the cell kept its place; that
    // registration's mutant shows the pair
    ready_cell::mark was = cell.ready.load(acquire);                       // pairs: pool.mark
    if (was == removed && cell.ready.compare_exchange(was, out, acq_rel))  // pairs: pool.mark
      return false;
    cell.ready.store(out, release);  // pairs: pool.mark
    return true;
  }
  [[nodiscard]] static bool pass_over(ready_cell& cell) noexcept;

  // The queues of a worker.
  [[nodiscard]] static bool begin_turn(pool_worker& here, ready_cell& cell) noexcept {
    if (!mark_out(cell)) [[unlikely]]
      return false;
    here.progress.add(1);
    // no mutant: only the watch of blocked workers reads it; TSan sees it in its stress test
    here.running.store(&cell, release);  // pairs: pool.running
    return true;
  }
  // A worker takes the next cell.
  [[nodiscard]] ready_cell* next_slowly(pool_worker& here) noexcept;
  [[nodiscard]] ready_cell* pick(pool_worker& here) noexcept;
  [[nodiscard]] ready_cell* pick_fairly(pool_worker& here) noexcept;
  [[nodiscard]] ready_cell* pick_injected(pool_worker& here) noexcept;
  [[nodiscard]] ready_cell* take_in(pool_worker& here) noexcept;

  // It finds nothing: it searches the others.
  [[nodiscard]] bool others_run() const noexcept;
  [[nodiscard]] bool search(pool_worker& here) noexcept;
  [[nodiscard]] bool is_due(const pool_worker& here) const noexcept;
  [[nodiscard]] bool search_victims(pool_worker& here) noexcept;
  [[nodiscard]] bool steal_from(pool_worker& victim, pool_worker& here, std::uint64_t now) noexcept;

  // Then it sleeps.
  [[nodiscard]] rest park(pool_worker& here) noexcept;
  [[nodiscard]] bool watch(pool_worker& here) noexcept;

  // A cell becomes ready.
  void inject_locked(ready_cell& cell) noexcept;
  void push(pool_worker& here, ready_cell& cell) noexcept;
  [[nodiscard]] bool queue(pool_worker& here, ready_cell& cell) noexcept;
  void overflow(pool_worker& here, ready_cell& cell) noexcept;
  [[nodiscard]] const ready_cell* overload_target() const noexcept;
  [[nodiscard]] bool push_to_worker(std::uint32_t number, ready_cell& cell) noexcept;
  void wake_searching_worker() noexcept;
  void wake_a_watcher(pool_worker& here) noexcept;
  void open_lifo_slot(pool_worker& here) noexcept;

  // With `mutex_` held: queues. (`has_own`: also the owner; `fair_share`: any thread.)
  [[nodiscard]] static bool has_own(pool_worker& here) noexcept;
  [[nodiscard]] bool collect(pool_worker& here) noexcept;
  void move_intake() noexcept;
  [[nodiscard]] bool anything_injected() const noexcept;
  void drop_removed() noexcept;
  [[nodiscard]] std::size_t fair_share(std::size_t cells) const noexcept;
  void share_out() noexcept;
  [[nodiscard]] std::size_t move_injected(pool_worker& to, std::size_t most) noexcept;
  static void move_inbox(pool_worker& from, pool_worker& to) noexcept;
  void show_injected() noexcept;

  // With `mutex_` held: how a worker begins to run, and who is woken.
  void hand_over_search(pool_worker& here, deferred_wakes& calls) noexcept;
  void unpark(pool_worker& here, deferred_wakes& calls) noexcept;
  void wake_for_injected(deferred_wakes& calls) noexcept;
  [[nodiscard]] bool make_workers(std::uint32_t count, page_source& pages) noexcept;

  // Written by: `open`, `grow` and `close`, under `mutex_`. Read by: any. Publishes: `workers_`
  // below it.
  port::atomic<std::uint32_t> count_;
  // constant once it is below `count_`
  std::array<pool_worker*, most_workers> workers_{};  // never freed
  // constant from `open` to `close`; read by attached workers, by other threads under `mutex_`
  pool_kind kind_ = pool_kind::computing;
  page_source* pages_ = nullptr;

  // Written by: the holder of the lock. Read by: workers. Publishes: nothing; the lock does.
  alignas(apart) port::atomic<std::size_t> injected_hint_;
  port::atomic<std::uint32_t> attached_hint_;

  alignas(apart) cell_intake intake_;

  alignas(apart) port::mutex mutex_;
  // protected by mutex_
  counted_fifo<ready_cell> injected_;
  port::plain<std::size_t> share_;  // how many of them a worker takes at once
  port::plain<std::uint32_t> attached_;
  port::plain<std::uint32_t> expected_;  // attached, or about to attach
  port::plain<bool> shutting_down_;
  parked_workers parked_{workers_};  // some of it is read by any thread, without the lock
};

}  // namespace tactor::inline v0::internal
