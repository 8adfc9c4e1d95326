// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

/// Ends the program with `code` (a `port::panic_code`) unless `condition` holds. For errors in the
/// program, never for a situation the caller can expect. Enabled in every build.
#define TACTOR_ASSERT(condition, code)                                                             \
  do {                                                                                             \
    if (!(condition)) [[unlikely]]                                                                 \
      ::tactor::port::panic(code);                                                                 \
  } while (false)
