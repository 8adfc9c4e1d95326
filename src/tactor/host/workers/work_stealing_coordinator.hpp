// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/host/workers/pool_settings.hpp"
#include "tactor/host/workers/pool_worker.hpp"
#include "tactor/host/workers/ready_chain.hpp"
#include "tactor/host/workers/worker_set.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

// What a pool's users can do wrong.
namespace tactor::inline v0::panics {
inline constexpr port::panic_code pool_size{
    .module = 8, .id = 1, .advice = "a pool has 1 to 256 workers, and each sits down once"};
inline constexpr port::panic_code pool_in_use{
    .module = 8,
    .id = 2,
    .advice = "a pool is shut after its workers have stood up and its cells have been drained"};
}  // namespace tactor::inline v0::panics

namespace tactor::inline v0::internal {

/// The ready queue of a pool of threads.
///
/// What a worker makes ready stays with it: one cell in a slot that is next, the others in its ring.
/// What other threads make ready is injected. A worker without work searches, one at a time: it
/// takes from others what they will not come to soon. Whoever finds nothing sleeps.
///
/// A thread of the pool: `attach`, then `next_for`, run the cell, `report`, over and over; `wait`
/// when there is none, until that says that it is over; `detach`.
///
/// Type-stable: a sender may still be about to wake a worker when the system is gone, so a pool and
/// its workers are never destroyed, only used again. (Those in tests have no late senders.)
///
/// Thread safety: `register_ready`, `unregister`, `shut_down` and all that only looks from any thread;
/// `open` and `shut` by the owner; the rest by the worker named.
///
/// inv 1  What is injected, the inboxes, who sleeps and who watches change under `mutex_` only, and a
///        worker lies down in the same critical section in which it looks a last time. So nothing that
///        is injected is slept through, whatever the hints say.
/// inv 2  At most one worker searches. Whoever stops searching does so under `mutex_`, and looks there
///        whether something was injected in trust of its search.
/// inv 3  While a worker runs and others sleep, one of those has a timeout (it watches), or those who
///        run know that there is none (`unwatched`) and wake one as soon as a cell stands behind them.
/// inv 4  A cell stands in one place at most, and only if its mark says `queued` or `removed`.
class work_stealing_coordinator final : public ready_queue_coordinator {
public:
  static constexpr std::uint32_t most_workers = worker_set::most;
  /// A ring with so many is worth waking somebody, and may be stolen from at once.
  static constexpr std::size_t surplus = port::has_real_layout ? 8 : 2;
  /// So many turns in a row, then what was injected and the ring come before the slot. After a turn
  /// that had to yield what was injected comes at once: 64 such turns would last too long.
  static constexpr std::uint32_t most_quick_turns = 64;
  static constexpr std::uint64_t spin_ns = 30'000;
  /// What has stood so long behind one turn may be stolen.
  static constexpr std::uint64_t slot_patience_ns = 5'000;
  static constexpr std::uint64_t ring_patience_ns = 20'000;
  /// How long the one who watches sleeps: from the first, doubling, to the last.
  static constexpr std::uint64_t first_nap_ns = 100'000;
  static constexpr std::uint64_t last_nap_ns = 1'000'000;

  work_stealing_coordinator() noexcept = default;
  work_stealing_coordinator(const work_stealing_coordinator&) = delete;
  work_stealing_coordinator& operator=(const work_stealing_coordinator&) = delete;
  ~work_stealing_coordinator() = default;

  // The owner's.

  /// Makes it ready for use. Returns: false if there is no memory for the workers; then nothing has
  /// changed. Requires: new, or shut.
  [[nodiscard]] bool open(const pool_settings& settings) noexcept;
  /// From now on `wait` does not sleep any more: it is over for a worker that has nothing left to do.
  /// Cells may still be made ready. Context: any thread.
  void shut_down() noexcept;
  /// Ends its use. Requires: every worker stood up; nothing is queued (drain it on your own thread).
  void close() noexcept;

  // A worker's, on its thread.

  /// The calling thread is the worker `number` from now on. Requires: it is nobody's worker yet, and
  /// nobody else is this one.
  pool_worker& attach(std::uint32_t number) noexcept;
  /// It is not any more. What stands in its places is injected.
  void detach(pool_worker& here) noexcept;
  /// Takes the next cell to run: its own, its inbox, what was injected. Returns: null if there is none.
  [[nodiscard]] ready_cell* next_for(pool_worker& here) noexcept {
    if (here.quick_turns != 0 && !here.has_mail.load(relaxed)) [[likely]] {  // relaxed: a hint
      ready_cell* const next_one = here.take_next();
      if (next_one != nullptr) [[likely]] {
        --here.quick_turns;
        if (begin_turn(here, *next_one)) [[likely]]
          return next_one;
      }
    }
    return next_slowly(here);
  }
  /// `handle_invoke_result` of that worker.
  void report(pool_worker& here, ready_cell& cell, const invoke_result& result) noexcept {
    if (has_more(result)) [[unlikely]]  // otherwise it may be somebody else's by now
      go_on_later(here, cell);
  }
  /// The cell has more to do. In its turn it sent more to `overload_target` than that keeps up with, so it goes
  /// on where `overload_target` runs; null: to nobody. Requires: `overload_target` is a cell of this pool.
  void go_on_later(pool_worker& here, ready_cell& cell, const ready_cell* overload_target) noexcept;
  /// Waits until there may be something to run: searches, then sleeps.
  /// Returns: false if the pool is to shut down and there is nothing for this worker.
  [[nodiscard]] bool wait(pool_worker& here) noexcept;
  /// `register_ready` on a worker's thread.
  void register_ready(pool_worker& here, ready_cell& cell) noexcept;
  /// `register_ready` on any other.
  void inject(ready_cell& cell) noexcept;
  /// Looks once whether another worker has something to take. Returns: whether it has been taken.
  bool search_once(pool_worker& here) noexcept;
  /// Whether there is something that this worker would take; null: something injected.
  [[nodiscard]] bool anything_for(pool_worker* here) noexcept;

  /// The worker of this pool that the calling thread is; null: none.
  [[nodiscard]] pool_worker* here() const noexcept;

  // The seam.

  /// Requires: the calling thread knows what the last one knew that drained this cell; a mailbox
  /// sees to that.
  void register_ready(ready_cell& cell) noexcept override;
  /// The entry stays where it is and is passed over. Requires: the cell is used for nothing else
  /// before it has been (its mark says `out`).
  void unregister(ready_cell& cell) noexcept override;
  /// On a thread that is no worker of the pool: what was injected.
  [[nodiscard]] std::size_t drain_ready_cycle(std::span<ready_cell*> out) noexcept override;
  [[nodiscard]] wait_signal poll_wait_signal() noexcept override;
  void handle_invoke_result(ready_cell& cell, const invoke_result& result) noexcept override;

  // For reports.

  /// How many there may be.
  [[nodiscard]] std::uint32_t workers() const noexcept { return count_; }
  /// What belongs to one of them. Requires: `number` is less than that.
  [[nodiscard]] const pool_worker& worker(std::uint32_t number) const noexcept {
    return *workers_[number];
  }
  /// How many cells were injected and not yet taken. A hint.
  [[nodiscard]] std::size_t injected() const noexcept {
    return injected_hint_.load(relaxed);  // relaxed: a hint
  }
  /// How many workers sleep. A hint.
  [[nodiscard]] std::uint32_t sleeping() const noexcept {
    return sleeping_hint_.load(relaxed);  // relaxed: a hint
  }
  /// Whether every worker has sat down and sleeps: then nothing is ready (inv 1).
  [[nodiscard]] bool all_asleep() noexcept;
  /// How many cells are ready in all places. A hint.
  [[nodiscard]] std::size_t depth() const noexcept;

  port::cell<work_stealing_coordinator*> next;  // among those nobody uses; of `stable_store`

private:
  static constexpr std::size_t apart = pool_worker::apart;

  /// Who is to be woken when the lock has been let go of. With all that it needs: by then the pool may
  /// be somebody else's.
  class deferred_wakes {
  public:
    deferred_wakes() noexcept = default;
    deferred_wakes(const deferred_wakes&) = delete;
    deferred_wakes& operator=(const deferred_wakes&) = delete;
    ~deferred_wakes() {
      for (std::size_t i = 0; i < count_; ++i)
        wake_(*wake_words_[i]);
    }
    void note(pool_worker& whom, const pool_waiting& how) noexcept {
      wake_ = how.wake;
      wake_words_[count_++] = &whom.wake_word;
    }

  private:
    std::array<port::atomic<std::uint32_t>*, 2> wake_words_{};
    std::size_t count_ = 0;
    void (*wake_)(port::atomic<std::uint32_t>&) noexcept = nullptr;
  };
  enum class nap : std::uint8_t { woken, over };
  enum class rest : std::uint8_t { found, sent_to_search, shut_down };
  // What a worker's bell says.
  static constexpr std::uint32_t wake_word_asleep = 0;
  static constexpr std::uint32_t wake_word_awake = 1;

  // The mark.
  [[nodiscard]] static bool mark_queued(ready_cell& cell) noexcept;
  /// Returns: whether the cell is to run. A plain load and store suffice to take out a queued one,
  /// which is this worker's from now on: it has left its place, so nobody else comes to it. In between
  /// somebody may remove it and even register it again, and the store hides both: then it was drained
  /// before it was removed, and it is about to run, which is what it was registered for; that it does
  /// not know what was done before that is no different from mail that arrives in its turn.
  [[nodiscard]] static bool mark_out(ready_cell& cell) noexcept {
    using enum ready_cell::mark;
    ready_cell::mark was = cell.ready.load(acquire);                       // pairs: pool.mark
    if (was == removed && cell.ready.compare_exchange(was, out, acq_rel))  // pairs: pool.mark
      return false;
    cell.ready.store(out, release);  // pairs: pool.mark
    return true;
  }
  [[nodiscard]] static bool pass_over(ready_cell& cell) noexcept;

  // A worker's places.
  [[nodiscard]] static bool begin_turn(pool_worker& here, ready_cell& cell) noexcept {
    if (!mark_out(cell)) [[unlikely]]
      return false;
    here.turns.add(1);
    here.running.store(&cell, relaxed);  // relaxed: for reports
    return true;
  }
  [[nodiscard]] ready_cell* next_slowly(pool_worker& here) noexcept;
  void go_on_later(pool_worker& here, ready_cell& cell) noexcept;
  [[nodiscard]] ready_cell* pick(pool_worker& here) noexcept;
  [[nodiscard]] ready_cell* pick_injected(pool_worker& here, std::size_t most) noexcept;
  void open_inbox(pool_worker& here) noexcept;
  void push(pool_worker& here, ready_cell& cell) noexcept;
  void overflow(pool_worker& here, ready_cell& cell) noexcept;
  [[nodiscard]] bool push_to_worker(std::uint32_t number, ready_cell& cell) noexcept;
  [[nodiscard]] static bool has_own(pool_worker& here) noexcept;

  // Searching.
  [[nodiscard]] bool others_run() const noexcept;
  [[nodiscard]] bool is_due(const pool_worker& here) const noexcept;
  [[nodiscard]] bool begin_search(pool_worker& here) noexcept;
  [[nodiscard]] bool search(pool_worker& here) noexcept;
  [[nodiscard]] bool search_victims(pool_worker& here) noexcept;
  [[nodiscard]] bool free_from(pool_worker& victim, pool_worker& here, std::uint64_t now) noexcept;
  [[nodiscard]] bool take_mail_of(pool_worker& victim, pool_worker& here) noexcept;
  void wake_for_surplus() noexcept;
  void wake_a_watcher(pool_worker& here) noexcept;
  void open_next_place(pool_worker& here) noexcept;

  // Sleeping.
  [[nodiscard]] rest park(pool_worker& here) noexcept;
  [[nodiscard]] nap sleep(pool_worker& here, std::optional<std::uint64_t> nap_ns) noexcept;
  [[nodiscard]] bool watch(pool_worker& here) noexcept;

  // With `mutex_` held.
  void fall_asleep(pool_worker& here) noexcept;
  [[nodiscard]] bool collect(pool_worker& here) noexcept;
  void drop_removed() noexcept;
  [[nodiscard]] std::size_t fair_share() const noexcept;
  [[nodiscard]] std::size_t move_injected(pool_worker& to, std::size_t most) noexcept;
  static void move_mail(pool_worker& from, pool_worker& to) noexcept;
  void end_search(pool_worker& here, deferred_wakes& calls) noexcept;
  void stop_search(pool_worker& here) noexcept;
  void unpark(pool_worker& here, deferred_wakes& calls) noexcept;
  void appoint_watcher(deferred_wakes& calls) noexcept;
  [[nodiscard]] pool_worker* sleeper() noexcept;
  void wake_for_injected(deferred_wakes& calls) noexcept;
  void wake_searching_worker(deferred_wakes& calls) noexcept;
  void wake(pool_worker& whom, deferred_wakes& calls) noexcept;
  void note_asleep(pool_worker& whom, bool asleep) noexcept;
  void note_injected() noexcept;

  // constant from `open` to `shut`, and known to who sat down since; to others under `mutex_`
  std::array<pool_worker*, most_workers> workers_{};  // kept for ever
  std::uint32_t count_ = 0;
  pool_kind kind_ = pool_kind::computing;
  pool_waiting waiting_{.sleep = nullptr, .wake = nullptr, .now_ns = nullptr};

  // Written by: who has the lock. Read by: workers. Publishes: nothing; the lock does.
  alignas(apart) port::atomic<std::size_t> injected_hint_;
  port::atomic<std::uint32_t> sleeping_hint_;
  port::atomic<std::uint32_t> seated_hint_;
  // Written by: a worker that begins to search; under the lock, who stops, and who wakes somebody to
  // search. Read by: any. Publishes: `pool_worker::seen` of all.
  port::atomic<bool> searching_;

  alignas(apart) port::mutex mutex_;
  // protected by mutex_
  ready_chain injected_;
  worker_set asleep_;
  port::cell<std::uint32_t> seated_;
  port::cell<pool_worker*> watcher_;  // asleep, or between two looks
  port::cell<bool> shutting_down_;
};

}  // namespace tactor::inline v0::internal
