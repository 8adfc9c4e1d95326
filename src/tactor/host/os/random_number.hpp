// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

/// Asks the operating system for a random number, without waiting. Returns: nothing if it has none
/// yet. Context: any thread.
[[nodiscard]] std::optional<std::uint64_t> random_number() noexcept;

}  // namespace tactor::inline v0::internal
