// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <cstdint>

namespace tactor::inline v0::port {

/// The result of a division.
struct division {
  std::uint64_t quotient;
  std::uint64_t remainder;

  friend constexpr bool operator==(const division&, const division&) noexcept = default;
};

/// Divides bit by bit: some 60 bytes of code, where the compiler's library takes 800. As many steps
/// as the quotient has bits. Requires: `divisor` is not 0.
[[nodiscard]] [[gnu::noinline]] constexpr division divide_by_bits(std::uint64_t dividend,
                                                                  std::uint64_t divisor) noexcept {
  constexpr std::uint64_t highest = std::uint64_t{1} << 63;
  std::uint64_t bit = 1;
  while (divisor < dividend && (divisor & highest) == 0) {
    divisor <<= 1;
    bit <<= 1;
  }
  std::uint64_t quotient = 0;
  for (; bit != 0; bit >>= 1, divisor >>= 1) {
    if (dividend < divisor) continue;
    dividend -= divisor;
    quotient += bit;
  }
  return {.quotient = quotient, .remainder = dividend};
}

/// Divides, in few bytes of code where the processor has no such instruction. Requires: `divisor`
/// is not 0.
[[nodiscard]] constexpr division divide(std::uint64_t dividend, std::uint64_t divisor) noexcept {
  if constexpr (!has_division) {
    if (divisor == 1) return {.quotient = dividend, .remainder = 0};
    return divide_by_bits(dividend, divisor);
  } else {
    return {.quotient = dividend / divisor, .remainder = dividend % divisor};
  }
}

}  // namespace tactor::inline v0::port
