// SPDX-License-Identifier: BSL-1.0
#pragma once

// The public names for programs that show what a system does. docs/api.md lists them.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/host/actor_system.hpp"
#include "tactor/host/snapshot/board_frames.hpp"
#include "tactor/host/snapshot/frame_decoder.hpp"
#include "tactor/host/snapshot/snapshot.hpp"
// IWYU pragma: end_exports
