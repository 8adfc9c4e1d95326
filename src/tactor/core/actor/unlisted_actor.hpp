// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/exceptions.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/send/actor_ref.hpp"

#include <expected>
#include <new>  // IWYU pragma: keep (placement new)
#include <utility>

namespace tactor::inline v0::internal {

inline namespace TACTOR_EXCEPTION_MODE {

/// Spawns an actor for a task of the runtime. It is built once, from parts that move into it,
/// because it is never restarted; it is not counted, and ends by itself.
template <class Actor, class Parts>
struct unlisted_actor {
  mutable Parts parts;

  void operator()(void* storage) const { ::new (storage) Actor(std::move(parts)); }
  /// Returns: the actor, or why there is none; then `parts` are still there.
  [[nodiscard]] std::expected<actor_ref<>, spawn_error> spawn(system_services& by,
                                                              const spawn_options& options = {}) {
    return by.spawn({.recipe = recipe_of<Actor, unlisted_actor>::value,
                     .arguments = this,
                     .options = options,
                     .if_taken = spawn_request::taken_name::is_an_error,
                     .unlisted = true},
                    nullptr);
  }
};

}  // namespace TACTOR_EXCEPTION_MODE
}  // namespace tactor::inline v0::internal
