// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace command {

using lines = std::vector<std::string>;

// What a part of a snapshot looks like as text. Pure functions; they show what is there, and nothing of what is missing or
// of another kind than expected. No line has a control character.

[[nodiscard]] lines system_view(const nlohmann::json& system);
[[nodiscard]] lines actors_view(const nlohmann::json& actors);
[[nodiscard]] lines tree_view(const nlohmann::json& tree);
[[nodiscard]] lines actor_view(const nlohmann::json& actor);
[[nodiscard]] lines workers_view(const nlohmann::json& workers);
[[nodiscard]] lines timers_view(const nlohmann::json& timers);
[[nodiscard]] lines dead_letters_view(const nlohmann::json& dead_letters);
[[nodiscard]] lines failures_view(const nlohmann::json& failures);
[[nodiscard]] lines warnings_view(const nlohmann::json& warnings);
[[nodiscard]] lines shutdown_view(const nlohmann::json& shutdown);
/// The actions of the program.
[[nodiscard]] lines actions_view(const nlohmann::json& console);

/// The view of any part, by its name in the JSON.
[[nodiscard]] lines view_of(const nlohmann::json& part);

}  // namespace command
