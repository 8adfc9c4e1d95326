// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// Where a console listens: a Unix socket, or a port of this machine.
struct address {
  std::string path = {};  // of the socket; empty: TCP
  std::string host = {};  // "127.0.0.1" or "::1"
  std::uint16_t port = 0;

  /// In the form in which a user writes it.
  [[nodiscard]] std::string text() const;
  /// For the header `Host`.
  [[nodiscard]] std::string authority() const;
  friend bool operator==(const address&, const address&) = default;
};

/// Reads "/run/user/1000/tactor/7.sock", "127.0.0.1:8080", "localhost:8080", "[::1]:8080", "8080",
/// "http://127.0.0.1:8080/". Returns: what is wrong with the text.
[[nodiscard]] std::expected<address, std::string> parse_address(std::string_view text);

/// Where programs of this user have their consoles: $XDG_RUNTIME_DIR/tactor, or /tmp/tactor-UID if that variable holds no
/// absolute path. As `tactor::default_console_path`.
[[nodiscard]] std::string folder_of_consoles();
/// The sockets in a folder, sorted. None if the folder belongs to another user.
[[nodiscard]] std::vector<address> sockets_in(const std::string& folder);

}  // namespace command
