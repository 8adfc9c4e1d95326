// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tactor::inline v0 {
class text_sink;
}

namespace tactor::inline v0::internal {

class json_writer;

/// The method of a request.
enum class request_method : std::uint8_t { get, head, post, other };

/// A request, as far as a console reads it. The texts are valid while it is answered.
struct console_request {
  request_method method = request_method::get;
  std::string_view target = "/";  // path and query
  std::string_view host = {};     // the headers; empty: absent
  std::string_view origin = {};
  std::string_view fetch_site = {};  // Sec-Fetch-Site
  std::string_view authorization = {};
  std::string_view body = {};
  bool repeats_header = false;  // one of these headers occurs twice: readers could see another one
};

/// The answer to a request.
struct console_response {
  unsigned status = 200;
  std::string_view content_type = "application/json";
  std::string body = {};
  std::string_view allow = {};  // methods, for status 405
  bool is_page = false;         // a part of the page: with the headers that protect it
  bool opens_stream = false;    // events follow
};

/// Makes an answer with the text that `write` writes. Throws: std::bad_alloc.
[[nodiscard]] console_response answer_with(const std::function<void(text_sink&)>& write);
/// Makes an answer with one JSON object, whose members `write` writes. Throws: std::bad_alloc.
[[nodiscard]] console_response object_with(const std::function<void(json_writer&)>& write);
/// Makes an answer with an error, and with advice for the user. Throws: std::bad_alloc.
[[nodiscard]] console_response refusal_of(unsigned status, std::string_view error,
                                          std::string_view advice);

}  // namespace tactor::inline v0::internal
