// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "showcase/accounts.hpp"
#include "showcase/options.hpp"

#include <string>

namespace showcase {

/// A line of the journal as it is shown.
[[nodiscard]] std::string shown(const journal_line& line);

/// What came of a run, for people.
[[nodiscard]] std::string in_words(const findings& end);

/// What came of a run, for scripts: one JSON object.
[[nodiscard]] std::string in_json(const findings& end, const options& wanted);

}  // namespace showcase
