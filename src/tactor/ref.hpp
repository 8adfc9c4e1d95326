// SPDX-License-Identifier: BSL-1.0
#pragma once

// All that a unit needs which only sends messages to actors: references, `tell`, and what a
// message type can declare. docs/api.md lists the names.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/message_traits.hpp"
// IWYU pragma: end_exports
