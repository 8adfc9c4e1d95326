// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "showcase/accounts.hpp"
#include "showcase/options.hpp"

#include <string>

namespace showcase {

/// Returns: a line of the journal as text.
[[nodiscard]] std::string shown(const journal_line& line);

/// Returns: the results of a run as text.
[[nodiscard]] std::string in_words(const findings& end);

/// Returns: the results of a run as one JSON object.
[[nodiscard]] std::string in_json(const findings& end, const options& wanted);

}  // namespace showcase
