// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/random_number.hpp"

#include <sys/random.h>

namespace tactor::inline v0::internal {

std::optional<std::uint64_t> random_number() noexcept {
  std::uint64_t number = 0;
  const bool has_number = ::getrandom(&number, sizeof number, GRND_NONBLOCK) == sizeof number;
  return has_number ? std::optional{number} : std::nullopt;
}

}  // namespace tactor::inline v0::internal
