// SPDX-License-Identifier: BSL-1.0
#pragma once

// Delays for code outside of actors. A header of its own: few programs need it.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/host/delay_provider.hpp"
// IWYU pragma: end_exports
