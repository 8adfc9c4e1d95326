// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/request/action_token.hpp"

#include <sys/random.h>

#include <array>
#include <cstddef>

namespace tactor::inline v0::internal {

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
