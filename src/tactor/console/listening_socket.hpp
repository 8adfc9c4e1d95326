// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <expected>
#include <string>

namespace tactor::inline v0::internal {

/// A socket that waits for connections of this machine: a Unix socket that only its user can open,
/// or a loopback port. Owns it, and the file of a Unix socket. Context: owner only.
class listening_socket {
public:
  /// Opens a socket at a path or a port. It replaces the Unix socket of a process that has ended,
  /// and refuses that of a living one. It makes the last folder of the path if it does not exist,
  /// for this user only. Returns: on failure a sentence that says what is wrong.
  [[nodiscard]] static std::expected<listening_socket, std::string>
  open(const std::string& address);

  listening_socket(listening_socket&& other) noexcept;
  listening_socket& operator=(listening_socket&& other) = delete;
  listening_socket(const listening_socket&) = delete;
  listening_socket& operator=(const listening_socket&) = delete;
  ~listening_socket();

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// Returns: the path, or "127.0.0.1:8080" with the port that the system has chosen.
  [[nodiscard]] const std::string& address() const noexcept { return address_; }
  /// Returns: the port; 0 for a Unix socket.
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// Accepts the next connection, as a descriptor that does not block. Returns: -1 if there is
  /// none; see `errno`.
  [[nodiscard]] int accept() const noexcept;

private:
  explicit listening_socket(int descriptor) noexcept : descriptor_(descriptor) {}
  static std::expected<listening_socket, std::string> open_unix(const std::string& path);
  static std::expected<listening_socket, std::string> open_port(const std::string& address);

  int descriptor_;  // -1: moved from
  std::string address_;
  std::uint16_t port_ = 0;
  std::uint64_t file_ = 0;  // the number of the socket's file: another one is not removed
};

}  // namespace tactor::inline v0::internal
