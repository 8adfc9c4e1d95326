// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "scheduler_showcase/snapshot.hpp"
#include "scheduler_showcase/warnings.hpp"
#include "screen/canvas.hpp"
#include "screen/terminal.hpp"

#include <string>

namespace showcase {

/// Returns: a line with the size of the wheel and the number of timers.
[[nodiscard]] std::string heading(const snapshot& now);

/// Draws one frame, laid out for `size`: the timers in the wheel, the figures, and the newest
/// warnings.
[[nodiscard]] canvas draw(const snapshot& now, const warnings& heard, const std::string& incident,
                          terminal_size size);

/// Returns: the figures on one line, for output without a terminal.
[[nodiscard]] std::string one_line(const snapshot& now);

}  // namespace showcase
