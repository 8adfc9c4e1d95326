// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/beast_request.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/verb.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace tactor::inline v0::internal {

namespace http = boost::beast::http;

namespace {

request_method method_of(http::verb verb) noexcept {
  if (verb == http::verb::get) return request_method::get;
  if (verb == http::verb::head) return request_method::head;
  if (verb == http::verb::post) return request_method::post;
  return request_method::other;
}

std::string_view view_of(boost::beast::string_view text) noexcept {
  return {text.data(), text.size()};
}

/// Returns: true if one of the headers that are checked occurs twice.
bool repeats_header(const http::request<http::string_body>& from) noexcept {
  constexpr std::array names{"Host", "Origin", "Sec-Fetch-Site", "Authorization"};
  return std::ranges::any_of(names, [&](const char* each) { return from.count(each) > 1; });
}

}  // namespace

console_request request_of(const http::request<http::string_body>& from) noexcept {
  return {.method = method_of(from.method()),
          .target = view_of(from.target()),
          .host = view_of(from[http::field::host]),
          .origin = view_of(from[http::field::origin]),
          .fetch_site = view_of(from["Sec-Fetch-Site"]),
          .authorization = view_of(from[http::field::authorization]),
          .body = from.body(),
          .repeats_header = repeats_header(from)};
}

}  // namespace tactor::inline v0::internal
