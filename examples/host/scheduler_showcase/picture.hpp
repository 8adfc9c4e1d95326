// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "scheduler_showcase/snapshot.hpp"
#include "scheduler_showcase/warnings.hpp"
#include "screen/canvas.hpp"
#include "screen/terminal.hpp"

#include <string>

namespace showcase {

/// What is on show: the size of the wheel and how many timers there are.
[[nodiscard]] std::string heading(const snapshot& now);

/// One frame, laid out for `size`: where the timers wait, the figures, and the newest warnings.
[[nodiscard]] canvas draw(const snapshot& now, const warnings& heard, const std::string& incident,
                          terminal_size size);

/// The figures on one line, for where there is no terminal.
[[nodiscard]] std::string one_line(const snapshot& now);

}  // namespace showcase
