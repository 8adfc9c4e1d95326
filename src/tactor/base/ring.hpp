// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/assert.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace tactor::inline v0::panics {
inline constexpr port::panic_code ring_index{
    .module = 2,
    .id = 2,
    .advice = "a ring was asked for an element it does not hold: compare with size() first"};
}  // namespace tactor::inline v0::panics

namespace tactor::inline v0::internal {

/// A first-in first-out buffer in room that the caller owns. Holds exactly as many elements as the
/// room has. Context: owner only; not thread-safe.
template <class T>
class ring {
public:
  /// A ring without room.
  constexpr ring() noexcept = default;
  /// Requires: `room` outlives the ring.
  constexpr explicit ring(std::span<T> room) noexcept : room_(room) {}

  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr bool full() const noexcept { return size_ == room_.size(); }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr std::size_t capacity() const noexcept { return room_.size(); }

  /// Returns: false, and nothing is changed, if the ring is full.
  [[nodiscard]] constexpr bool push(T element) noexcept {
    if (full()) return false;
    room_[position(size_)] = element;
    ++size_;
    return true;
  }

  /// Makes room by forgetting the oldest element if need be. Returns: whether one was forgotten.
  constexpr bool push_over_oldest(T element) noexcept {
    if (room_.empty()) return true;  // the new element is the one forgotten
    const bool forgets = full();
    if (forgets) drop_oldest();
    room_[position(size_)] = element;
    ++size_;
    return forgets;
  }

  /// Removes and returns the oldest element.
  constexpr std::optional<T> pop() noexcept {
    if (empty()) return std::nullopt;
    T oldest = room_[first_];
    drop_oldest();
    return oldest;
  }

  /// The element with `age` older ones before it: 0 is the oldest. Requires: `age < size()`.
  [[nodiscard]] constexpr const T& operator[](std::size_t age) const noexcept {
    TACTOR_ASSERT(age < size_, panics::ring_index);
    return room_[position(age)];
  }

private:
  // Not by remainder: capacities need not be powers of two, and a division is a call on a
  // Cortex-M0.
  [[nodiscard]] constexpr std::size_t position(std::size_t age) const noexcept {
    const std::size_t room_behind_first = room_.size() - first_;
    return age < room_behind_first ? first_ + age : age - room_behind_first;
  }
  constexpr void drop_oldest() noexcept {
    first_ = position(1);
    --size_;
  }

  std::span<T> room_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace tactor::inline v0::internal
