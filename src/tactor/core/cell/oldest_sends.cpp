// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/cell/oldest_sends.hpp"

namespace tactor::inline v0::internal {

constinit oldest_sends program_oldest_sends;

}  // namespace tactor::inline v0::internal
