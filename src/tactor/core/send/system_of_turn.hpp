// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/port/port.hpp"

namespace tactor::inline v0::panics {
inline constexpr port::panic_code context_elsewhere{
    .module = 5,
    .id = 3,
    .advice =
        "the context of an actor was used outside of its turn, on another thread or by another "
        "actor: send a message to the actor instead, or pass on tactor::to_actor(ctx.self(), "
        "...)"};
}  // namespace tactor::inline v0::panics

namespace tactor::inline v0::internal {

/// Returns: the system in whose turn the actor `of` uses its context. A context belongs to its
/// turn: on a thread that does not run the actor, and while its instance is being destroyed, this
/// names the actor in the log and ends the program.
[[nodiscard]] system_services& system_of_turn(thread_record& here, cell& of) noexcept;

}  // namespace tactor::inline v0::internal
