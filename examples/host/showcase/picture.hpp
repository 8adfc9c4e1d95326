// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "showcase/canvas.hpp"
#include "showcase/terminal.hpp"
#include "showcase/workload.hpp"

#include <chrono>
#include <string>

namespace showcase {

/// How far the run is.
struct progress {
  std::chrono::duration<double> elapsed;
  std::chrono::duration<double> length;
};

/// What is on show: the size of the wheel and how many timers there are.
[[nodiscard]] std::string heading(const workload& work);

/// One frame: the slots of the wheel, the overflow and the figures, laid out for `size`.
[[nodiscard]] canvas draw(const workload& work, progress run, terminal_size size);

/// The figures on one line, for where there is no terminal.
[[nodiscard]] std::string one_line(const workload& work, progress run);

/// What happened in the whole run, on one line.
[[nodiscard]] std::string verdict(const workload& work);

}  // namespace showcase
