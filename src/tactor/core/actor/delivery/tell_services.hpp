// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/system_gate.hpp"
#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"

namespace tactor::inline v0::internal {

/// Calls `tell` with the system of `to`, if it exists; with this thread's system if `to` is null.
template <class Tell>
void tell_services(thread_record& here, cell* to, Tell tell) noexcept {
  system_gate* const gate =
      to == nullptr ? nullptr : to->gate.load(relaxed);  // relaxed: see system_gate
  if (here.services != nullptr && (gate == nullptr || gate->leads_to(here.services))) {
    tell(*here.services);
  } else if (gate != nullptr) {
    gate->enter(here, tell);
  }
}

}  // namespace tactor::inline v0::internal
