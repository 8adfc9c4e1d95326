// SPDX-License-Identifier: BSL-1.0
#pragma once

// Callbacks of other libraries as messages. A header of its own: few programs need it.

// IWYU pragma: begin_exports
#include "tactor/actor.hpp"
#include "tactor/core/actor/to_actor.hpp"
// IWYU pragma: end_exports
