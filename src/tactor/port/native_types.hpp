// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <concepts>

/// Types that the ports share which are not instrumented.
namespace tactor::inline v0::port {

using memory_order = std::memory_order;
inline constexpr memory_order relaxed = std::memory_order_relaxed;
inline constexpr memory_order acquire = std::memory_order_acquire;
inline constexpr memory_order release = std::memory_order_release;
inline constexpr memory_order acq_rel = std::memory_order_acq_rel;
inline constexpr memory_order seq_cst = std::memory_order_seq_cst;

/// `std::atomic` without its defaults: no order left out, no operators, no conversions. `Word` is
/// `std::atomic<T>` or has the same functions.
template <class T, class Word>
class basic_atomic {
  static_assert(sizeof(T) <= sizeof(void*), "wider than a pointer: use port::counter or two words");
  static_assert(Word::is_always_lock_free);

public:
  constexpr basic_atomic() noexcept = default;
  constexpr explicit basic_atomic(T initial) noexcept : value_(initial) {}

  [[nodiscard]] T load(memory_order order) const noexcept { return value_.load(order); }
  void store(T desired, memory_order order) noexcept { value_.store(desired, order); }
  T exchange(T desired, memory_order order) noexcept { return value_.exchange(desired, order); }

  [[nodiscard]] bool compare_exchange(T& expected, T desired, memory_order success) noexcept {
    return value_.compare_exchange_strong(expected, desired, success);
  }

  T fetch_add(T n, memory_order order) noexcept
    requires std::integral<T>
  {
    return value_.fetch_add(n, order);
  }
  T fetch_sub(T n, memory_order order) noexcept
    requires std::integral<T>
  {
    return value_.fetch_sub(n, order);
  }
  T fetch_or(T bits, memory_order order) noexcept
    requires std::integral<T>
  {
    return value_.fetch_or(bits, order);
  }
  T fetch_and(T bits, memory_order order) noexcept
    requires std::integral<T>
  {
    return value_.fetch_and(bits, order);
  }

private:
  Word value_{};
};

/// Plain data that an atomic hands over.
template <class T>
class plain {
public:
  constexpr plain() noexcept = default;
  constexpr explicit plain(T initial) noexcept : value_(initial) {}
  [[nodiscard]] constexpr T get() const noexcept { return value_; }
  constexpr void set(T value) noexcept { value_ = value; }

private:
  T value_{};
};

}  // namespace tactor::inline v0::port
