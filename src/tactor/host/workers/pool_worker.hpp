// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_fifo.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/host/workers/message_cost.hpp"
#include "tactor/host/workers/steal_ring.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::internal {

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is final
class work_stealing_coordinator;

/// The state of one worker of a pool. Type-stable, like the pool.
///
/// Its thread is the owner from `attach` to `detach`. The members are grouped by the threads that
/// access them, a cache line or more for each group, so that a thief does not slow down the owner.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): as said
struct pool_worker {
  // Small in the model, where each slot costs time.
  static constexpr std::size_t first_ring_capacity = port::has_real_layout ? 256 : 4;
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  static constexpr std::size_t apart = port::has_real_layout ? port::cache_line : alignof(void*);
  using ring_type = steal_ring<first_ring_capacity>;

  /// Holds what a searching worker saw here, and since when it has been unchanged.
  struct progress_sample {
    static constexpr std::uint64_t nowhere = ~std::uint64_t{0};

    /// A turn, and the cells that wait behind it.
    struct turn {
      std::uint64_t number = 0;
      const ready_cell* slot = nullptr;
      bool inbox_filled = false;

      friend constexpr bool operator==(const turn&, const turn&) noexcept = default;
    };

    std::uint64_t position = nowhere;  // of the ring, if it held something
    std::uint64_t position_since_ns = 0;
    turn current;
    std::uint64_t turn_since_ns = 0;
    message_cost cost;
  };

  pool_worker(work_stealing_coordinator& owner, std::uint32_t which) noexcept
      : pool(&owner), number(which) {}
  pool_worker(const pool_worker&) = delete;
  pool_worker& operator=(const pool_worker&) = delete;
  ~pool_worker() = default;

  /// Puts a cell into the LIFO slot if it is empty. Context: the owner.
  [[nodiscard]] bool put_next(ready_cell& fresh) noexcept {
    if (lifo_slot.load(relaxed) != nullptr)
      return false;                    // relaxed: only this thread puts cells there
    lifo_slot.store(&fresh, release);  // pairs: pool.lifo_slot
    return true;
  }
  /// Takes the cell out of the LIFO slot. Returns: null if there is none. Context: the owner.
  [[nodiscard]] ready_cell* take_next() noexcept {
    if (lifo_slot.load(relaxed) == nullptr)
      return nullptr;                             // relaxed: only this thread puts cells there
    return lifo_slot.exchange(nullptr, relaxed);  // relaxed: written by this thread
  }
  /// Takes `cell` if it is still in the LIFO slot. Context: a thief.
  [[nodiscard]] bool steal_next(ready_cell& cell) noexcept {
    ready_cell* expected = &cell;
    return lifo_slot.compare_exchange(expected, nullptr, acquire);  // pairs: pool.lifo_slot
  }

  // constant
  work_stealing_coordinator* pool;
  std::uint32_t number;

  // the owner's
  bool blocking = false;          // of the pool
  bool unwatched = false;         // no watcher checks for cells stuck behind a long turn
  std::uint64_t slot_limit = 0;   // when `progress` reaches it, the LIFO slot's budget is used up
  std::uint64_t budget_kept = 0;  // what is left of it once the injected cells have been checked
  bool injected_next = false;     // when the budget is used up again, the ring comes first

  // Written by: the owner. Read by: any. Publishes: nothing; to detect a long turn. Turns begun and
  // messages handled.
  alignas(apart) port::counter progress;
  // Written by: the owner. Read by: any. Publishes: the cell's slot, for reports: its memory may be
  // new. The cell that runs.
  port::atomic<ready_cell*> running;
  // Written by: the owner (puts and takes), a thief (takes). Read by: owner and thieves. Publishes:
  // the cell. It runs next.
  port::atomic<ready_cell*> lifo_slot;
  // Written by: the holder of the pool's lock. Read by: the owner and thieves. Publishes: nothing;
  // the lock does. A hint that the inbox is not empty.
  port::atomic<bool> inbox_filled;
  // Written by: the searching worker. Read by: any. Publishes: nothing. How long a message takes
  // here.
  port::atomic<std::uint32_t> message_ns;
  // Written by: the owner. Read by: the searching worker. Publishes: nothing. How often there was
  // nothing to run.
  port::counter idles;

  ring_type ring;

  // Written by: the owner, under the pool's lock, before it sleeps (0); the thread that wakes it
  // (1). Read by: the owner. Publishes: `searches` and `watches`.
  alignas(apart) port::atomic<std::uint32_t> wake_word;
  // These belong to the owner while it is awake; the pool's lock protects them while it sleeps.
  port::plain<bool> searches;                      // it is the searching worker
  port::plain<bool> watches;                       // it is the watcher: it sleeps with a timeout
  port::plain<std::uint32_t> woken_from{nowhere};  // the processor of the worker that woke it
  // Written by: the holder of the pool's lock. Read by: the owner, reports. Publishes: nothing. It
  // has to leave, whatever there is to run.
  port::atomic<bool> draining;
  // protected by the pool's lock
  port::plain<bool> attached;
  port::plain<bool> left;  // `wait` has returned false because it was draining
  intrusive_fifo<ready_cell> inbox;

  // the searching worker's
  alignas(apart) port::plain<progress_sample> seen;
};

}  // namespace tactor::inline v0::internal
