// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/lifecycle/extras/own_timers.hpp"

#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/actor/lifecycle/extras/actor_extras.hpp"

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

}  // namespace

void link_own_timers() noexcept {}

own_timer_slot::own_timer_slot(const actor_ref<>& to, origin sender) noexcept {
  if (!to || sender != origin::of_actor(to.slot()->slot, to.generation())) return;
  thread_record& here = this_thread();
  if (!here.services->constants->restarts_actors) return;
  owner_ = to.slot();
  if (extras_of(here, *owner_) != nullptr) entry_ = new_record<own_timer>(here);
}

own_timer_slot::~own_timer_slot() {
  free_record(this_thread(), entry_);
}

void own_timer_slot::remember(const cancellable& scheduled) noexcept {
  if (owner_ == nullptr) return;
  own_timer* const fresh = std::exchange(entry_, nullptr);
  fresh->job = weak_cancellable{scheduled};
  own_timer*& last = owner_->extras->own_timers;
  if (last == nullptr) last = fresh;
  fresh->next = last == fresh ? fresh : last->next;
  last->next = fresh;
  last = fresh;
  // Two for each that is added: each is checked again before the list has doubled.
  check_oldest(this_thread(), last);
  check_oldest(this_thread(), last);
}

void cancel_own_timers(thread_record& here, cell& c) noexcept {
  if (!c.extended) return;
  own_timer* const last = std::exchange(c.extras->own_timers, nullptr);
  if (last == nullptr) return;
  own_timer* each = last;
  do {
    each->job.cancel();
    each = each->next;
  } while (each != last);
  forget_own_timers(here, last);
}

void forget_own_timers(thread_record& here, own_timer* last) noexcept {
  if (last == nullptr) return;
  own_timer* each = std::exchange(last->next, nullptr);
  while (each != nullptr)
    free_record(here, std::exchange(each, each->next));
}

}  // namespace tactor::inline v0::internal
