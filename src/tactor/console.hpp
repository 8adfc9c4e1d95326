// SPDX-License-Identifier: BSL-1.0
#pragma once

// A server inside of a program that shows its actor system. Component `console`. This header does
// not include Boost.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/console/console.hpp"
#include "tactor/console/console_options.hpp"
// IWYU pragma: end_exports
