// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "screen/canvas.hpp"
#include "screen/terminal.hpp"
#include "showcase/accounts.hpp"

namespace showcase {

/// Draws one frame: the devices with their last readings, the accounts, and the end of the journal.
[[nodiscard]] canvas draw(const findings& now, double length, terminal_size size);

}  // namespace showcase
