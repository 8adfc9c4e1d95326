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

/// A first-in first-out buffer in storage that the caller owns. Its capacity is the size of the
/// storage. Context: owner only; not thread-safe.
template <class T>
class ring {
public:
  /// Makes a ring without storage.
  constexpr ring() noexcept = default;
  /// Requires: `storage` outlives the ring.
  constexpr explicit ring(std::span<T> storage) noexcept : storage_(storage) {}

  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr bool full() const noexcept { return size_ == storage_.size(); }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr std::size_t capacity() const noexcept { return storage_.size(); }

  /// Returns: false, and nothing is changed, if the ring is full.
  [[nodiscard]] constexpr bool push(T element) noexcept {
    if (full()) return false;
    storage_[position(size_)] = element;
    ++size_;
    return true;
  }

  /// Drops the oldest element if the ring is full. Returns: true if an element was dropped.
  constexpr bool push_over_oldest(T element) noexcept {
    if (storage_.empty()) return true;  // the new element is dropped
    const bool drops = full();
    if (drops) drop_oldest();
    storage_[position(size_)] = element;
    ++size_;
    return drops;
  }

  /// Removes and returns the oldest element.
  constexpr std::optional<T> pop() noexcept {
    if (empty()) return std::nullopt;
    T oldest = storage_[first_];
    drop_oldest();
    return oldest;
  }

  /// The element with `age` older elements before it: 0 is the oldest. Requires: `age < size()`.
  [[nodiscard]] constexpr const T& operator[](std::size_t age) const noexcept {
    TACTOR_ASSERT(age < size_, panics::ring_index);
    return storage_[position(age)];
  }

private:
  // No remainder: capacities need not be powers of two, and a division is a call on a Cortex-M0.
  [[nodiscard]] constexpr std::size_t position(std::size_t age) const noexcept {
    const std::size_t until_wrap = storage_.size() - first_;
    return age < until_wrap ? first_ + age : age - until_wrap;
  }
  constexpr void drop_oldest() noexcept {
    first_ = position(1);
    --size_;
  }

  std::span<T> storage_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace tactor::inline v0::internal
