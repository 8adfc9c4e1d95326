// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/bare.hpp"

#include <cstdint>
#include <optional>

// The loops of this folder share this system, this actor, and these functions of the program.

struct on {};

extern tactor::bare::system<{.actors = 2, .envelopes = 4, .timers = 1}> board;
extern tactor::actor_ref<on> lamp;

/// Ticks of the kernel from now until `then`.
std::uint32_t ticks_until(tactor::tick then);
