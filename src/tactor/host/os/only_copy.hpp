// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace tactor::inline v0::internal {

/// Returns true if this copy of the library is the only one of the process that is used. The first
/// copy that calls it is; any other is a second one: a second module that was linked with the
/// static library, or one of another version. `program` is an address inside the copy. Context: any
/// thread.
[[nodiscard]] bool is_only_copy(const void* program) noexcept;

}  // namespace tactor::inline v0::internal
