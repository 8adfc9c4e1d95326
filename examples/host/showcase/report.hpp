// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "showcase/accounts.hpp"
#include "showcase/options.hpp"

#include <span>
#include <string>
#include <vector>

namespace showcase {

/// Equal lines one after the other as one, with their number.
[[nodiscard]] std::vector<std::string> folded(std::span<const std::string> all);

/// What came of a run, for people.
[[nodiscard]] std::string in_words(const findings& end);

/// What came of a run, for scripts: one JSON object.
[[nodiscard]] std::string in_json(const findings& end, const options& wanted);

}  // namespace showcase
