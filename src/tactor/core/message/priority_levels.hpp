// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/envelope.hpp"
#include "tactor/port/port.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::internal {

/// Messages by priority, 0 to 255, and of one priority by arrival. No step depends on how many
/// messages there are, none allocates, and none can fail. It owns nothing.
///
/// Context: owner only, or under the lock that protects it.
///
/// inv 1  `newest_[p]` is the newest message of priority p, and its `next` leads in a circle: to
/// the
///        oldest one of p, from there to newer ones. Null: there is none.
/// inv 2  Bit p of `used_` is set if and only if there is a message of priority p.
class priority_levels {
public:
  constexpr priority_levels() noexcept = default;

  /// Requires: `fresh` is in no queue.
  void push(envelope& fresh, std::uint8_t priority) noexcept {
    envelope*& newest = newest_[priority];
    if (newest == nullptr) {
      fresh.next.set(&fresh);
      used_[priority / word_bits] |= bit(priority);
    } else {
      fresh.next.set(newest->next.get());
      newest->next.set(&fresh);
    }
    newest = &fresh;
    ++size_;
  }

  /// Removes and returns the most urgent message, of these the oldest; null: there is none.
  [[nodiscard]] envelope* pop() noexcept {
    for (std::size_t i = 0; i < words; ++i)
      if (used_[i] != 0) return take(i, static_cast<unsigned>(std::countr_zero(used_[i])));
    return nullptr;
  }
  /// Removes and returns the least urgent message, of these the oldest; null: there is none.
  [[nodiscard]] envelope* pop_least_urgent() noexcept {
    for (std::size_t i = words; i-- > 0;)
      if (used_[i] != 0) return take(i, static_cast<unsigned>(std::bit_width(used_[i]) - 1));
    return nullptr;
  }

  /// The priority of the least urgent message; 0: there is none.
  [[nodiscard]] std::uint8_t least_urgent() const noexcept {
    for (std::size_t i = words; i-- > 0;)
      if (used_[i] != 0)
        return static_cast<std::uint8_t>(i * word_bits + std::bit_width(used_[i]) - 1);
    return 0;
  }

  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }

  /// Link in the list of unused ones.
  port::plain<priority_levels*> next;

private:
  static constexpr std::size_t count = 256;
  static constexpr std::size_t word_bits = 32;
  static constexpr std::size_t words = count / word_bits;

  static constexpr std::uint32_t bit(std::size_t priority) noexcept {
    return std::uint32_t{1} << priority % word_bits;
  }
  /// The oldest message whose priority is that bit of that word.
  envelope* take(std::size_t word, unsigned which) noexcept {
    const std::size_t priority = word * word_bits + which;
    envelope* const newest = newest_[priority];
    envelope* const oldest = newest->next.get();
    if (oldest == newest) {
      newest_[priority] = nullptr;
      used_[word] &= ~bit(priority);
    } else {
      newest->next.set(oldest->next.get());
    }
    oldest->next.set(nullptr);
    --size_;
    return oldest;
  }

  envelope* newest_[count] = {};
  std::uint32_t used_[words] = {};
  std::uint32_t size_ = 0;
};

}  // namespace tactor::inline v0::internal
