// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/own_timers.hpp"

#include "tactor/core/life/actor_parts.hpp"

#include <utility>

namespace tactor::inline v0::internal {
namespace {

/// Frees the oldest entry if its timer is over, or makes it the newest. Requires: `last` is in its
/// list.
void check_oldest(thread_record& here, own_timer*& last) noexcept {
  own_timer* const oldest = last->next;
  if (oldest == last || !oldest->job.is_over()) {
    last = oldest;
    return;
  }
  last->next = oldest->next;
  free_record(here, oldest);
}

void free_all(thread_record& here, own_timer* last) noexcept {
  own_timer* each = std::exchange(last->next, nullptr);
  while (each != nullptr)
    free_record(here, std::exchange(each, each->next));
}

own_timer* take(thread_record& here, cell& owner) noexcept {
  return parts_of(here, owner) == nullptr ? nullptr : new_record<own_timer>(here);
}

void give_back(thread_record& here, own_timer& unused) noexcept {
  free_record(here, &unused);
}

/// Also forgets timers that are over: it remembers at most twice as many timers as are live.
void remember(thread_record& here, cell& owner, own_timer& fresh,
              const cancellable& scheduled) noexcept {
  fresh.job = weak_cancellable{scheduled};
  own_timer*& last = owner.parts->own_timers;
  if (last == nullptr) last = &fresh;
  fresh.next = last == &fresh ? &fresh : last->next;
  last->next = &fresh;
  last = &fresh;
  // Two for each that is added: each is checked again before the list has doubled.
  check_oldest(here, last);
  check_oldest(here, last);
}

/// Of an actor that restarts.
void cancel_all(thread_record& here, cell& c) noexcept {
  if (!c.extended) return;
  own_timer* const last = std::exchange(c.parts->own_timers, nullptr);
  if (last == nullptr) return;
  own_timer* each = last;
  do {
    each->job.cancel();
    each = each->next;
  } while (each != last);
  free_all(here, last);
}

/// Of an actor that has ended. Requires: it has parts.
void forget_all(thread_record& here, cell& c) noexcept {
  if (own_timer* const last = c.parts->own_timers) free_all(here, last);
}

}  // namespace

const own_timer_functions own_timer_feature{.take = take,
                                            .give_back = give_back,
                                            .remember = remember,
                                            .cancel = cancel_all,
                                            .forget = forget_all};

}  // namespace tactor::inline v0::internal
