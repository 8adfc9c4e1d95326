// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/console/request/console_request.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tactor::inline v0::internal {

/// Refuses a request of a page of another site that runs in the user's browser, also under a name
/// that leads to this machine. `port` 0: a Unix socket, which no page can reach; there every `Host`
/// is good. Returns: nothing if the request may be answered. Throws: std::bad_alloc.
[[nodiscard]] std::optional<console_response> check_origin(const console_request& of,
                                                           std::uint16_t port);

/// Makes a fresh secret of 32 hexadecimal digits. Returns: an empty text if the system gives no
/// random numbers.
[[nodiscard]] std::string random_token();
/// Returns: true if the value of the header `Authorization` presents the secret. The time it takes
/// does not depend on where the two differ. Requires: the secret is not empty.
[[nodiscard]] bool presents_token(std::string_view authorization, std::string_view secret) noexcept;

}  // namespace tactor::inline v0::internal
