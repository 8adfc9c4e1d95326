// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/console/request/console_request.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

/// Whether a request comes from where it may come from: a page of another site that runs in the user's
/// browser, also under a name that leads to this machine, is refused. `port` 0: a Unix socket, which no page
/// can reach; there every `Host` is good. Returns: nothing if the request may be answered.
[[nodiscard]] std::optional<console_response> check_origin(const console_request& of,
                                                           std::uint16_t port);

}  // namespace tactor::inline v0::internal
