// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/send/waiting_producers.hpp"

#include "tactor/base/lock_guard.hpp"
#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/message/locked_queue.hpp"

#include <new>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

// A thread that closes a mailbox closes the box before it takes the lock, so nothing waits for a
// closed mailbox. In this order: it may be open again, for the next tenant.
bool is_open(const cell& c, std::uint32_t generation) noexcept {
  return c.box.is_open() && c.generation() == generation;
}

mailbox_limits limits_of(const cell& c) noexcept {
  return {c.limits.load(relaxed)};  // relaxed: constant but for a hint while it is open
}

/// Returns: how many messages the mailbox takes now. Requires: it is bounded, and open.
std::uint32_t capacity_left(const cell& c) noexcept {
  const bool evicts = limits_of(c).strategy() == overflow_strategy::drop_oldest;
  locked_queue* const side_queue = evicts ? c.own_side_queue() : nullptr;
  const std::uint32_t used =
      side_queue != nullptr ? side_queue->counted_size() : permits_taken_of(c);
  const std::uint32_t capacity = limits_of(c).capacity();
  return used < capacity ? capacity - used : 0;
}

}  // namespace

waiting_producers::outcome waiting_producers::queue_thread(capacity_waiter& me,
                                                           notified& others) noexcept {
  cell& to = *me.mailbox;
  bucket& here = of(to);
  const lock_guard guard{here.mutex};
  if (!is_open(to, me.mailbox_generation)) return outcome::closed;
  mailbox_queue* const queue = find_or_make(here, to, me.mailbox_generation);
  if (queue == nullptr) return outcome::no_memory;
  append(*queue, me);
  serve(*queue, 0, others);
  tidy_up(here, *queue);
  return me.queued ? outcome::waits : outcome::has_permit;
}

waiting_producers::outcome waiting_producers::await_permit(capacity_waiter& me,
                                                           std::uint64_t at_most_ns) noexcept {
  constexpr std::uint64_t ms = 1'000'000;
  const cell& to = *me.mailbox;
  const thread_waiting& how = *me.how;
  std::uint64_t push_timeout_ns =
      to.push_timeout_ms.load(relaxed) * ms;  // relaxed: like the limits
  if (at_most_ns != 0 && at_most_ns < push_timeout_ns) push_timeout_ns = at_most_ns;
  const std::uint64_t until_ns = how.now_ns() + push_timeout_ns;
  bucket& here = of(to);
  bool in_time = true;
  // relaxed: the lock below orders what was done before
  while (in_time && me.told.load(relaxed) == std::to_underlying(outcome::waits))
    in_time = how.sleep(me.told, std::to_underlying(outcome::waits), until_ns);
  // The thread that set `told` held the lock, and is done with `me` when this thread has the lock.
  const lock_guard guard{here.mutex};
  if (!me.queued)
    return static_cast<outcome>(me.told.load(relaxed));  // relaxed: the lock orders it
  mailbox_queue& queue = *find(here, to);
  remove(queue, me);
  tidy_up(here, queue);
  return outcome::timed_out;
}

waiting_producers::enqueued waiting_producers::enqueue(waiting_actor& me,
                                                       notified& others) noexcept {
  cell& to = *me.mailbox;
  bucket& here = of(to);
  const lock_guard guard{here.mutex};
  if (!is_open(to, me.mailbox_generation) || !limits_of(to).bounded())
    return enqueued::has_capacity;
  mailbox_queue* const queue = find_or_make(here, to, me.mailbox_generation);
  if (queue == nullptr) return enqueued::no_memory;
  append(*queue, me);
  serve(*queue, 0, others);
  const bool served = !me.queued;
  if (served) {  // its turn goes on, and nothing has to be given back
    others.erase(me);
    if (!me.takes_permit) --queue->granted;
  }
  tidy_up(here, *queue);
  return served ? enqueued::has_capacity : enqueued::waits;
}

template <class Change>
void waiting_producers::change_queue(cell& c, notified& into, Change change) noexcept {
  bucket& here = of(c);
  const lock_guard guard{here.mutex};
  mailbox_queue* const queue = find(here, c);
  if (queue == nullptr) return;
  change(*queue);
  serve(*queue, 0, into);
  tidy_up(here, *queue);
}

bool waiting_producers::cancel(waiting_actor& me, notified& others) noexcept {
  bool was_queued = false;
  change_queue(*me.mailbox, others, [&](mailbox_queue& queue) {
    was_queued = me.queued;
    if (me.queued) remove(queue, me);  // there may be a thread behind it
  });
  return was_queued;
}

waiting_producers::notified waiting_producers::give_back(const waiting_actor& me) noexcept {
  // Always with the lock: what its actor wrote to it before `cancel` is over then.
  if (me.takes_permit) return pass_on(*me.mailbox, me.has_permit ? 1 : 0);
  notified next;
  change_queue(*me.mailbox, next, [&](mailbox_queue& queue) {
    // The mailbox may be closed by now, or open for the next tenant.
    if (queue.generation == me.mailbox_generation) --queue.granted;
  });
  return next;
}

waiting_producers::notified waiting_producers::pass_on(cell& c, std::uint32_t permits) noexcept {
  notified next;
  bucket& here = of(c);
  const lock_guard guard{here.mutex};
  if (mailbox_queue* const queue = find(here, c)) {
    serve(*queue, permits, next);
    tidy_up(here, *queue);
  } else {
    c.permits_taken.fetch_sub(permits, relaxed);  // relaxed: a number. Under the lock: see `append`
  }
  return next;
}

waiting_producers::notified waiting_producers::close(cell& c) noexcept {
  notified actors;
  change_queue(c, actors, [&](mailbox_queue& queue) {
    while (capacity_waiter* const each = queue.waiters.front()) {
      remove(queue, *each);
      if (each->how != nullptr) {
        notify_thread(*each, outcome::closed);
      } else {
        actors.push_back(*each);
      }
    }
    queue.granted = 0;
  });
  return actors;
}

/// Serves the first waiters, as long as there is capacity. Released permits go to them directly,
/// and only the rest is freed.
void waiting_producers::serve(mailbox_queue& queue, std::uint32_t released,
                              notified& into) noexcept {
  cell& c = *queue.mailbox;
  capacity_waiter* next = queue.waiters.front();
  for (; released != 0 && next != nullptr && next->takes_permit; next = queue.waiters.front()) {
    --released;
    remove(queue, *next);
    give_permit(*next, into);
  }
  if (released != 0)
    c.permits_taken.fetch_sub(released,
                              relaxed);  // relaxed: a number. Under the lock: see `append`
  while (capacity_waiter* const first = queue.waiters.front()) {
    if (first->takes_permit ? try_acquire_permit(c.permits_taken, limits_of(c).capacity()) == 0
                            : capacity_left(c) <= queue.granted)
      return;
    remove(queue, *first);
    if (first->takes_permit) {
      give_permit(*first, into);
    } else {
      ++queue.granted;
      into.push_back(*first);
    }
  }
}

waiting_producers::mailbox_queue* waiting_producers::find(bucket& in, const cell& c) noexcept {
  return in.queues.find(hash_of(c), [&](const mailbox_queue& each) { return each.mailbox == &c; });
}

waiting_producers::mailbox_queue*
waiting_producers::find_or_make(bucket& in, cell& c, std::uint32_t generation) noexcept {
  if (mailbox_queue* const known = find(in, c)) return known;
  mailbox_queue* made = in.unused;
  if (made != nullptr) {
    in.unused = made->next;
  } else {
    void* const storage = pages_->allocate(sizeof(mailbox_queue), alignof(mailbox_queue));
    if (storage == nullptr) return nullptr;
    made = ::new (storage) mailbox_queue;
  }
  made->mailbox = &c;
  made->generation = generation;
  in.queues.insert(*made, *pages_);
  return made;
}

std::size_t waiting_producers::longest_chain() noexcept {
  std::size_t longest = 0;
  for (bucket& each : buckets_) {
    const lock_guard guard{each.mutex};
    for (std::size_t i = 0; i < each.queues.chain_count(); ++i) {
      std::size_t length = 0;
      for (const mailbox_queue* at = each.queues.chain(i); at != nullptr; at = at->next)
        ++length;
      longest = length > longest ? length : longest;
    }
  }
  return longest;
}

void waiting_producers::append(mailbox_queue& to, capacity_waiter& last) noexcept {
  to.waiters.push_back(last);
  last.queued = true;
  const bool is_outbox = last.how == nullptr && last.takes_permit;
  const std::uint32_t bits = is_outbox ? awaited_bit : awaited_bit | urgent_bit;
  // relaxed: a release before this has made capacity that `serve` sees, a later one sees the bits
  to.mailbox->permits_taken.fetch_or(bits, relaxed);  // keeps inv 1
}

void waiting_producers::remove(mailbox_queue& from, capacity_waiter& who) noexcept {
  from.waiters.erase(who);
  who.queued = false;
}

/// Afterwards `queue` may be unused.
void waiting_producers::tidy_up(bucket& in, mailbox_queue& queue) noexcept {
  if (!queue.waiters.empty()) return;
  queue.mailbox->permits_taken.fetch_and(permits_in(~0U), relaxed);  // relaxed: as in `append`
  if (queue.granted != 0) return;
  in.queues.erase(queue);
  queue.next = in.unused;
  in.unused = &queue;
}

void waiting_producers::give_permit(capacity_waiter& to, notified& actors) noexcept {
  if (to.how != nullptr) return notify_thread(to, outcome::has_permit);
  to.has_permit = true;
  actors.push_back(to);
}

void waiting_producers::notify_thread(capacity_waiter& thread, outcome what) noexcept {
  const thread_waiting& how = *thread.how;
  thread.told.store(std::to_underlying(what), relaxed);  // relaxed: the lock orders it
  how.wake(thread.told);
}

}  // namespace tactor::inline v0::internal
