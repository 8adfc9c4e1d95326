// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/actor_parts.hpp"

#include "tactor/core/ask/pending_asks.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_tasks.hpp"
#include "tactor/core/life/failure.hpp"
#include "tactor/core/life/outbox.hpp"
#include "tactor/core/life/stash.hpp"
#include "tactor/core/life/suspension.hpp"

namespace tactor::inline v0::internal {

actor_parts* make_parts(thread_record& here, cell& c) noexcept {
  auto* const made = new_record<actor_parts>(here);
  if (made == nullptr) return nullptr;
  c.parts = made;
  c.extended = true;
  return made;
}

void end_parts(thread_record& here, cell& c) noexcept {
  actor_parts& parts = *c.parts;
  if (const auto* const deadlines = program_features().deadlines) deadlines->end(parts.deadlines);
  if (const auto* const own = program_features().own_timers) own->cancel(here, c);
  free_record(here, parts.asks);
  free_record(here, parts.faults);
  if (parts.suspension != nullptr) {
    free_record(here, parts.suspension->early);
    if (parts.suspension->tasks != nullptr) parts.suspension->tasks->release(here);
  }
  free_record(here, parts.suspension);
  free_record(here, parts.stash);
  free_record(here, parts.outboxes);
  c.parts = nullptr;
  c.extended = false;
  free_record(here, &parts);
}

}  // namespace tactor::inline v0::internal
