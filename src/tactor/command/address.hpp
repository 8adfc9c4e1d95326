// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace command {

/// The address of a console: a Unix socket, or a port of this machine.
struct address {
  std::string path = {};  // of the socket; empty: TCP
  std::string host = {};  // "127.0.0.1" or "::1"
  std::uint16_t port = 0;

  /// Returns: the address in the form in which a user writes it.
  [[nodiscard]] std::string text() const;
  /// Returns: the value of the header `Host`.
  [[nodiscard]] std::string authority() const;
  friend bool operator==(const address&, const address&) = default;
};

/// Reads "/run/user/1000/tactor/7.sock", "127.0.0.1:8080", "localhost:8080", "[::1]:8080", "8080",
/// "http://127.0.0.1:8080/". Returns: on failure a sentence that says what is wrong.
[[nodiscard]] std::expected<address, std::string> parse_address(std::string_view text);

/// Returns: the folder in which programs of this user have their consoles; see
/// `tactor::default_console_path`.
[[nodiscard]] std::string folder_of_consoles();
/// Returns: the sockets in a folder, sorted; none if the folder belongs to another user.
[[nodiscard]] std::vector<address> sockets_in(const std::string& folder);

}  // namespace command
