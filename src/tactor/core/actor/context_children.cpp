// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/context.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/lifecycle.hpp"

namespace tactor::inline v0 {

using namespace internal;

void context::stop_children() noexcept {
  cell& self = *storage_.owner;
  // Only a restart waits for them, and then the new instance is not notified; otherwise the actor
  // may spawn others, and its watches stay.
  const bool goes_on =
      self.stage == lifecycle_stage::running || self.stage == lifecycle_stage::draining;
  const watch_functions* const watches = linked().watches;
  if (!goes_on && watches != nullptr) watches->end_of_children(this_thread(), self);
  tactor::stop_children(self);
  if (goes_on) self.children_stopped = false;
}

}  // namespace tactor::inline v0
