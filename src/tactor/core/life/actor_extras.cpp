// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/actor_extras.hpp"

#include "tactor/core/ask/pending_asks.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_tasks.hpp"
#include "tactor/core/life/fault_handling.hpp"
#include "tactor/core/life/rare_lists.hpp"
#include "tactor/core/life/stash.hpp"
#include "tactor/core/life/suspension.hpp"

namespace tactor::inline v0::internal {

actor_extras* make_extras(thread_record& here, cell& c) noexcept {
  auto* const made = new_record<actor_extras>(here);
  if (made == nullptr) return nullptr;
  c.extras = made;
  c.extended = true;
  return made;
}

rare_lists* rare_lists_of(thread_record& here, cell& c) noexcept {
  actor_extras* const extras = extras_of(here, c);
  if (extras == nullptr) return nullptr;
  if (extras->rare == nullptr) extras->rare = new_record<rare_lists>(here);
  return extras->rare;
}

void end_extras(thread_record& here, cell& c) noexcept {
  actor_extras& extras = *c.extras;
  if (const auto* const deadlines = linked().deadlines) deadlines->end(extras.deadlines);
  if (const auto* const own = linked().own_timers) own->forget(here, c);
  free_record(here, extras.asks);
  free_record(here, extras.faults);
  if (extras.suspension != nullptr) {
    free_record(here, extras.suspension->early);
    if (extras.suspension->tasks != nullptr) extras.suspension->tasks->release(here);
  }
  free_record(here, extras.suspension);
  if (extras.rare != nullptr) free_record(here, extras.rare->stash);
  free_record(here, extras.rare);
  c.extras = nullptr;
  c.extended = false;
  free_record(here, &extras);
}

}  // namespace tactor::inline v0::internal
