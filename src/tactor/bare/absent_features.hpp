// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace tactor::inline v0::bare::internal {

/// Does nothing. A program that calls it links the definitions for features that the program does not use.
void absent_features() noexcept;

}  // namespace tactor::inline v0::bare::internal
