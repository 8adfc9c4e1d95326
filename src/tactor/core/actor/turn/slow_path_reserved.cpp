// SPDX-License-Identifier: BSL-1.0
// The slow path of messages whose place was reserved. A board without any does not link it.
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/turn/slow_path.hpp"

namespace tactor::inline v0::internal {

void link_reserved_turns() noexcept {}

/// A message for an actor that drains, which refuses others: see `send_reserved`.
void slow_path::queue_reserved(envelope& e) noexcept {
  cell_.reader.push_own(cell_.box, e);
}

}  // namespace tactor::inline v0::internal
