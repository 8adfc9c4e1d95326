// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/keyed_timers.hpp"

#include "tactor/core/life/actor_parts.hpp"

#include <utility>

namespace tactor::inline v0::internal {
namespace {

keyed_timers* timers_or_null(const cell& c) noexcept {
  actor_parts* const parts = parts_or_null(c);
  return parts == nullptr ? nullptr : &parts->timers;
}

keyed_timer* find(const cell& c, std::uint64_t key) noexcept {
  const keyed_timers* const all = timers_or_null(c);
  return all == nullptr ? nullptr : static_cast<keyed_timer*>(all->by_key.find(key));
}

/// Frees the oldest if it is over, or makes it the newest. Requires: the ring is not empty.
void check_oldest(thread_record& here, keyed_timers& all) noexcept {
  keyed_timer* const oldest = all.newest->next;
  if (oldest == all.newest || !oldest->job.is_over()) {
    all.newest = oldest;
    return;
  }
  all.newest->next = oldest->next;
  all.by_key.erase(*oldest);
  free_record(here, oldest);
}

}  // namespace

keyed_timer* timer_of_key(thread_record& here, cell& c, std::uint64_t key,
                          const timer_key_text& text) noexcept {
  if (keyed_timer* const known = find(c, key)) return known;
  actor_parts* const parts = parts_of(here, c);
  if (parts == nullptr) return nullptr;
  keyed_timers& all = parts->timers;
  if (all.newest != nullptr) {
    // Two for each that is added: each is checked again before the ring has doubled.
    check_oldest(here, all);
    check_oldest(here, all);
  }
  auto* const fresh = new_record<keyed_timer>(here);
  if (fresh == nullptr) return nullptr;
  fresh->key = key;
  fresh->text = text;
  all.by_key.insert(*fresh);
  fresh->next = all.newest == nullptr ? fresh : std::exchange(all.newest->next, fresh);
  all.newest = fresh;
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
  keyed_timers* const all = timers_or_null(c);
  if (all == nullptr || all->newest == nullptr) return;
  keyed_timer* each = std::exchange(all->newest->next, nullptr);
  *all = {};
  while (each != nullptr) {
    each->job.cancel();
    free_record(here, std::exchange(each, each->next));
  }
}

}  // namespace tactor::inline v0::internal
