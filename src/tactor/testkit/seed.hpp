// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/treap.hpp"

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::testkit {

/// Decides every random choice of a simulation. Seed 0: no random choices, first come, first
/// served.
struct seed {
  std::uint64_t value = 0;
};

/// Random numbers that depend on the seed alone, equal on every machine (xorshift64*).
class random_source {
public:
  explicit constexpr random_source(seed from) noexcept : state_(scattered(from.value)) {}

  /// Returns: the next number.
  constexpr std::uint64_t next() noexcept {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545'F491'4F6C'DD1DULL;
  }
  /// Returns: a number from 0 to `end` - 1. Requires: `end` is not 0.
  constexpr std::size_t below(std::size_t end) noexcept {
    if (end == 1) return 0;  // no choice: saves a step of the generator in every ping-pong
    const auto high = static_cast<std::uint32_t>(next() >> 32);
    return static_cast<std::size_t>((std::uint64_t{high} * end) >> 32);
  }

private:
  /// Scatters neighbouring seeds (splitmix64). Never 0.
  static constexpr std::uint64_t scattered(std::uint64_t value) noexcept {
    const std::uint64_t mixed = tactor::internal::mixed_bits(value + 0x9E37'79B9'7F4A'7C15ULL);
    return mixed == 0 ? 1 : mixed;
  }

  std::uint64_t state_;
};

}  // namespace tactor::inline v0::testkit
