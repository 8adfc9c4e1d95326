// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/client.hpp"

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <thread>
#include <utility>

namespace command {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using beast::error_code;
using time_point = std::chrono::steady_clock::time_point;

constexpr std::size_t largest_answer = std::size_t{256} << 20U;
constexpr std::chrono::milliseconds pause_of_full_queue{10};

std::string no_connection(const address& where, const error_code& error) {
  std::string text = "cannot connect to " + where.text() + ": " + error.message();
  if (error == std::errc::no_such_file_or_directory)
    return text + " (has the program started its console?)";
  if (error == std::errc::connection_refused)
    return text + " (has the program ended, or is its console off?)";
  if (error == std::errc::permission_denied)
    return text + " (the socket belongs to the user who runs the program)";
  return text;
}

/// A connection whose calls block, at most until a time limit.
class connection {
public:
  explicit connection(time_point until) : until_(until) { stream_.expires_at(until); }

  /// Connects. Returns: the error.
  error_code open(const address& where) {
    if (!where.path.empty()) return open_unix(where.path);
    const net::ip::tcp::endpoint to{net::ip::make_address(where.host), where.port};
    return finish([&](auto done) { stream_.async_connect(to, std::move(done)); });
  }
  error_code send(const http::request<http::string_body>& request) {
    return finish([&](auto done) { http::async_write(stream_, request, std::move(done)); });
  }
  error_code receive(http::response_parser<http::string_body>& into) {
    beast::flat_buffer bytes;
    return finish([&](auto done) { http::async_read(stream_, bytes, into, std::move(done)); });
  }

private:
  /// Waits until a socket has room in its queue: no event reports that, and Asio takes a full queue
  /// for a connection that is under way.
  error_code open_unix(const std::string& path) {
    if (path.size() >= sizeof(sockaddr_un::sun_path))
      return make_error_code(boost::system::errc::filename_too_long);
    const net::local::stream_protocol::endpoint to{path};
    error_code error;
    if (stream_.socket().open({AF_UNIX, 0}, error)) return error;
    if (stream_.socket().non_blocking(true, error)) return error;
    while (::connect(stream_.socket().native_handle(), to.data(),
                     static_cast<socklen_t>(to.size())) != 0) {
      if (errno != EAGAIN) return {errno, boost::system::system_category()};
      if (std::chrono::steady_clock::now() >= until_) return beast::error::timeout;
      std::this_thread::sleep_for(pause_of_full_queue);
    }
    return {};
  }
  /// Begins an operation and runs it to its end. Returns: its error.
  template <class Begin>
  error_code finish(Begin begin) {
    error_code result;
    begin([&result](const error_code& error, auto... /*size*/) { result = error; });
    context_.restart();
    context_.run();
    return result;
  }

  time_point until_;
  net::io_context context_;
  beast::basic_stream<net::generic::stream_protocol> stream_{context_};
};

http::request<http::string_body> request_of(const address& where, const question& what) {
  http::request<http::string_body> request{http::string_to_verb(what.method), what.target, 11,
                                           what.body};
  request.set(http::field::host, where.authority());
  request.set(http::field::accept, "application/json, text/plain");
  request.set(http::field::connection, "close");
  if (!what.token.empty()) request.set(http::field::authorization, "Bearer " + what.token);
  if (what.method != "GET") request.set(http::field::content_type, "application/json");
  request.prepare_payload();
  return request;
}

/// Returns: true if the bytes of an answer are not HTTP, false if they end too early.
bool is_not_http(const error_code& error) {
  return error.category() == make_error_code(http::error::bad_method).category() &&
         error != http::error::end_of_stream && error != http::error::partial_message;
}

}  // namespace

std::expected<answer, std::string> ask(const address& where, const question& what,
                                       std::chrono::milliseconds within) {
  const auto failed = [&](const error_code& error) -> std::unexpected<std::string> {
    if (error == beast::error::timeout)
      return std::unexpected{where.text() + " did not answer within " +
                             std::to_string(within.count()) + " ms"};
    return std::unexpected{"the connection to " + where.text() + " broke: " + error.message()};
  };
  connection line{std::chrono::steady_clock::now() + within};
  if (const error_code error = line.open(where)) {
    if (error == beast::error::timeout) return failed(error);
    return std::unexpected{no_connection(where, error)};
  }
  // A server that refuses a request may close the connection before it has read all of it: its
  // answer counts.
  const error_code not_sent = line.send(request_of(where, what));
  http::response_parser<http::string_body> into;
  into.body_limit(largest_answer);
  if (const error_code error = line.receive(into)) {
    if (is_not_http(error))
      return std::unexpected{where.text() + " is not a tactor console: it does not answer in HTTP"};
    return failed(not_sent ? not_sent : error);
  }
  return answer{.status = into.get().result_int(), .body = std::move(into.get().body())};
}

bool answers(const address& where) {
  return !connection{std::chrono::steady_clock::now() + std::chrono::seconds{1}}.open(where);
}

std::string in_query(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string escaped;
  for (const char each : text) {
    const auto code = static_cast<unsigned char>(each);
    const bool plain = (each >= '0' && each <= '9') || (each >= 'a' && each <= 'z') ||
                       (each >= 'A' && each <= 'Z') || std::string_view{"-._~/"}.contains(each);
    if (plain) {
      escaped += each;
    } else {
      escaped += {'%', digits[code / 16], digits[code % 16]};
    }
  }
  return escaped;
}

}  // namespace command
