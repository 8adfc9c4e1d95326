// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/panic_code.hpp"

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <mutex>

/// One object per thread. For objects that are `constinit`.
#define TACTOR_THREAD_LOCAL thread_local

/// The port for operating systems with threads, on 64-bit machines.
namespace tactor::inline v0::port {

using memory_order = std::memory_order;
inline constexpr memory_order relaxed = std::memory_order_relaxed;
inline constexpr memory_order acquire = std::memory_order_acquire;
inline constexpr memory_order release = std::memory_order_release;
inline constexpr memory_order acq_rel = std::memory_order_acq_rel;
inline constexpr memory_order seq_cst = std::memory_order_seq_cst;

/// `std::atomic` without its defaults: no order left out, no operators, no conversions.
template <class T>
class atomic {
  static_assert(sizeof(T) <= sizeof(void*), "wider than a pointer: use port::counter or two words");
  static_assert(std::atomic<T>::is_always_lock_free);

public:
  constexpr atomic() noexcept = default;
  constexpr explicit atomic(T initial) noexcept : value_(initial) {}

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
  std::atomic<T> value_{};
};

/// A 64-bit statistic with one writer: a plain load and store, no locked instruction.
class counter {
public:
  /// Context: the single writer.
  void add(std::uint64_t n) noexcept {
    const std::uint64_t before = value_.load(relaxed);  // relaxed: only this thread writes
    value_.store(before + n, relaxed);                  // relaxed: statistic only
  }
  /// Context: any thread.
  [[nodiscard]] std::uint64_t value() const noexcept {
    return value_.load(relaxed);  // relaxed: statistic only
  }

private:
  atomic<std::uint64_t> value_;
};

/// Plain data that an atomic hands over.
template <class T>
class cell {
public:
  constexpr cell() noexcept = default;
  constexpr explicit cell(T initial) noexcept : value_(initial) {}
  [[nodiscard]] constexpr T get() const noexcept { return value_; }
  constexpr void set(T value) noexcept { value_ = value; }

private:
  T value_{};
};

/// A lock for rare and slow operations. The message path takes none.
class mutex {
public:
  void lock() noexcept { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }

private:
  std::mutex mutex_;
};

/// The distance between two objects that different threads write.
inline constexpr std::size_t cache_line = 64;

/// False if the port's types are instrumented, so that sizes and `constinit` mean nothing.
inline constexpr bool has_real_layout = true;

/// Tells the processor that this is a wait loop.
inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Ends the program with `code`: the handler first, then a line on stderr and `abort`.
/// Context: any thread.
[[noreturn]] void panic(panic_code code) noexcept;

/// The type of the exception that this thread handles, for `write_type_name`; null if unknown.
[[nodiscard]] const void* thrown_type() noexcept;
/// Writes the demangled name of such a type, cut to `capacity`. Returns: its length.
[[nodiscard]] std::size_t write_type_name(const void* type, char* to,
                                          std::size_t capacity) noexcept;

/// Replaces the handler; null restores the default, which does nothing before the abort.
/// Returns: the previous handler. Context: any thread.
panic_handler set_panic_handler(panic_handler handler) noexcept;

}  // namespace tactor::inline v0::port
