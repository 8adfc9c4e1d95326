// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/console/request/console_request.hpp"
#include "tactor/console/request/json_fields.hpp"
#include "tactor/console/request/request_target.hpp"
#include "tactor/host/actor_system.hpp"

namespace tactor::inline v0::internal {

/// Starts to record messages: `seconds`, `most`, `every`, `path`, `message`. Throws: std::bad_alloc.
[[nodiscard]] console_response start_trace(const json_fields& how, const actor_system& system);
/// What was recorded, as `format=chrome` or `format=otlp`. Throws: std::bad_alloc.
[[nodiscard]] console_response read_trace(const request_target& target, const actor_system& system);

}  // namespace tactor::inline v0::internal
