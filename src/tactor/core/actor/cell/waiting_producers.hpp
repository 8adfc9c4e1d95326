// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstdint>

namespace tactor::inline v0::internal {

/// How a thread that runs no actors sleeps. The host has it; a board has no such threads.
struct thread_waiting {
  /// Sleeps while `word` is `seen`, at most until `until_ns`; may wake up for no reason.
  /// Returns: false if the time is over.
  bool (*sleep)(const port::atomic<std::uint32_t>& word, std::uint32_t seen,
                std::uint64_t until_ns) noexcept;
  /// Wakes who sleeps on `word`.
  void (*wake)(port::atomic<std::uint32_t>& word) noexcept;
  std::uint64_t (*now_ns)() noexcept;
};

/// Takes one of `capacity` places. Returns: false if there is none.
[[nodiscard]] inline bool try_acquire_permit(port::atomic<std::uint32_t>& taken,
                                             std::uint32_t capacity) noexcept {
  std::uint32_t before = taken.load(relaxed);  // relaxed: a number
  do {
    if (before >= capacity) return false;
  } while (!taken.compare_exchange(before, before + 1, relaxed));  // relaxed: a number
  return true;
}

/// Threads that wait for room in a mailbox whose rule is `block_producer`, each on its own stack,
/// first come, first served. One for the whole program: cells share a few queues, so that a mailbox
/// that nobody waits for costs nothing. All-zero: nobody waits.
///
/// A place that becomes free while somebody waits is handed to him: it is never free in between, so
/// nobody overtakes.
///
/// Thread safety: every function from any thread; a lock.
class waiting_producers {
public:
  /// How a wait ended.
  enum class outcome : std::uint8_t { waits, has_place, closed, timed_out };

  constexpr waiting_producers() noexcept = default;
  waiting_producers(const waiting_producers&) = delete;
  waiting_producers& operator=(const waiting_producers&) = delete;
  ~waiting_producers() = default;

  /// Waits for a place in the mailbox of the tenant `generation`, as long as that has patience for,
  /// or `at_most_ns` if that is less and not 0. Never returns `waits`. Requires: the thread runs no
  /// actors.
  [[nodiscard]] outcome wait(cell& to, std::uint32_t generation, std::uint32_t capacity,
                             const thread_waiting& how, std::uint64_t at_most_ns = 0) noexcept;
  /// A message has left the mailbox: its place goes to who waits longest, or is free. Context: who
  /// took it out.
  void leave(cell& c, const thread_waiting* how) noexcept;
  /// The mailbox takes nothing any more: nobody gets a place. Requires: it is closed.
  void close(cell& c, const thread_waiting* how) noexcept;

private:
  struct waiter {
    waiter* next = nullptr;
    const cell* whom = nullptr;
    // Written by: who hands over a place or closes. Read by: the waiter. Publishes: nothing; the lock
    // does.
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
