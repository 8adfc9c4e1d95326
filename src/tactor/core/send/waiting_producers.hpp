// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/hash_index.hpp"
#include "tactor/base/intrusive_list.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_waiting.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tactor::inline v0::internal {

// In a word that counts permits:
/// A thread or an actor waits for capacity.
inline constexpr std::uint32_t awaited_bit = 0x8000'0000;
/// One of them is not an outbox, and is served as early as possible.
inline constexpr std::uint32_t urgent_bit = 0x4000'0000;
/// Returns: the number of permits in such a word.
[[nodiscard]] constexpr std::uint32_t permits_in(std::uint32_t word) noexcept {
  return word & ~(awaited_bit | urgent_bit);
}

/// Returns: how many permits of the mailbox are taken. A number of some moment.
[[nodiscard]] inline std::uint32_t permits_taken_of(const cell& c) noexcept {
  return permits_in(c.permits_taken.load(relaxed));  // relaxed: a number
}
/// Acquires one of `capacity` permits. Returns: how many are taken now; 0 if there was none.
[[nodiscard]] inline std::uint32_t try_acquire_permit(port::atomic<std::uint32_t>& taken,
                                                      std::uint32_t capacity) noexcept {
  std::uint32_t before = taken.load(relaxed);  // relaxed: a number
  do {
    if (permits_in(before) >= capacity) return 0;
  } while (!taken.compare_exchange(before, before + 1, relaxed));  // relaxed: a number
  return permits_in(before) + 1;
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

/// An actor that waits. It is in the envelope of the system message that ends its wait.
struct waiting_actor : capacity_waiter {
  envelope* news = nullptr;  // its envelope
  cell* who = nullptr;
  std::uint32_t who_generation = 0;
};

/// Threads and actors that wait for capacity in a mailbox, first come, first served; a step costs
/// the same however many wait, and for however many mailboxes. One for the whole program: cells
/// share a few locks, which are taken only where something waits. All-zero except for the pages:
/// nothing waits.
///
/// A thread waits for a permit (strategy `block_producer`), with a record on its own stack, and so
/// does an outbox of an actor. A permit released while one of them is first goes directly to it: it
/// is never free in between, so no sender overtakes.
///
/// Another actor is notified of capacity; its handler may use it or not. Until it gives the
/// notification back, at the end of its turn, that capacity counts as used. So no more actors are
/// notified than there is capacity for, and capacity that is not used goes to the next waiter.
///
/// Thread safety: every function from any thread; a lock.
///
/// inv 1  While a queue is not empty, `awaited_bit` is set: a released permit reaches `serve`.
/// inv 2  Between two steps, the first waiter cannot be served, except for a message that has left
///        a side queue and whose `leave` is yet to come.
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
  /// with the actors before it that were served. Never returns `waits`. Requires: the thread runs
  /// no actors.
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
  /// permit. Afterwards the caller may free it.
  [[nodiscard]] notified give_back(const waiting_actor& me) noexcept;

  /// Messages have left the mailbox: each permit goes to the first waiting thread or outbox, or is
  /// freed.
  [[nodiscard]] notified release(cell& c, std::uint32_t permits = 1) noexcept {
    std::uint32_t before = c.permits_taken.load(relaxed);  // relaxed: a number
    while ((before & awaited_bit) == 0)
      if (c.permits_taken.compare_exchange(before, before - permits, relaxed))
        return {};  // relaxed: a number
    return pass_on(c, permits);
  }
  /// Returns: whether only outboxes wait for the mailbox, and at least one. A hint.
  [[nodiscard]] static bool only_outboxes_wait(const cell& c) noexcept {
    return (c.permits_taken.load(relaxed) & ~permits_in(~0U)) == awaited_bit;  // relaxed: a hint
  }
  /// A message without a permit has left the mailbox.
  [[nodiscard]] notified leave(cell& c) noexcept {
    // relaxed: in a mailbox without permits, the lock of its side queue orders it
    return (c.permits_taken.load(relaxed) & awaited_bit) == 0 ? notified{} : pass_on(c, 0);
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
  /// Serves those that wait: the permits go to them, or are freed.
  [[nodiscard]] notified pass_on(cell& c, std::uint32_t permits) noexcept;
  /// Changes the queue of `c`, if there is one, and serves those that can be served then.
  template <class Change>
  void change_queue(cell& c, notified& into, Change change) noexcept;
  /// Null: there is none.
  [[nodiscard]] static mailbox_queue* find(bucket& in, const cell& c) noexcept;
  /// Null: there is no memory.
  [[nodiscard]] mailbox_queue* find_or_make(bucket& in, cell& c, std::uint32_t generation) noexcept;
  static void append(mailbox_queue& to, capacity_waiter& last) noexcept;
  static void remove(mailbox_queue& from, capacity_waiter& who) noexcept;
  static void serve(mailbox_queue& queue, std::uint32_t released, notified& into) noexcept;
  static void tidy_up(bucket& in, mailbox_queue& queue) noexcept;
  static void give_permit(capacity_waiter& to, notified& actors) noexcept;
  static void notify_thread(capacity_waiter& thread, outcome what) noexcept;

  page_source* pages_;  // constant
  std::array<bucket, bucket_count> buckets_;
};

}  // namespace tactor::inline v0::internal
