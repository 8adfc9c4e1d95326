// SPDX-License-Identifier: BSL-1.0
#pragma once

// Parts built of actors: routers, adapters, state machines, rate limiters, circuit breakers. A
// header of its own: programs that use none of them do not pay for its standard headers.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/patterns/circuit_breaker.hpp"
#include "tactor/patterns/message_adapter.hpp"
#include "tactor/patterns/rate_limiter.hpp"
#include "tactor/patterns/router.hpp"
#include "tactor/patterns/routing.hpp"
#include "tactor/patterns/state_machine.hpp"
// IWYU pragma: end_exports
