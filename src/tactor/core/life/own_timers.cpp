// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/own_timers.hpp"

#include "tactor/core/life/actor_parts.hpp"

#include <utility>

namespace tactor::inline v0::internal {
namespace {

// The timers of an actor are a ring, in the order in which they were added; the newest links to the
// oldest. Two are checked for each that is added, so that each is checked again before the ring has
// doubled: it holds at most twice as many timers as are live.

template <class Timer>
void add(Timer*& newest, Timer& fresh) noexcept {
  fresh.next = newest == nullptr ? &fresh : std::exchange(newest->next, &fresh);
  newest = &fresh;
}
/// Removes the oldest if its timer is over; otherwise makes it the newest. Returns: what was
/// removed, or null. A single one stays.
template <class Timer>
Timer* take_if_over(Timer*& newest) noexcept {
  Timer* const oldest = newest->next;
  if (oldest == newest || !oldest->job.is_over()) {
    newest = oldest;
    return nullptr;
  }
  newest->next = oldest->next;
  return oldest;
}
/// Cancels and frees all.
template <class Timer>
void end_all(thread_record& here, Timer*& newest) noexcept {
  if (newest == nullptr) return;
  Timer* each = std::exchange(std::exchange(newest, nullptr)->next, nullptr);
  while (each != nullptr) {
    each->job.cancel();
    free_record(here, std::exchange(each, each->next));
  }
}

// Timers by handle.

own_timer* take(thread_record& here, cell& owner) noexcept {
  return parts_of(here, owner) == nullptr ? nullptr : new_record<own_timer>(here);
}

void give_back(thread_record& here, own_timer& unused) noexcept {
  free_record(here, &unused);
}

void remember(thread_record& here, cell& owner, own_timer& fresh,
              const cancellable& scheduled) noexcept {
  fresh.job = weak_cancellable{scheduled};
  own_timer*& newest = owner.parts->own_timers;
  add(newest, fresh);
  free_record(here, take_if_over(newest));
  free_record(here, take_if_over(newest));
}

/// Cancels those of an actor that restarts or ends.
void cancel_all(thread_record& here, cell& c) noexcept {
  if (c.extended) end_all(here, c.parts->own_timers);
}

// Timers by key.

keyed_timer* find(const cell& c, std::uint64_t key) noexcept {
  const actor_parts* const parts = parts_or_null(c);
  return parts == nullptr ? nullptr : static_cast<keyed_timer*>(parts->timers.by_key.find(key));
}

void free_if_over(thread_record& here, keyed_timers& all) noexcept {
  keyed_timer* const over = take_if_over(all.newest);
  if (over == nullptr) return;
  all.by_key.erase(*over);
  free_record(here, over);
}

}  // namespace

keyed_timer* timer_of_key(thread_record& here, cell& c, std::uint64_t key,
                          const timer_key_text& text) noexcept {
  if (keyed_timer* const known = find(c, key)) return known;
  actor_parts* const parts = parts_of(here, c);
  if (parts == nullptr) return nullptr;
  keyed_timers& all = parts->timers;
  if (all.newest != nullptr) {
    free_if_over(here, all);
    free_if_over(here, all);
  }
  auto* const fresh = new_record<keyed_timer>(here);
  if (fresh == nullptr) return nullptr;
  fresh->key = key;
  fresh->text = text;
  all.by_key.insert(*fresh);
  add(all.newest, *fresh);
  return fresh;
}

bool cancel_keyed_timer(cell& c, std::uint64_t key) noexcept {
  keyed_timer* const known = find(c, key);
  if (known == nullptr || !known->job.cancel()) return false;
  known->job = {};  // what is started next has nothing to cancel
  return true;
}

bool is_keyed_timer_active(const cell& c, std::uint64_t key) noexcept {
  const keyed_timer* const known = find(c, key);
  if (known == nullptr || known->job.is_over()) return false;
  return !known->once || known->job.lock().state() != timer_state::executing;
}

void end_keyed_timers(thread_record& here, cell& c) noexcept {
  actor_parts* const parts = parts_or_null(c);
  if (parts == nullptr) return;
  parts->timers.by_key = {};
  end_all(here, parts->timers.newest);
}

const own_timer_functions own_timer_feature{
    .take = take, .give_back = give_back, .remember = remember, .cancel = cancel_all};

}  // namespace tactor::inline v0::internal
