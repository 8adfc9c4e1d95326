// SPDX-License-Identifier: BSL-1.0
#include "command/client.hpp"

#include <arpa/inet.h>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <system_error>

namespace command {
namespace {

namespace http = boost::beast::http;
using time_point = std::chrono::steady_clock::time_point;

constexpr std::size_t largest_answer = std::size_t{256} << 20U;

std::string text_of(int error) {
  return std::generic_category().message(error);
}

std::string no_connection(const address& where, int error) {
  const std::string said = "cannot connect to " + where.text() + ": " + text_of(error);
  if (error == ENOENT) return said + " (has the program started its console?)";
  if (error == ECONNREFUSED) return said + " (has the program ended, or is its console off?)";
  if (error == EACCES) return said + " (the socket belongs to the user who runs the program)";
  return said;
}

/// A connection that never blocks for longer than it may.
class connection {
public:
  connection() = default;
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  ~connection() {
    if (socket_ >= 0) ::close(socket_);
  }

  /// Returns: 0, or errno.
  int open(const address& where, time_point until) {
    sockaddr_storage to{};
    socklen_t size = 0;
    if (!where.path.empty()) {
      auto& unix_name = reinterpret_cast<sockaddr_un&>(to);
      if (where.path.size() >= sizeof unix_name.sun_path) return ENAMETOOLONG;
      unix_name.sun_family = AF_UNIX;
      std::memcpy(unix_name.sun_path, where.path.data(), where.path.size());
      size = sizeof(sockaddr_un);
    } else if (where.host.contains(':')) {
      auto& name = reinterpret_cast<sockaddr_in6&>(to);
      name.sin6_family = AF_INET6;
      name.sin6_port = htons(where.port);
      name.sin6_addr = in6addr_loopback;
      size = sizeof(sockaddr_in6);
    } else {
      auto& name = reinterpret_cast<sockaddr_in&>(to);
      name.sin_family = AF_INET;
      name.sin_port = htons(where.port);
      name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      size = sizeof(sockaddr_in);
    }
    socket_ = ::socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (socket_ < 0) return errno;
    while (::connect(socket_, reinterpret_cast<const sockaddr*>(&to), size) != 0) {
      if (errno == EINPROGRESS) return finish_connect(until);
      if (errno != EAGAIN) return errno;
      // The socket's queue is full. No event tells when it is not.
      if (std::chrono::steady_clock::now() >= until) return ETIMEDOUT;
      ::poll(nullptr, 0, 10);
    }
    return 0;
  }
  /// Returns: 0, or errno.
  int send(std::string_view text, time_point until) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent > 0) text.remove_prefix(static_cast<std::size_t>(sent));
      if (sent >= 0) continue;
      if (errno == EAGAIN) {
        if (const int error = wait_for(POLLOUT, until); error != 0) return error;
      } else if (errno != EINTR) {
        return errno;
      }
    }
    return 0;
  }
  struct received {
    std::size_t size = 0;  // 0 without an error: the end
    int error = 0;
  };
  received receive(std::span<char> to, time_point until) {
    while (true) {
      const ssize_t size = ::recv(socket_, to.data(), to.size(), 0);
      if (size >= 0) return {.size = static_cast<std::size_t>(size)};
      if (errno == EINTR) continue;
      if (errno != EAGAIN) return {.error = errno};
      if (const int error = wait_for(POLLIN, until); error != 0) return {.error = error};
    }
  }

private:
  int finish_connect(time_point until) {
    if (const int error = wait_for(POLLOUT, until); error != 0) return error;
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
    return error;
  }
  int wait_for(short event, time_point until) {
    while (true) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
      if (left.count() <= 0) return ETIMEDOUT;
      pollfd one{.fd = socket_, .events = event, .revents = 0};
      const int ready =
          ::poll(&one, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
      if (ready > 0) return 0;
      if (ready < 0 && errno != EINTR) return errno;
    }
  }

  int socket_ = -1;
};

std::string request_of(const address& where, const question& what) {
  std::string text = what.method + " " + what.target + " HTTP/1.1\r\nHost: " + where.authority() +
                     "\r\nAccept: application/json, text/plain\r\nConnection: close\r\n";
  if (!what.token.empty()) text += "Authorization: Bearer " + what.token + "\r\n";
  if (what.method != "GET")
    text +=
        "Content-Type: application/json\r\nContent-Length: " + std::to_string(what.body.size()) +
        "\r\n";
  return text + "\r\n" + what.body;
}

using parser = http::response_parser<http::string_body>;

/// Gives all bytes to the parser that it can use. Returns: false if they are no HTTP.
bool parse(parser& to, boost::beast::flat_buffer& bytes) {
  while (bytes.size() > 0 && !to.is_done()) {
    boost::system::error_code error;
    const std::size_t used = to.put(bytes.data(), error);
    bytes.consume(used);
    if (error == http::error::need_more) return true;
    if (error) return false;
  }
  return true;
}

}  // namespace

std::expected<answer, std::string> ask(const address& where, const question& what,
                                       std::chrono::milliseconds within) {
  const std::string not_a_console =
      where.text() + " is not a tactor console: it does not answer in HTTP";
  const time_point until = std::chrono::steady_clock::now() + within;
  const auto failed = [&](int error) -> std::unexpected<std::string> {
    if (error == ETIMEDOUT)
      return std::unexpected{where.text() + " did not answer within " +
                             std::to_string(within.count()) + " ms"};
    return std::unexpected{"the connection to " + where.text() + " broke: " + text_of(error)};
  };
  connection line;
  if (const int error = line.open(where, until); error != 0) {
    if (error == ETIMEDOUT) return failed(error);
    return std::unexpected{no_connection(where, error)};
  }
  // A server that refuses a request may close the connection before it has read all of it: its answer counts.
  const int not_sent = line.send(request_of(where, what), until);
  parser into;
  into.eager(true);
  into.body_limit(largest_answer);
  boost::beast::flat_buffer bytes;
  std::array<char, 65'536> part;
  bool has_said_something = false;
  while (!into.is_done()) {
    const auto [size, error] = line.receive(part, until);
    if (error != 0) return failed(not_sent != 0 ? not_sent : error);
    boost::system::error_code broken;
    if (size == 0) {
      if (has_said_something) into.put_eof(broken);
      if (!has_said_something || broken) return failed(not_sent != 0 ? not_sent : ECONNRESET);
      break;
    }
    has_said_something = true;
    bytes.commit(
        boost::asio::buffer_copy(bytes.prepare(size), boost::asio::buffer(part.data(), size)));
    if (!parse(into, bytes)) return std::unexpected{not_a_console};
  }
  return answer{.status = into.get().result_int(), .body = std::move(into.get().body())};
}

bool answers(const address& where) {
  connection line;
  return line.open(where, std::chrono::steady_clock::now() + std::chrono::seconds{1}) == 0;
}

std::string in_query(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string made;
  for (const char each : text) {
    const auto code = static_cast<unsigned char>(each);
    const bool plain = (each >= '0' && each <= '9') || (each >= 'a' && each <= 'z') ||
                       (each >= 'A' && each <= 'Z') || std::string_view{"-._~/"}.contains(each);
    if (plain) {
      made += each;
    } else {
      made += {'%', digits[code / 16], digits[code % 16]};
    }
  }
  return made;
}

}  // namespace command
