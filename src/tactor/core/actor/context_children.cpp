// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/actor/lifecycle/death_watch.hpp"
#include "tactor/core/actor/lifecycle/lifecycle.hpp"

namespace tactor::inline v0 {

using namespace internal;

void context::stop_children() noexcept {
  cell& self = *storage_.owner;
  // Only a restart waits for them, and then the new instance is not notified; otherwise the actor may
  // spawn others, and its watches stay.
  const bool goes_on =
      self.stage == lifecycle_stage::running || self.stage == lifecycle_stage::draining;
  if (!goes_on) internal::unwatch_children(this_thread(), self);
  tactor::stop_children(self);
  if (goes_on) self.children_stopped = false;
}

}  // namespace tactor::inline v0
