// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

/// A set of worker numbers. Context: the holder of the lock that protects it.
class worker_set {
public:
  static constexpr std::uint32_t most = 256;

  /// Returns true if `number` is in the set.
  [[nodiscard]] bool contains(std::uint32_t number) const noexcept {
    return (words_[number / 64].get() & bit(number)) != 0;
  }
  /// Requires: `number` is not in the set.
  void add(std::uint32_t number) noexcept { flip(number, count_.get() + 1); }
  /// Requires: `number` is in the set.
  void remove(std::uint32_t number) noexcept { flip(number, count_.get() - 1); }

  [[nodiscard]] std::uint32_t size() const noexcept { return count_.get(); }

  /// Returns the lowest number other than `last`, or `last` if it is the only one: so few workers
  /// stay warm.
  [[nodiscard]] std::optional<std::uint32_t> choose(std::uint32_t last) const noexcept {
    for (std::uint32_t word = 0; word < words_.size() && count_.get() != 0; ++word) {
      const std::uint64_t others = words_[word].get() & ~(last / 64 == word ? bit(last) : 0);
      if (others != 0) return word * 64 + static_cast<std::uint32_t>(std::countr_zero(others));
    }
    if (last < most && contains(last)) return last;
    return std::nullopt;
  }

private:
  [[nodiscard]] static constexpr std::uint64_t bit(std::uint32_t number) noexcept {
    return std::uint64_t{1} << (number % 64);
  }
  void flip(std::uint32_t number, std::uint32_t count) noexcept {
    auto& word = words_[number / 64];
    word.set(word.get() ^ bit(number));
    count_.set(count);
  }

  std::array<port::plain<std::uint64_t>, most / 64> words_;
  port::plain<std::uint32_t> count_;
};

}  // namespace tactor::inline v0::internal
