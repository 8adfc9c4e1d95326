// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "each_request.hpp"
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tactor::faults {

/// A client that allocates nothing.
class client {
public:
  enum class result : std::uint8_t { found, ended, silent };

  /// Of a Unix socket.
  explicit client(const char* path) noexcept : client(AF_UNIX) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::strncpy(at.sun_path, path, sizeof at.sun_path - 1);
    (void)::connect(socket_, reinterpret_cast<const sockaddr*>(&at), sizeof at);
  }
  /// Of a port of this machine.
  explicit client(std::uint16_t port) noexcept : client(AF_INET) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(port);
    (void)::connect(socket_, reinterpret_cast<const sockaddr*>(&at), sizeof at);
  }
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  ~client() { (void)::close(socket_); }

  void send(std::string_view request) const noexcept {
    (void)::send(socket_, request.data(), request.size(), MSG_NOSIGNAL);
  }
  /// Reads until `text` has come so often.
  result read_until(std::string_view text, int times) noexcept {
    while (times > 0) {
      if (const std::size_t at = view().find(text); at != std::string_view::npos) {
        forget(at + text.size());
        --times;
        continue;
      }
      if (size_ == buffer_.size()) forget(size_ - text.size());
      const ssize_t got = ::recv(socket_, buffer_.data() + size_, buffer_.size() - size_, 0);
      if (got <= 0) return got == 0 || errno != EAGAIN ? result::ended : result::silent;
      size_ += static_cast<std::size_t>(got);
    }
    return result::found;
  }

private:
  explicit client(int family) noexcept : socket_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const ::timeval longest{.tv_sec = timeout.count(), .tv_usec = 0};
    (void)::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
  }
  [[nodiscard]] std::string_view view() const noexcept { return {buffer_.data(), size_}; }
  void forget(std::size_t bytes) noexcept {
    size_ -= bytes;
    std::memmove(buffer_.data(), buffer_.data() + bytes, size_);
  }

  int socket_;
  std::array<char, 8192> buffer_{};
  std::size_t size_ = 0;
};

}  // namespace tactor::faults
