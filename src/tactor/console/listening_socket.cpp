// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/listening_socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

constexpr int most_waiting = 64;  // connections that were not accepted yet
constexpr mode_t only_this_user = 0600;

std::unexpected<std::string> refuse(const std::string& what) {
  return std::unexpected{what};
}
std::unexpected<std::string> refuse_with_cause(const std::string& what) {
  return std::unexpected{what + ": " + std::strerror(errno)};
}

std::optional<sockaddr_un> unix_address(const std::string& path) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  if (path.size() >= sizeof at.sun_path) return std::nullopt;
  std::memcpy(at.sun_path, path.data(), path.size());
  return at;
}

/// Returns: true if a process accepts connections there, or if that is not known.
bool is_served(const sockaddr_un& at) {
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return true;
  const int result = ::connect(probe, reinterpret_cast<const sockaddr*>(&at), sizeof at);
  const bool none = result != 0 && (errno == ECONNREFUSED || errno == ENOENT);
  (void)::close(probe);
  return !none;
}

/// Makes the folder, for this user only. It refuses a folder of another user except root, who could
/// put a socket there.
std::expected<void, std::string> prepare_folder(const std::string& folder) {
  if (folder.empty() || ::mkdir(folder.c_str(), 0700) == 0) return {};
  if (errno != EEXIST) return refuse_with_cause("cannot make the folder " + folder);
  struct stat seen{};
  if (::stat(folder.c_str(), &seen) != 0) return refuse_with_cause("cannot use " + folder);
  if (seen.st_uid != ::getuid() && seen.st_uid != 0)
    return refuse("the folder belongs to another user, choose another path: " + folder);
  return {};
}

struct loopback_port {
  std::string host;
  std::uint16_t port = 0;
};

std::optional<loopback_port> parse_port(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  loopback_port endpoint{.host = std::string{address.substr(0, colon)}};
  const std::string_view digits = address.substr(colon + 1);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), endpoint.port);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return endpoint;
}

std::uint64_t file_number(const std::string& path) {
  struct stat seen{};
  return ::lstat(path.c_str(), &seen) == 0 ? static_cast<std::uint64_t>(seen.st_ino) : 0;
}

}  // namespace

std::expected<listening_socket, std::string> listening_socket::open(const std::string& address) {
  return address.starts_with('/') ? open_unix(address) : open_port(address);
}

std::expected<listening_socket, std::string> listening_socket::open_unix(const std::string& path) {
  // Renamed when it is ready: nobody can connect to a socket that is half made.
  const std::string fresh = path + ".new";
  const auto at = unix_address(fresh);
  if (!at) return refuse("the path of a Unix socket has at most 103 characters: " + path);
  if (auto folder = prepare_folder(path.substr(0, path.rfind('/'))); !folder)
    return std::unexpected{std::move(folder.error())};
  struct stat seen{};
  if (::lstat(path.c_str(), &seen) == 0) {
    if (!S_ISSOCK(seen.st_mode))
      return refuse("there is a file that is no socket: remove it, or choose another path: " +
                    path);
    if (is_served(*unix_address(path)))
      return refuse("another console serves this socket: end it, or choose another path: " + path);
  }
  listening_socket socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (socket.descriptor_ < 0) return refuse_with_cause("cannot make a socket");
  (void)::unlink(fresh.c_str());
  // The file that `bind` makes has the mode of the socket: from the start only this user can open
  // it.
  if (::fchmod(socket.descriptor_, only_this_user) != 0 ||
      ::bind(socket.descriptor_, reinterpret_cast<const sockaddr*>(&*at), sizeof *at) != 0 ||
      ::chmod(fresh.c_str(), only_this_user) != 0 ||
      ::listen(socket.descriptor_, most_waiting) != 0 ||
      ::rename(fresh.c_str(), path.c_str()) != 0) {
    auto why = refuse_with_cause("cannot listen at " + path);
    (void)::unlink(fresh.c_str());
    return why;
  }
  socket.address_ = path;
  socket.file_ = file_number(path);
  return socket;
}

std::expected<listening_socket, std::string>
listening_socket::open_port(const std::string& address) {
  const auto wanted = parse_port(address);
  if (!wanted)
    return refuse("an address is a path that begins with '/', or a port like \"127.0.0.1:8080\": " +
                  address);
  const bool is_ipv6 = wanted->host == "[::1]";
  if (!is_ipv6 && wanted->host != "127.0.0.1" && wanted->host != "localhost")
    return refuse("a console listens on this machine only, at 127.0.0.1, [::1] or localhost; for "
                  "other machines use a tunnel (ssh -L): " +
                  address);
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_addr = IN6ADDR_LOOPBACK_INIT;
  six.sin6_port = htons(wanted->port);
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  four.sin_port = htons(wanted->port);
  auto* const at = is_ipv6 ? reinterpret_cast<sockaddr*>(&six) : reinterpret_cast<sockaddr*>(&four);
  socklen_t size = is_ipv6 ? sizeof six : sizeof four;
  listening_socket socket{
      ::socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  const int on = 1;
  if (socket.descriptor_ < 0 ||
      ::setsockopt(socket.descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(socket.descriptor_, at, size) != 0 ||
      ::listen(socket.descriptor_, most_waiting) != 0 ||
      ::getsockname(socket.descriptor_, at, &size) != 0)
    return refuse_with_cause("cannot listen at " + address);
  socket.port_ = ntohs(is_ipv6 ? six.sin6_port : four.sin_port);
  socket.address_ = (is_ipv6 ? "[::1]:" : "127.0.0.1:") + std::to_string(socket.port_);
  return socket;
}

listening_socket::listening_socket(listening_socket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      address_(std::move(other.address_)),
      port_(other.port_),
      file_(std::exchange(other.file_, 0)) {}

listening_socket::~listening_socket() {
  if (file_ != 0 && file_number(address_) == file_) (void)::unlink(address_.c_str());
  if (descriptor_ >= 0) (void)::close(descriptor_);
}

int listening_socket::accept() const noexcept {
  return ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

}  // namespace tactor::inline v0::internal
