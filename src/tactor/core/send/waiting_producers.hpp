// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/hash_index.hpp"
#include "tactor/base/intrusive_list.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_waiting.hpp"
#include "tactor/core/dispatch/suspend_reason.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

/// In a word that counts permits: a thread or an actor waits for one.
inline constexpr std::uint32_t awaited_bit = 0x8000'0000;

/// Returns: how many permits of the mailbox are taken. A number of some moment.
[[nodiscard]] inline std::uint32_t permits_taken_of(const cell& c) noexcept {
  return c.permits_taken.load(relaxed) & ~awaited_bit;  // relaxed: a number
}
/// Acquires one of `capacity` permits. Returns: how many are taken now; 0 if there was none.
[[nodiscard]] inline std::uint32_t try_acquire_permit(port::atomic<std::uint32_t>& taken,
                                                      std::uint32_t capacity) noexcept {
  std::uint32_t before = taken.load(relaxed);  // relaxed: a number
  do {
    if ((before & ~awaited_bit) >= capacity) return 0;
  } while (!taken.compare_exchange(before, before + 1, relaxed));  // relaxed: a number
  return (before & ~awaited_bit) + 1;
}

/// A thread or an actor that waits for capacity in a mailbox.
struct capacity_waiter : intrusive_list_node<capacity_waiter> {
  cell* mailbox = nullptr;
  std::uint32_t mailbox_generation = 0;
  bool queued = false;        // protected by the lock of the mailbox's queue
  bool takes_permit = false;  // it is served with a permit; otherwise it is notified of capacity
  bool has_permit = false;    // an actor was served with a permit; protected by that lock
  const thread_waiting* how = nullptr;  // a thread; null: an actor
  // Written by: the thread that passes a permit or closes. Read by: the waiting thread. Publishes:
  // nothing; the lock does.
  port::atomic<std::uint32_t> told;  // an `outcome`
};

/// An actor that waits. The payload of a `capacity_available`.
struct waiting_actor : capacity_waiter {
  static constexpr const char* type_name = "capacity available";

  cell* who = nullptr;
  std::uint32_t who_generation = 0;
  std::uint32_t ticket = 0;
  suspend_reason reason = suspend_reason::user_defined;
};

/// Threads and actors that wait for capacity in a mailbox, first come, first served; a step costs
/// the same however many wait, and for however many mailboxes. One for the whole program: cells
/// share a few locks, which are taken only where something waits. All-zero except for the pages:
/// nothing waits.
///
/// A thread waits for a permit (strategy `block_producer`), with a record on its own stack, and so
/// does an actor with messages in an outbox. A permit released while one of them is first goes
/// directly to it: it is never free in between, so no sender overtakes.
///
/// Another actor is notified of capacity; its handler may use it or not. Until it gives the
/// notification back, at the end of its turn, that capacity counts as used. So no more actors are
/// notified than there is capacity for, and capacity that is not used goes to the next waiter.
///
/// Thread safety: every function from any thread; a lock.
///
/// inv 1  While a queue is not empty, `awaited_bit` is set: a released permit reaches `serve`.
/// inv 2  Between two steps, the first waiter cannot be served, except for a message that has left
///        a side queue and whose `leave` is yet to come, and for permits that a turn keeps and
///        whose `settle` is yet to come.
/// inv 3  While a thread waits, no permit is kept.
class waiting_producers {
public:
  /// Says how a wait ended.
  enum class outcome : std::uint8_t { waits, has_permit, closed, timed_out, no_memory };
  /// Says how an actor's wait began.
  enum class enqueued : std::uint8_t { waits, has_capacity, no_memory };
  /// Actors to notify, in this order.
  using notified = intrusive_list<capacity_waiter>;

  /// Requires: `pages` outlives it.
  constexpr explicit waiting_producers(page_source& pages) noexcept : pages_(&pages) {}
  waiting_producers(const waiting_producers&) = delete;
  waiting_producers& operator=(const waiting_producers&) = delete;
  ~waiting_producers() = default;

  /// Waits for a permit of the mailbox of the tenant `generation`, for at most the mailbox's
  /// `push_timeout`, or `at_most_ns` if that is less and not 0. Calls `notify(notified)` first,
  /// with the actors before it that a turn keeps permits for. Never returns `waits`. Requires: the
  /// thread runs no actors.
  template <class Notify>
  [[nodiscard]] outcome wait(cell& to, std::uint32_t generation, const thread_waiting& how,
                             std::uint64_t at_most_ns, Notify notify) noexcept {
    capacity_waiter me;
    me.mailbox = &to;
    me.mailbox_generation = generation;
    me.how = &how;
    me.takes_permit = true;
    notified others;
    const outcome begun = queue_thread(me, others);
    notify(std::move(others));
    return begun == outcome::waits ? await_permit(me, at_most_ns) : begun;
  }

  /// Queues an actor, unless the mailbox has capacity, is unbounded, or closed. Requires: `me`
  /// names the mailbox, and stays until it is notified, or `cancel` returns true.
  [[nodiscard]] enqueued enqueue(waiting_actor& me, notified& others) noexcept;
  /// Takes an actor out of its queue. Returns: false if it is not there: it is being notified.
  [[nodiscard]] bool cancel(waiting_actor& me, notified& others) noexcept;
  /// A notified actor has used the capacity, or not; an actor that was served has not used its
  /// permit.
  [[nodiscard]] notified give_back(const waiting_actor& me) noexcept;

  /// A message has left the mailbox: its permit goes to the first waiting thread or actor, or is
  /// freed. Context: the worker that took the message out.
  [[nodiscard]] notified release(cell& c) noexcept {
    return free_permit(c) ? notified{} : release_awaited(c, nullptr);
  }
  /// Like `release`, in a turn of the mailbox's actor. While only actors wait, for permits, the
  /// turn keeps what it releases, up to half of the capacity: an actor that is served then has
  /// several messages to send before it waits again. A kept permit is not free: no sender
  /// overtakes. Sets `kept`: `settle` has to follow at the end of the turn.
  [[nodiscard]] notified release_in_turn(cell& c, bool& kept) noexcept {
    return free_permit(c) ? notified{} : release_awaited(c, &kept);
  }
  /// Serves the first waiters, as long as there is capacity: the turn that keeps permits is over.
  [[nodiscard]] notified settle(cell& c) noexcept;
  /// A message without a permit has left the mailbox.
  [[nodiscard]] notified leave(cell& c) noexcept {
    // relaxed: in a mailbox without permits, the lock of its side queue orders it
    return (c.permits_taken.load(relaxed) & awaited_bit) == 0 ? notified{} : settle(c);
  }
  /// The mailbox accepts nothing any more: no thread gets a permit, no actor waits. Requires: it is
  /// closed, and bounded.
  [[nodiscard]] notified close(cell& c) noexcept;

  /// Returns: how many queues a search may have to pass.
  [[nodiscard]] std::size_t longest_chain() noexcept;

private:
  /// The threads and actors that wait for one mailbox.
  struct mailbox_queue {
    mailbox_queue* next = nullptr;
    cell* mailbox = nullptr;
    std::uint32_t generation = 0;
    std::uint32_t granted = 0;  // notifications that were not given back
    std::uint32_t threads = 0;  // of the waiters
    std::uint32_t kept = 0;     // permits that a turn has released, and that are still taken
    intrusive_list<capacity_waiter> waiters;
  };
  static constexpr std::uint32_t bucket_count = port::lock_shards;
  struct queue_order {
    static mailbox_queue*& next(mailbox_queue& of) noexcept { return of.next; }
    static std::uint32_t hash(const mailbox_queue& of) noexcept { return hash_of(*of.mailbox); }
  };
  /// The queues of the mailboxes that share a lock.
  struct bucket {
    port::mutex mutex;
    // protected by mutex
    hash_index<mailbox_queue, queue_order, 4> queues;  // with waiters or notified actors
    mailbox_queue* unused = nullptr;                   // kept for reuse
  };

  [[nodiscard]] static std::uint32_t hash_of(const cell& c) noexcept {
    return c.slot / bucket_count;
  }
  [[nodiscard]] bucket& of(const cell& c) noexcept { return buckets_[c.slot % bucket_count]; }
  /// Queues a thread. Returns: `waits`, and `await_permit` has to follow; or how the wait has
  /// ended.
  [[nodiscard]] outcome queue_thread(capacity_waiter& me, notified& others) noexcept;
  [[nodiscard]] outcome await_permit(capacity_waiter& me, std::uint64_t at_most_ns) noexcept;
  /// Returns: false if one is awaited.
  [[nodiscard]] static bool free_permit(cell& c) noexcept {
    std::uint32_t before = c.permits_taken.load(relaxed);  // relaxed: a number
    while ((before & awaited_bit) == 0)
      if (c.permits_taken.compare_exchange(before, before - 1, relaxed))
        return true;  // relaxed: a number
    return false;
  }
  /// `kept` null: all waiters are served at once.
  [[nodiscard]] notified release_awaited(cell& c, bool* kept) noexcept;
  [[nodiscard]] static bool may_keep(const mailbox_queue& queue) noexcept;
  /// Changes the queue of `c`, if there is one, and serves those that can be served then. Returns:
  /// false if there is none.
  template <class Change>
  bool change_queue(cell& c, notified& into, Change change) noexcept;
  /// Null: there is none.
  [[nodiscard]] static mailbox_queue* find(bucket& in, const cell& c) noexcept;
  /// Null: there is no memory.
  [[nodiscard]] mailbox_queue* find_or_make(bucket& in, cell& c, std::uint32_t generation) noexcept;
  static void append(mailbox_queue& to, capacity_waiter& last) noexcept;
  static void remove(mailbox_queue& from, capacity_waiter& who) noexcept;
  static void serve(mailbox_queue& queue, notified& into) noexcept;
  static void tidy_up(bucket& in, mailbox_queue& queue) noexcept;
  static void give_permit(capacity_waiter& to, notified& actors) noexcept;
  static void notify_thread(capacity_waiter& thread, outcome what) noexcept;

  page_source* pages_;  // constant
  std::array<bucket, bucket_count> buckets_;
};

}  // namespace tactor::inline v0::internal
