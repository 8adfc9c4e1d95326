// SPDX-License-Identifier: BSL-1.0
#pragma once

// Private to the component: includes Boost.

#include "tactor/console/request/console_request.hpp"

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

namespace tactor::inline v0::internal {

/// Converts a request that Beast has read into the form that the service reads. Its texts are those
/// of `from`.
[[nodiscard]] console_request
request_of(const boost::beast::http::request<boost::beast::http::string_body>& from) noexcept;

}  // namespace tactor::inline v0::internal
