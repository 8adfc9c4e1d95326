// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/console/listening_socket.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace tactor::internal {

/// The answer that a client has received.
struct client_response {
  int status = 0;  // 0: nothing was received
  std::string head = {};
  std::string body = {};
};

/// A client of a console that is as simple as possible: blocking, and of no library.
class console_client {
public:
  explicit console_client(const std::string& address) {
    if (address.starts_with('/')) {
      sockaddr_un at{};
      at.sun_family = AF_UNIX;
      std::memcpy(at.sun_path, address.data(), address.size());
      open(AF_UNIX, reinterpret_cast<const sockaddr*>(&at), sizeof at);
    } else {
      host_ = address;
      sockaddr_in at{};
      at.sin_family = AF_INET;
      at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      at.sin_port =
          htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
      open(AF_INET, reinterpret_cast<const sockaddr*>(&at), sizeof at);
    }
  }
  console_client(console_client&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)),
        host_(std::move(other.host_)),
        buffer_(std::move(other.buffer_)) {}
  console_client& operator=(console_client&&) = delete;
  console_client(const console_client&) = delete;
  console_client& operator=(const console_client&) = delete;
  ~console_client() {
    if (socket_ >= 0) (void)::close(socket_);
  }

  /// Sends any bytes. Returns: false if the connection has ended.
  bool send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  /// Up to and including `end`. Returns: all there was if the connection has ended.
  std::string read_until(std::string_view end) {
    std::size_t at = buffer_.find(end);
    while (at == std::string::npos && receive())
      at = buffer_.find(end);
    return take(at == std::string::npos ? buffer_.size() : at + end.size());
  }
  std::string read_to_end() {
    while (receive()) {
    }
    return take(buffer_.size());
  }
  client_response read_response(bool with_body = true) {
    client_response got;
    got.head = read_until("\r\n\r\n");
    if (!got.head.starts_with("HTTP/1.1 ")) return got;
    got.status = std::stoi(got.head.substr(9, 3));
    const std::size_t at = got.head.find("Content-Length: ");
    if (at == std::string::npos || !with_body) return got;
    const std::size_t length = std::stoul(got.head.substr(at + 16));
    while (buffer_.size() < length && receive()) {
    }
    got.body = take(std::min(length, buffer_.size()));
    return got;
  }

  /// `headers`: whole lines.
  client_response get(const std::string& target, const std::string& headers = "") {
    send("GET " + target + " HTTP/1.1\r\nHost: " + host_ + "\r\n" + headers + "\r\n");
    return read_response();
  }
  client_response post(const std::string& target, const std::string& body,
                       const std::string& token = "") {
    const std::string secret = token.empty() ? "" : "Authorization: Bearer " + token + "\r\n";
    send("POST " + target + " HTTP/1.1\r\nHost: " + host_ + "\r\n" + secret +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return read_response();
  }

private:
  void open(int family, const sockaddr* at, socklen_t size) {
    socket_ = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::connect(socket_, at, size), 0) << std::strerror(errno);
  }
  bool receive() {
    std::array<char, 4096> piece{};
    const ssize_t got = ::recv(socket_, piece.data(), piece.size(), 0);
    if (got <= 0) return false;
    buffer_.append(piece.data(), static_cast<std::size_t>(got));
    return true;
  }
  std::string take(std::size_t size) {
    std::string taken = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return taken;
  }

  int socket_ = -1;
  std::string host_ = "tactor";
  std::string buffer_;
};

}  // namespace tactor::internal
