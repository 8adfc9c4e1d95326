// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/send/actor_ref.hpp"

namespace tactor::inline v0 {

/// Widens a reference: `terminated::who`, `ctx.sender()` and `ctx.parent()` name actors, but take
/// no message. Returns: a reference that takes these messages; to no actor if the actor does not
/// take them all, or has ended.
///
///     if (const auto peer = tactor::try_cast<finish>(ctx.sender())) peer.tell(finish{});
///
/// Context: any thread.
template <class... Messages>
[[nodiscard]] actor_ref<Messages...> try_cast(const actor_ref<>& ref) noexcept {
  if (!ref) return {};
  const internal::actor_type* const type = internal::type_of(*ref.slot(), ref.generation());
  const bool fits =
      type != nullptr && internal::takes_all(*type, internal::operations_list<Messages...>);
  return fits ? actor_ref<Messages...>{ref.slot(), ref.generation()} : actor_ref<Messages...>{};
}

}  // namespace tactor::inline v0
