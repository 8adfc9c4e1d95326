// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"

#include <utility>

namespace tactor::inline v0::patterns {

/// Spawns an adapter, which takes messages of a foreign protocol for this actor. `convert` makes
/// one of the actor's own messages of each, which the actor gets with its sender and the obligation
/// to answer.
///
///     billing_.tell(subscribe{patterns::adapt<invoice>(ctx, [](const invoice& i) {
///       return money_is_due{i.amount};
///     })});
///
/// The adapter is a child of the actor, and ends with it. `convert` must not refer to the actor's
/// members: it may run on another thread. If it throws, that message fails, and the adapter goes
/// on.
template <class Foreign, class Context, class Convert>
[[nodiscard]] actor_ref<Foreign> adapt(const Context& ctx, Convert convert) {
  return ctx.spawn(
      {.on_failure = directive::resume},
      [to = ctx.self(), convert = std::move(convert)](tactor::context& own, const Foreign& f) {
        return own.forward(to, convert(f));
      });
}

}  // namespace tactor::inline v0::patterns
