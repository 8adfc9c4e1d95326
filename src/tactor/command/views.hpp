// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace command {

using lines = std::vector<std::string>;

// These pure functions show a part of a snapshot as text. They leave out fields that are missing or
// of another kind than expected. No line has a control character.

/// Shows any part, by its name in the JSON.
[[nodiscard]] lines view_of(const nlohmann::json& part);
/// Shows the warnings, each with its advice.
[[nodiscard]] lines warnings_view(const nlohmann::json& warnings);
/// Shows the actions of the program.
[[nodiscard]] lines actions_view(const nlohmann::json& console);

}  // namespace command
