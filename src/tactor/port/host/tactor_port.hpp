// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/native_types.hpp"
#include "tactor/port/panic_code.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

/// One object per thread. For objects that are `constinit`.
#define TACTOR_THREAD_LOCAL thread_local

/// The port for operating systems with threads, on 64-bit machines.
namespace tactor::inline v0::port {

/// An atomic of the machine.
template <class T>
using atomic = basic_atomic<T, std::atomic<T>>;

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

// Written by: a process that was forked while systems ran. Read by: threads that wait for a lock.
// Publishes: nothing. True if the thread that has a lock may not exist.
inline constinit atomic<bool> locks_may_be_lost;
/// Waits for a lock that another thread has.
void wait_for_lock(std::mutex& taken) noexcept;

/// A lock for rare and slow operations. The message path takes none.
class mutex {
public:
  void lock() noexcept {
    if (!mutex_.try_lock()) wait_for_lock(mutex_);
  }
  void unlock() noexcept { mutex_.unlock(); }

private:
  std::mutex mutex_;
};

/// A lock of what interrupts use on a board.
using interrupt_mutex = mutex;

/// True if interrupts share the memory of a thread.
inline constexpr bool has_interrupts = false;
/// True if a program names the features that it links, see core/features.hpp; false if it has all.
inline constexpr bool names_features = false;
/// True if single messages are traced and timed; false if a machine only counts them.
inline constexpr bool observes_messages = true;
/// Returns: true if the caller is an interrupt. Here it is false.
[[nodiscard]] constexpr bool in_interrupt() noexcept {
  return false;
}
/// Masks interrupts, of which there are none.
struct [[maybe_unused]] interrupts_masked {
  constexpr interrupts_masked() noexcept {}  // not trivial: an object of it is a section
};
/// Like `interrupts_masked`, around a sleep.
using sleep_section = interrupts_masked;

/// The distance between two objects that different threads write.
inline constexpr std::size_t cache_line = 64;

/// Number of parts of a table whose parts have a lock each.
inline constexpr std::uint32_t lock_shards = 16;

/// Half a machine word.
using half_word = std::uint32_t;

/// True if the processor divides numbers of 64 bits.
inline constexpr bool has_division = true;

/// Sizes of the runtime's structures on this platform.
struct sizes {
  static constexpr std::uint32_t magazine = 63;        // free blocks that a thread caches
  static constexpr std::size_t page_alignment = 4096;  // of static memory for pages
  static constexpr std::size_t actor_storage = 32;     // bytes in a cell for a small actor
  static constexpr std::uint32_t first_slots = 256;    // cells in the registry's first page
  static constexpr std::uint32_t slot_pages = 22;      // each as large as all before it
  // Bits of a cell's lifecycle word; the others count the tenants of a slot.
  static constexpr unsigned request_bits = 32;
  static constexpr std::size_t send_counters = 8;     // of a system, for threads outside of it
  static constexpr std::size_t event_text = 95;       // letters in a text of an event
  static constexpr std::size_t failure_text = 102;    // letters in the text of a failure
  static constexpr std::size_t reported_cycles = 16;  // of waiting actors, that are remembered
  static constexpr std::size_t actors_at_once = 16;   // that a visit of all actors looks at
  static constexpr std::size_t recent_names = 32;     // of actors that have ended, for the log
};

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

/// Returns: the counter of the processor, read in no order with other instructions; 0 where there
/// is none.
inline std::uint64_t cycle_count() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}
/// The name that Linux gives a clock that it computes from that counter; empty where there is none.
#if defined(__x86_64__)
inline constexpr const char* cycle_clock = "tsc";
#else
inline constexpr const char* cycle_clock = "";
#endif

/// Ends the program with `code`: the handler first, then a line on stderr and `abort`.
/// Context: any thread.
[[noreturn]] void panic(panic_code code) noexcept;

/// Returns: the type of the exception that this thread handles, for `write_type_name`; null if
/// unknown.
[[nodiscard]] const void* thrown_type() noexcept;
/// Returns: true if a handler for exceptions of the type `caught` takes one of the type `thrown`,
/// both as `thrown_type` returns them; false if `thrown` is null.
[[nodiscard]] bool is_caught_as(const void* thrown, const void* caught) noexcept;
/// Writes the demangled name of such a type, cut to `capacity`. Returns: its length.
[[nodiscard]] std::size_t write_type_name(const void* type, char* to,
                                          std::size_t capacity) noexcept;

/// Replaces the handler; null restores the default, which does nothing before the abort.
/// Returns: the previous handler. Context: any thread.
panic_handler set_panic_handler(panic_handler handler) noexcept;

}  // namespace tactor::inline v0::port
