// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/address.hpp"

#include "tactor/console/console.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace command {
namespace {

/// The longest path of a Unix socket that fits into `sockaddr_un`.
constexpr std::size_t longest_path = 107;

bool is_path(std::string_view text) {
  return text.contains('/') || text.ends_with(".sock");
}

std::unexpected<std::string> wrong(std::string_view text, std::string_view why) {
  return std::unexpected{"'" + std::string{text} +
                         "' is no address of a console: " + std::string{why}};
}

}  // namespace

std::string address::text() const {
  return path.empty() ? authority() : path;
}

std::string address::authority() const {
  if (!path.empty()) return "localhost";
  const std::string name = host.contains(':') ? "[" + host + "]" : host;
  return name + ":" + std::to_string(port);
}

std::expected<address, std::string> parse_address(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    if (rest.ends_with('/')) rest.remove_suffix(1);
  } else if (is_path(rest)) {
    if (rest.size() > longest_path)
      return wrong(text, "the path of a socket has at most 107 characters");
    return address{.path = std::string{rest}};
  }
  const std::size_t colon = rest.rfind(':');
  const std::string_view host = colon == rest.npos ? "127.0.0.1" : rest.substr(0, colon);
  const std::string_view number = colon == rest.npos ? rest : rest.substr(colon + 1);
  std::uint16_t port = 0;
  const char* const end = number.data() + number.size();
  const auto [read_to, error] = std::from_chars(number.data(), end, port);
  if (number.empty() || error != std::errc{} || read_to != end || port == 0)
    return wrong(text, "give the path of a socket, or 127.0.0.1:PORT");
  if (host == "127.0.0.1" || host == "localhost") return address{.host = "127.0.0.1", .port = port};
  if (host == "[::1]") return address{.host = "::1", .port = port};
  return wrong(text, "consoles listen on their own machine only; forward the port, e.g. ssh -L " +
                         std::string{number} + ":127.0.0.1:" + std::string{number} + " HOST");
}

std::string folder_of_consoles() {
  return std::filesystem::path{tactor::default_console_path()}.parent_path().string();
}

std::vector<address> sockets_in(const std::string& folder) {
  std::vector<address> sockets;
  struct stat seen{};
  if (::lstat(folder.c_str(), &seen) != 0 || seen.st_uid != ::geteuid()) return sockets;
  std::error_code error;
  std::filesystem::directory_iterator at{folder, error};
  for (; !error && at != std::filesystem::directory_iterator{}; at.increment(error))
    if (at->is_socket(error)) sockets.push_back({.path = at->path().string()});
  std::ranges::sort(sockets, {}, &address::path);
  return sockets;
}

}  // namespace command
