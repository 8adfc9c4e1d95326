// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/cell/waiting_producers.hpp"

#include "tactor/base/lock_guard.hpp"

#include <utility>

namespace tactor::inline v0::internal {

waiting_producers::outcome waiting_producers::wait(cell& to, std::uint32_t generation,
                                                   std::uint32_t capacity,
                                                   const thread_waiting& how,
                                                   std::uint64_t at_most_ns) noexcept {
  constexpr std::uint64_t ms = 1'000'000;
  std::uint64_t push_timeout_ns =
      to.push_timeout_ms.load(relaxed) * ms;  // relaxed: like the other limits
  if (at_most_ns != 0 && at_most_ns < push_timeout_ns) push_timeout_ns = at_most_ns;
  const std::uint64_t until_ns = how.now_ns() + push_timeout_ns;
  queue& here = of(to);
  waiter me;
  me.whom = &to;
  {
    const lock_guard guard{here.mutex};
    // A closing thread closes the box before it takes the lock, so no thread waits for a closed
    // mailbox. In this order: it may be open again, for the next tenant.
    if (!to.box.is_open() || to.generation() != generation) return outcome::closed;
    if (try_acquire_permit(to.waiting, capacity)) return outcome::has_permit;
    append(here, me);
  }
  bool in_time = true;
  // relaxed: the lock below orders what was done before
  while (in_time && me.told.load(relaxed) == std::to_underlying(outcome::waits))
    in_time = how.sleep(me.told, std::to_underlying(outcome::waits), until_ns);
  // The thread that set `told` held the lock, and is done with `me` when this thread has the lock.
  const lock_guard guard{here.mutex};
  if (remove(here, me)) return outcome::timed_out;
  return static_cast<outcome>(me.told.load(relaxed));  // relaxed: the lock orders it
}

void waiting_producers::leave(cell& c, const thread_waiting* how) noexcept {
  queue& here = of(c);
  const lock_guard guard{here.mutex};
  if (waiter* const first = how == nullptr ? nullptr : remove(here, c)) {
    tell(*first, outcome::has_permit, *how);
  } else {
    c.waiting.fetch_sub(1, relaxed);  // relaxed: a number
  }
}

void waiting_producers::close(cell& c, const thread_waiting* how) noexcept {
  if (how == nullptr) return;
  queue& here = of(c);
  const lock_guard guard{here.mutex};
  while (waiter* const each = remove(here, c))
    tell(*each, outcome::closed, *how);
}

void waiting_producers::append(queue& to, waiter& last) noexcept {
  waiter** end = &to.first;
  while (*end != nullptr)
    end = &(*end)->next;
  *end = &last;
}

waiting_producers::waiter* waiting_producers::remove(queue& from, const cell& whom) noexcept {
  waiter** at = &from.first;
  while (*at != nullptr && (*at)->whom != &whom)
    at = &(*at)->next;
  waiter* const found = *at;
  if (found != nullptr) *at = found->next;
  return found;
}

bool waiting_producers::remove(queue& from, const waiter& who) noexcept {
  waiter** at = &from.first;
  while (*at != nullptr && *at != &who)
    at = &(*at)->next;
  if (*at == nullptr) return false;
  *at = who.next;
  return true;
}

void waiting_producers::tell(waiter& who, outcome what, const thread_waiting& how) noexcept {
  who.told.store(std::to_underlying(what), relaxed);  // relaxed: the lock orders it
  how.wake(who.told);
}

}  // namespace tactor::inline v0::internal
