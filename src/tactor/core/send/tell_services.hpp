// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"

#include <utility>

namespace tactor::inline v0::internal {

/// Calls `tell` with the system that `gate` leads to, if it exists; with this thread's system if
/// `gate` is null.
template <class Tell>
void tell_services(thread_record& here, system_gate* gate, Tell tell) noexcept {
  if (here.services != nullptr && (gate == nullptr || gate->leads_to(here.services))) {
    tell(*here.services);
  } else if (gate != nullptr) {
    gate->enter(here, tell);
  }
}
/// Calls `tell` with the system of `to`, if it exists; with this thread's system if `to` is null.
template <class Tell>
void tell_services(thread_record& here, cell* to, Tell tell) noexcept {
  // relaxed: see system_gate
  tell_services(here, to == nullptr ? nullptr : to->gate.load(relaxed), std::move(tell));
}

}  // namespace tactor::inline v0::internal
