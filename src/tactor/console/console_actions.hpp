// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/console/console_options.hpp"
#include "tactor/console/request/console_request.hpp"
#include "tactor/console/request/json_fields.hpp"
#include "tactor/host/actor_system.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::inline v0::internal {

/// An action that a console can carry out on a system.
enum class console_action : std::uint8_t { suspend, resume, stop, restart, settings, trace, run };

/// Returns: the name of the action.
[[nodiscard]] constexpr const char* to_text(console_action what) noexcept {
  constexpr const char* names[] = {"suspend",  "resume", "stop", "restart",
                                   "settings", "trace",  "run"};
  return names[static_cast<std::size_t>(what)];
}
/// Returns: true if the program has granted the capability that the action needs.
[[nodiscard]] bool is_allowed(console_action what, const console_capabilities& granted) noexcept;

/// Carries out an action. It waits only if it runs an action of the program; an actor obeys between
/// two messages. `known`: the actions of the program. Context: any thread. Throws: std::bad_alloc.
[[nodiscard]] console_response perform(console_action what, const json_fields& how,
                                       const actor_system& system,
                                       std::span<const program_action> known);

}  // namespace tactor::inline v0::internal
