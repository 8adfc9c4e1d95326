// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/console/console_options.hpp"
#include "tactor/console/request/console_request.hpp"
#include "tactor/console/request/json_fields.hpp"
#include "tactor/host/actor_system.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tactor::inline v0::internal {

/// What a console can do to a system.
enum class console_action : std::uint8_t { suspend, resume, stop, restart, settings, trace, run };

/// The action with this name: "suspend".
[[nodiscard]] std::optional<console_action> action_called(std::string_view name) noexcept;
/// Whether the program has allowed it.
[[nodiscard]] bool is_allowed(console_action what, const console_capabilities& granted) noexcept;

/// Does it, and waits for nothing but an action of the program: an actor obeys between two messages.
/// `known`: the actions of the program. Context: any thread. Throws: std::bad_alloc.
[[nodiscard]] console_response perform(console_action what, const json_fields& how,
                                       const actor_system& system,
                                       std::span<const program_action> known);

}  // namespace tactor::inline v0::internal
