// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstdint>

namespace tactor::inline v0::internal {

/// How a thread that runs no actors sleeps. Provided by the host; a board has no such threads.
struct thread_waiting {
  /// Sleeps while `word` is `seen`, at most until `until_ns`; may wake up spuriously.
  /// Returns: false if the time is over.
  bool (*sleep)(const port::atomic<std::uint32_t>& word, std::uint32_t seen,
                std::uint64_t until_ns) noexcept;
  /// Wakes the threads that sleep on `word`.
  void (*wake)(port::atomic<std::uint32_t>& word) noexcept;
  std::uint64_t (*now_ns)() noexcept;
};

/// Acquires one of `capacity` permits. Returns: false if there is none.
[[nodiscard]] inline bool try_acquire_permit(port::atomic<std::uint32_t>& taken,
                                             std::uint32_t capacity) noexcept {
  std::uint32_t before = taken.load(relaxed);  // relaxed: a number
  do {
    if (before >= capacity) return false;
  } while (!taken.compare_exchange(before, before + 1, relaxed));  // relaxed: a number
  return true;
}

/// Threads that wait for capacity in a mailbox with the strategy `block_producer`, each with a
/// record on its own stack, first come, first served. One for the whole program: cells share a few
/// queues, so a mailbox without waiting threads costs nothing. All-zero: no thread waits.
///
/// A permit released while a thread waits goes directly to that thread: it is never free in
/// between, so no sender overtakes.
///
/// Thread safety: every function from any thread; a lock.
class waiting_producers {
public:
  /// How a wait ended.
  enum class outcome : std::uint8_t { waits, has_permit, closed, timed_out };

  constexpr waiting_producers() noexcept = default;
  waiting_producers(const waiting_producers&) = delete;
  waiting_producers& operator=(const waiting_producers&) = delete;
  ~waiting_producers() = default;

  /// Waits for a permit of the mailbox of the tenant `generation`, for at most the mailbox's
  /// `push_timeout`, or `at_most_ns` if that is less and not 0. Never returns `waits`. Requires:
  /// the thread runs no actors.
  [[nodiscard]] outcome wait(cell& to, std::uint32_t generation, std::uint32_t capacity,
                             const thread_waiting& how, std::uint64_t at_most_ns = 0) noexcept;
  /// A message has left the mailbox: its permit goes to the thread that waits longest, or is freed.
  /// Context: the worker that took the message out.
  void leave(cell& c, const thread_waiting* how) noexcept;
  /// The mailbox accepts nothing any more: no waiting thread gets a permit. Requires: it is closed.
  void close(cell& c, const thread_waiting* how) noexcept;

private:
  struct waiter {
    waiter* next = nullptr;
    const cell* whom = nullptr;
    // Written by: the thread that passes a permit or closes. Read by: the waiter. Publishes:
    // nothing; the lock does.
    port::atomic<std::uint32_t> told;  // an `outcome`
  };
  struct queue {
    port::mutex mutex;
    // protected by mutex
    waiter* first = nullptr;
  };

  [[nodiscard]] queue& of(const cell& c) noexcept { return queues_[c.slot % queues_.size()]; }
  static void append(queue& to, waiter& last) noexcept;
  /// Returns: null if there is none.
  static waiter* remove(queue& from, const cell& whom) noexcept;
  static bool remove(queue& from, const waiter& who) noexcept;
  static void tell(waiter& who, outcome what, const thread_waiting& how) noexcept;

  // A board has no threads that could wait.
  std::array<queue, sizeof(void*) == 8 ? 16 : 1> queues_;
};

}  // namespace tactor::inline v0::internal
