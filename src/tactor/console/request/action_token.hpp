// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

namespace tactor::inline v0::internal {

/// A fresh secret of 32 hexadecimal digits. Returns: an empty text if the system gives no random numbers.
[[nodiscard]] std::string random_token();

/// Whether the value of the header `Authorization` presents the secret. Takes a time that does not depend on
/// where the two differ. Requires: the secret is not empty.
[[nodiscard]] bool presents_token(std::string_view authorization, std::string_view secret) noexcept;

}  // namespace tactor::inline v0::internal
