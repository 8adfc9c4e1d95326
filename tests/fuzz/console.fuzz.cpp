// SPDX-License-Identifier: BSL-1.0
// Bytes as requests to a console: whatever they are, the answer is one that the console gives, and
// nothing changes without the token.
#include "tactor/console/console_connection.hpp"
#include "tactor/console/console_options.hpp"
#include "tactor/console/console_service.hpp"
#include "tactor/core/actor/behaviour.hpp"
#include "tactor/host/actor_system.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

namespace http = boost::beast::http;
using tactor::internal::console_request;
using tactor::internal::console_response;
using tactor::internal::request_method;

struct work {};

void ignore_records(const tactor::log_record& /*what*/) noexcept {}

void require(bool holds) {
  if (!holds) std::abort();
}

/// A small system, which lives as long as the program, and a console with every capability.
struct fuzzed_console {
  tactor::actor_system system{{.name = "fuzz", .workers = 1, .log = {.sink = ignore_records}}};
  tactor::console_options options{
      .capabilities = {.trace = true, .control = true, .lifecycle = true},
      .token = "secret",
      .actions = {{"run", "", [] {}}}};
  tactor::internal::console_service on_unix{system, options, 0};
  tactor::internal::console_service on_port{system, options, 8080};

  fuzzed_console() {
    for (const char* name : {"a", "b"})
      (void)system.spawn(name, [](tactor::context&, const work&) {});
  }
};

void check(const console_response& answer) {
  constexpr unsigned possible[] = {200, 400, 401, 403, 404, 405, 409, 501, 503};
  bool is_possible = false;
  for (const unsigned each : possible)
    is_possible = is_possible || answer.status == each;
  require(is_possible);
  require(answer.opens_stream || !answer.body.empty());
  const bool is_json = answer.content_type == "application/json" && !answer.opens_stream;
  require(!is_json || (answer.body.starts_with('{') && answer.body.ends_with("}\n")));
}

/// A request whose parts are the lines of a text: so it gets further than bytes that have to be
/// HTTP first.
console_request request_of_lines(std::uint8_t kind, std::string_view text) {
  const auto next = [&] {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
  };
  console_request made{.method = static_cast<request_method>(kind % 4)};
  made.target = next();
  made.host = next();
  made.origin = next();
  made.fetch_site = next();
  made.authorization = next();
  made.body = text;
  return made;
}

void answer(tactor::internal::console_service& service, const console_request& request) {
  const auto before = service.counts();
  check(service.answer(request));
  const bool has_token = request.authorization == "Bearer secret";
  require(service.counts().requests == before.requests + 1);
  require(service.counts().actions == before.actions ||
          (has_token && request.method == request_method::post));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzzed_console world;
  if (size == 0) return 0;
  auto& service = data[0] % 2 == 0 ? world.on_unix : world.on_port;
  if (data[0] % 4 >= 2) {
    const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
    answer(service, request_of_lines(data[0] / 4, text));
    return 0;
  }
  http::request_parser<http::string_body> parser;
  parser.header_limit(static_cast<std::uint32_t>(world.options.limits.header_bytes));
  parser.body_limit(world.options.limits.body_bytes);
  parser.eager(true);
  boost::beast::error_code error;
  (void)parser.put(boost::asio::buffer(data + 1, size - 1), error);
  if (error || !parser.is_done()) return 0;
  answer(service, tactor::internal::request_of(parser.get()));
  return 0;
}
