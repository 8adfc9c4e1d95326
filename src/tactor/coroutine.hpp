// SPDX-License-Identifier: BSL-1.0
#pragma once

// Coroutine handlers: `task`, and what a context offers to await. Not part of tactor/actor.hpp, so
// that a unit without coroutines does not compile them.

// IWYU pragma: begin_exports
#include "tactor/actor.hpp"
#include "tactor/core/actor/coroutine/blocking.hpp"
#include "tactor/core/actor/coroutine/completion.hpp"
#include "tactor/core/actor/coroutine/operations.hpp"
#include "tactor/core/actor/coroutine/several.hpp"
#include "tactor/core/actor/coroutine/task.hpp"
// IWYU pragma: end_exports
