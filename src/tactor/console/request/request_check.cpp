// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/request/request_check.hpp"

#include <sys/random.h>

#include <array>
#include <cstddef>

namespace tactor::inline v0::internal {
namespace {

/// Returns: true if `host` is a name of this machine, followed by nothing or by a port.
bool is_loopback(std::string_view host) noexcept {
  constexpr std::array<std::string_view, 3> names{"localhost", "127.0.0.1", "[::1]"};
  for (const std::string_view name : names) {
    if (!host.starts_with(name)) continue;
    const std::string_view rest = host.substr(name.size());
    if (rest.empty()) return true;
    if (rest.front() == ':' && rest.find_first_not_of("0123456789", 1) == std::string_view::npos)
      return true;
  }
  return false;
}

bool has_port(std::string_view host, std::uint16_t port) {
  return host.ends_with(":" + std::to_string(port)) ||
         (port == 80 && host.find(':', host.find(']') + 1) == std::string_view::npos);
}

/// Returns: true if the origin is the page that this console serves under the name in `Host`.
bool is_own_origin(std::string_view origin, std::string_view host) noexcept {
  constexpr std::string_view scheme = "http://";
  return origin.starts_with(scheme) && origin.substr(scheme.size()) == host && is_loopback(host);
}

}  // namespace

std::optional<console_response> check_origin(const console_request& of, std::uint16_t port) {
  if (of.repeats_header)
    return refusal_of(400, "Host, Origin, Sec-Fetch-Site or Authorization occurs twice",
                      "send each of these headers once");
  if (port != 0 && !(is_loopback(of.host) && has_port(of.host, port)))
    return refusal_of(403, "the header Host does not name this console",
                      "use the address that the program printed, with its port");
  if (!of.origin.empty() && !is_own_origin(of.origin, of.host))
    return refusal_of(403, "a page of another origin may not use the console",
                      "open the console's own page");
  const bool from_elsewhere = of.fetch_site == "cross-site" || of.fetch_site == "same-site";
  const bool is_page = of.target == "/" || of.target.starts_with("/assets/");
  if (from_elsewhere && !is_page)
    return refusal_of(403, "a page of another site may not use the console",
                      "open the console's own page");
  return std::nullopt;
}

std::string random_token() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  std::string text;
  for (const unsigned char each : bytes) {
    text += digits[each / 16];
    text += digits[each % 16];
  }
  return text;
}

bool presents_token(std::string_view authorization, std::string_view secret) noexcept {
  constexpr std::string_view scheme = "Bearer ";
  if (!authorization.starts_with(scheme)) return false;
  const std::string_view given = authorization.substr(scheme.size());
  // Compares the secret with itself if the lengths differ: only the length of what was given shows.
  const std::string_view compared = given.size() == secret.size() ? given : secret;
  unsigned differ = given.size() == secret.size() ? 0U : 1U;
  for (std::size_t i = 0; i < secret.size(); ++i)
    differ |= static_cast<unsigned>(compared[i] ^ secret[i]);
  return differ == 0;
}

}  // namespace tactor::inline v0::internal
