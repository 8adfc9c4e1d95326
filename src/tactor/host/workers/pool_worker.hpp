// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_fifo.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/host/workers/steal_ring.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::host {

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is final
class work_stealing_coordinator;

/// What belongs to one worker of a pool. Type-stable, as the pool.
///
/// Its thread is the owner from `attach` to `detach`. The members stand by who touches them, a
/// cache line or more for each: a thief's look does not slow down what the owner does meanwhile.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): as said
struct pool_worker {
  // Small in the model, where each slot has a price.
  static constexpr std::size_t ring_capacity = port::has_real_layout ? 256 : 4;
  static constexpr std::size_t apart = port::has_real_layout ? port::cache_line : alignof(void*);
  using ring_type = steal_ring<ring_capacity>;

  /// What somebody who was looking for work saw here, and since when it has been like that.
  struct progress_sample {
    static constexpr std::uint64_t nowhere = ~std::uint64_t{0};

    /// What stands behind a turn.
    struct turn {
      std::uint64_t number = 0;
      const ready_cell* slot = nullptr;
      bool mail = false;

      friend constexpr bool operator==(const turn&, const turn&) noexcept = default;
    };

    std::uint64_t position = nowhere;  // of the ring, if it held something
    std::uint64_t position_since_ns = 0;
    turn current;
    std::uint64_t turn_since_ns = 0;
  };

  pool_worker(work_stealing_coordinator& owner, std::uint32_t which) noexcept
      : pool(&owner), number(which) {}
  pool_worker(const pool_worker&) = delete;
  pool_worker& operator=(const pool_worker&) = delete;
  ~pool_worker() = default;

  /// Puts a cell where it is next, if there is room. Context: the owner.
  [[nodiscard]] bool put_next(ready_cell& fresh) noexcept {
    if (lifo_slot.load(relaxed) != nullptr)
      return false;                    // relaxed: only this thread puts cells there
    lifo_slot.store(&fresh, release);  // pairs: pool.lifo_slot
    return true;
  }
  /// Takes it back. Returns: null if it is not there (any more). Context: the owner.
  [[nodiscard]] ready_cell* take_next() noexcept {
    if (lifo_slot.load(relaxed) == nullptr)
      return nullptr;                             // relaxed: only this thread puts cells there
    return lifo_slot.exchange(nullptr, relaxed);  // relaxed: what this thread has put there
  }
  /// Takes `cell`, if it is still there. Context: a thief.
  [[nodiscard]] bool steal_next(ready_cell& cell) noexcept {
    ready_cell* expected = &cell;
    return lifo_slot.compare_exchange(expected, nullptr, acquire);  // pairs: pool.lifo_slot
  }

  // constant
  work_stealing_coordinator* pool;
  std::uint32_t number;

  // the owner's
  bool blocking = false;          // of the pool
  bool unwatched = false;         // nobody looks whether its cells are stuck behind a long turn
  std::uint32_t quick_turns = 0;  // so many more, then what was injected and the ring come first
  std::uint32_t turns_kept = 0;   // the same, once it has looked at what was injected

  // Written by: the owner. Read by: any. Publishes: nothing; for reports, and to see whether a turn
  // lasts. How many turns it has begun.
  alignas(apart) port::counter turns;
  // Written by: the owner. Read by: any. Publishes: nothing; for reports. The cell that runs.
  port::atomic<ready_cell*> running;
  // Written by: the owner (puts one, takes it), a thief (takes it). Read by: the same. Publishes: the
  // cell. What runs next.
  port::atomic<ready_cell*> lifo_slot;
  // Written by: who has the pool's lock. Read by: the owner and thieves. Publishes: nothing; the lock
  // does. A hint that the inbox holds something.
  port::atomic<bool> has_mail;

  ring_type ring;

  // Written by: the owner, under the pool's lock, before it sleeps (0); who wakes it (1). Read by:
  // the owner. Publishes: `searches` and `watches`.
  alignas(apart) port::atomic<std::uint32_t> wake_word;
  // The owner's while it is awake, of whoever has the pool's lock while it sleeps.
  port::cell<bool> searches;  // it is the one who looks for work at others
  port::cell<bool> watches;   // it is the one who sleeps with a timeout
  // protected by the pool's lock
  port::cell<bool> seated;
  intrusive_fifo<ready_cell> inbox;

  // of the one who searches
  alignas(apart) port::cell<progress_sample> seen;
};

}  // namespace tactor::inline v0::host
