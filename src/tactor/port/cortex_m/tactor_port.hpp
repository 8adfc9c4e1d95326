// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/native_types.hpp"
#include "tactor/port/panic_code.hpp"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#if !defined(__ARM_ARCH_PROFILE) || __ARM_ARCH_PROFILE != 'M'
#error "port/cortex_m is for the M profile of the ARM architecture"
#endif

/// One object per thread (there is one, and interrupts share it). For `constinit` objects.
#define TACTOR_THREAD_LOCAL

/// The port for one Cortex-M core without an operating system: the other "threads" are its
/// interrupts. Requires: privileged mode, since masking interrupts is silently ignored in
/// unprivileged mode. PRIMASK leaves NMI and HardFault open: their handlers may load and store
/// atomics, nothing else of this port.
namespace tactor::inline v0::port {

// With TACTOR_BASEPRI the sections mask only interrupts of that priority and less urgent ones
// (larger numbers), on ARMv7-M and up. More urgent interrupts are never delayed, and must not use
// this library: no `tell`, no atomics of this port. All code of a program is compiled with the same
// value, which has the bits that the processor implements, and is not 0.
#if defined(TACTOR_BASEPRI) && !defined(__ARM_FEATURE_LDREX)
#error "ARMv6-M has no BASEPRI"
#endif

/// Masks interrupts. The memory clobber keeps the compiler from moving accesses out of the section;
/// the processor needs no barrier, as `cpsid` takes effect before the next instruction and one core
/// sees its own accesses in program order. Returns: what was masked before, for
/// `restore_interrupts`. Context: thread or interrupt.
[[nodiscard, gnu::always_inline]] inline std::uint32_t mask_interrupts() noexcept {
  std::uint32_t before;
  // An interrupt between the two instructions does no harm: it leaves the mask as it found it.
#if defined(TACTOR_BASEPRI)
  // basepri_max: an outer section that masks more stays. The barriers: erratum 837070 of the
  // Cortex-M7.
  asm volatile("mrs %0, basepri\n\tmsr basepri_max, %1\n\tdsb\n\tisb"
               : "=&r"(before)
               : "r"(TACTOR_BASEPRI)
               : "memory");
#else
  asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(before) : : "memory");
#endif
  return before;
}

/// Undoes the `mask_interrupts` that returned `before`. Context: thread or interrupt.
[[gnu::always_inline]] inline void restore_interrupts(std::uint32_t before) noexcept {
#if defined(TACTOR_BASEPRI)
  asm volatile("msr basepri, %0" : : "r"(before) : "memory");
#else
  asm volatile("msr primask, %0" : : "r"(before) : "memory");
#endif
}

/// True if interrupts share the memory of a thread, so that nothing may be cached for the thread
/// alone.
inline constexpr bool has_interrupts = true;
/// True if a program names the features that it links, see core/features.hpp; false if it has all.
inline constexpr bool names_features = true;
/// True if single messages are traced and timed; false if a machine only counts them.
inline constexpr bool observes_messages = false;
/// Returns: true if the caller is an interrupt or another exception handler.
[[nodiscard]] inline bool in_interrupt() noexcept {
  std::uint32_t exception;
  asm volatile("mrs %0, ipsr" : "=r"(exception));
  return exception != 0;
}

/// Masks interrupts for its lifetime; sections nest.
class interrupts_masked {
public:
  [[gnu::always_inline]] interrupts_masked() noexcept : before_(mask_interrupts()) {}
  [[gnu::always_inline]] ~interrupts_masked() { restore_interrupts(before_); }
  interrupts_masked(const interrupts_masked&) = delete;
  interrupts_masked& operator=(const interrupts_masked&) = delete;

private:
  const std::uint32_t before_;
};

/// Masks all interrupts for its lifetime, by PRIMASK: a sleep inside ends when one is pending,
/// which the architecture does not promise for those that BASEPRI masks.
class sleep_section {
public:
  [[gnu::always_inline]] sleep_section() noexcept {
    asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(before_) : : "memory");
  }
  [[gnu::always_inline]] ~sleep_section() {
    asm volatile("msr primask, %0" : : "r"(before_) : "memory");
  }
  sleep_section(const sleep_section&) = delete;
  sleep_section& operator=(const sleep_section&) = delete;

private:
  std::uint32_t before_;
};

namespace internal {

/// Keeps the compiler from moving other accesses across an atomic access with this order. The
/// processor needs no barrier: its only core sees its own accesses in program order, in interrupts,
/// too.
[[gnu::always_inline]] inline void order_accesses(memory_order order) noexcept {
  // no pair: only the compiler is ordered
  if (order != relaxed) asm volatile("" : : : "memory");
}

/// `std::atomic` for one core, without the barriers of the processor. Loads and stores are those of
/// the language, `volatile` so that each is one instruction at its place: for ARMv8-M the compiler
/// computes the address of every access of `std::atomic`, also of relaxed ones, with an instruction
/// of its own.
template <class T>
class one_core_atomic {
  using reference = std::atomic_ref<T>;
  static_assert(sizeof(T) <= sizeof(std::uint32_t), "must fit one load: 1, 2 or 4 bytes");

public:
  static constexpr bool is_always_lock_free = reference::is_always_lock_free;

  constexpr one_core_atomic() noexcept = default;
  constexpr explicit one_core_atomic(T initial) noexcept : value_(initial) {}

  T load(memory_order order) const noexcept {
    order_accesses(order);
    const T found = read();
    order_accesses(order);
    return found;
  }
  void store(T desired, memory_order order) noexcept {
    order_accesses(order);
    write(desired);
    order_accesses(order);
  }
  // relaxed, all of these: ordered for the compiler, see order_accesses
  T exchange(T desired, memory_order order) noexcept {
    return ordered(order, [&] { return here().exchange(desired, relaxed); });  // relaxed: as said
  }
  bool compare_exchange_strong(T& expected, T desired, memory_order order) noexcept {
    return ordered(order, [&] {
      return here().compare_exchange_strong(expected, desired, relaxed);  // relaxed: as said
    });
  }
  T fetch_add(T n, memory_order order) noexcept {
    return ordered(order, [&] { return here().fetch_add(n, relaxed); });  // relaxed: as said
  }
  T fetch_sub(T n, memory_order order) noexcept {
    return ordered(order, [&] { return here().fetch_sub(n, relaxed); });  // relaxed: as said
  }
  T fetch_or(T set, memory_order order) noexcept {
    return ordered(order, [&] { return here().fetch_or(set, relaxed); });  // relaxed: as said
  }
  T fetch_and(T keep, memory_order order) noexcept {
    return ordered(order, [&] { return here().fetch_and(keep, relaxed); });  // relaxed: as said
  }

private:
  template <class Access>
  [[gnu::always_inline]] static auto ordered(memory_order order, Access access) noexcept {
    order_accesses(order);
    const auto result = access();
    order_accesses(order);
    return result;
  }
  [[nodiscard]] reference here() const noexcept { return reference{const_cast<T&>(value_)}; }
  // A small structure has no volatile access.
  [[nodiscard]] T read() const noexcept {
    if constexpr (std::is_scalar_v<T>) {
      return const_cast<const volatile T&>(value_);
    } else {
      return here().load(relaxed);  // relaxed: as said
    }
  }
  void write(T desired) noexcept {
    if constexpr (std::is_scalar_v<T>) {
      const_cast<volatile T&>(value_) = desired;
    } else {
      here().store(desired, relaxed);  // relaxed: as said
    }
  }

  alignas(reference::required_alignment) T value_{};
};

/// The part of `std::atomic` that the port needs, for ARMv6-M: it has no exclusive access, so there
/// every read-modify-write of `std::atomic` is a call into a library that bare metal lacks, and
/// `std::atomic_flag` compiles to code that is not atomic at all. Loads and stores are single
/// instructions.
template <class T>
class masked_atomic {
  static_assert(std::has_single_bit(sizeof(T)), "must fit one load: 1, 2 or 4 bytes");

public:
  static constexpr bool is_always_lock_free = true;

  constexpr masked_atomic() noexcept = default;
  constexpr explicit masked_atomic(T initial) noexcept : value_(initial) {}

  T load(memory_order order) const noexcept {
    order_accesses(order);
    const T found = value_.load(relaxed);  // relaxed: ordered for the compiler
    order_accesses(order);
    return found;
  }
  void store(T desired, memory_order order) noexcept {
    order_accesses(order);
    value_.store(desired, relaxed);  // relaxed: ordered for the compiler
    order_accesses(order);
  }

  // The orders below are ignored: a masked section is ordered as if all of them were seq_cst.
  T exchange(T desired, memory_order /*order*/) noexcept {
    return update([desired](T) { return desired; });
  }
  bool compare_exchange_strong(T& expected, T desired, memory_order /*order*/) noexcept {
    const interrupts_masked section;
    const T found = value_.load(relaxed);  // relaxed: the section orders it
    if (std::bit_cast<bits>(found) != std::bit_cast<bits>(expected)) {
      expected = found;
      return false;
    }
    value_.store(desired, relaxed);  // relaxed: the section orders it
    return true;
  }
  T fetch_add(T n, memory_order /*order*/) noexcept {
    return update([n](T before) { return from_bits(to_bits(before) + to_bits(n)); });
  }
  T fetch_sub(T n, memory_order /*order*/) noexcept {
    return update([n](T before) { return from_bits(to_bits(before) - to_bits(n)); });
  }
  T fetch_or(T set, memory_order /*order*/) noexcept {
    return update([set](T before) { return from_bits(to_bits(before) | to_bits(set)); });
  }
  T fetch_and(T keep, memory_order /*order*/) noexcept {
    return update([keep](T before) { return from_bits(to_bits(before) & to_bits(keep)); });
  }

private:
  // `compare_exchange` compares the representation, like `std::atomic`.
  using bits = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>>;

  // Arithmetic goes by way of unsigned, where it wraps.
  static constexpr std::uint32_t to_bits(T value) noexcept {
    return static_cast<std::uint32_t>(value);
  }
  static constexpr T from_bits(std::uint32_t value) noexcept { return static_cast<T>(value); }

  template <class Change>
  T update(Change change) noexcept {
    const interrupts_masked section;
    const T before = value_.load(relaxed);  // relaxed: the section orders it
    value_.store(change(before), relaxed);  // relaxed: the section orders it
    return before;
  }

  std::atomic<T> value_{};
};

#if defined(__ARM_FEATURE_LDREX)
inline constexpr bool has_exclusive_access = true;
#else
inline constexpr bool has_exclusive_access = false;
#endif

/// Ends the program with `number`, the module in the upper half and the id in the lower one.
[[noreturn]] void panic_with(std::uint32_t number) noexcept;

}  // namespace internal

/// Lock-free instructions where the core has them (ARMv7-M, ARMv8-M), masked interrupts where it
/// has not (ARMv6-M). Context: thread or interrupt.
template <class T>
using atomic =
    basic_atomic<T, std::conditional_t<internal::has_exclusive_access, internal::one_core_atomic<T>,
                                       internal::masked_atomic<T>>>;

/// A 64-bit statistic with one writer. The architecture promises no 64-bit access that an interrupt
/// cannot split, so both sides mask.
class counter {
public:
  /// Context: the single writer.
  void add(std::uint64_t n) noexcept {
    const interrupts_masked section;
    value_ += n;
  }
  /// Context: thread or interrupt.
  [[nodiscard]] std::uint64_t value() const noexcept {
    const interrupts_masked section;
    return value_;
  }

private:
  std::uint64_t value_ = 0;
};

/// Excludes other threads, of which there are none. Interrupts take none of these, so nothing is
/// masked. Context: thread.
class mutex {
public:
  void lock() noexcept {}
  void unlock() noexcept {}
};

/// Masked interrupts. Different ones nest and are unlocked in reverse order; one of them, like a
/// lock on the host, is not locked twice. Keep it short: every interrupt of the board waits.
/// Context: thread or interrupt.
class interrupt_mutex {
public:
  void lock() noexcept {
    const std::uint32_t before = mask_interrupts();
    before_ =
        before;  // only now: until interrupts are masked, `before_` belongs to the lock holder
  }
  void unlock() noexcept { restore_interrupts(before_); }

private:
  std::uint32_t before_ = 0;
};

/// These cores have no data cache, or one private to the core: one word of distance suffices.
inline constexpr std::size_t cache_line = sizeof(void*);

/// Number of parts of a table whose parts have a lock each.
inline constexpr std::uint32_t lock_shards = 1;

/// Half a machine word.
using half_word = std::uint16_t;

/// True if the processor divides numbers of 64 bits.
inline constexpr bool has_division = false;

/// Sizes of the runtime's structures on this platform.
struct sizes {
  static constexpr std::uint32_t magazine = 0;       // free blocks that a thread caches
  static constexpr std::size_t page_alignment = 32;  // of static memory for pages
  static constexpr std::size_t actor_storage = 32;   // bytes in a cell for a small actor
  static constexpr std::uint32_t first_slots = 8;    // cells in the registry's first page
  static constexpr std::uint32_t slot_pages = 8;     // each as large as all before it
  // Bits of a cell's lifecycle word; the others count the tenants of a slot: eight million.
  static constexpr unsigned request_bits = 8;
  static constexpr std::size_t send_counters = 1;    // of a system, for threads outside of it
  static constexpr std::size_t event_text = 31;      // letters in a text of an event
  static constexpr std::size_t failure_text = 42;    // letters in the text of a failure
  static constexpr std::size_t reported_cycles = 4;  // of waiting actors, that are remembered
  static constexpr std::size_t actors_at_once = 2;   // that a visit of all actors looks at
  static constexpr std::size_t recent_names = 1;     // of actors that have ended, for the log
};

/// False if the port's types are instrumented, so that sizes and `constinit` mean nothing.
inline constexpr bool has_real_layout = true;

/// Tells the processor that this is a wait loop.
inline void cpu_relax() noexcept {
  asm volatile("yield");
}

/// Ends the program with `code`: the handler first, then masked interrupts and an undefined
/// instruction, with module << 16 | id in r0 for a debugger or the HardFault handler. Always
/// inline, so that the advice is dropped in the caller and its text never reaches the image.
/// Context: thread or interrupt.
[[noreturn, gnu::always_inline]] inline void panic(panic_code code) noexcept {
  internal::panic_with(std::uint32_t{code.module} << 16 | code.id);
}

/// There are no exceptions on this port. Returns: null.
[[nodiscard]] inline const void* thrown_type() noexcept {
  return nullptr;
}
/// There are no exceptions on this port. Returns: 0.
[[nodiscard]] inline std::size_t write_type_name(const void*, char*, std::size_t) noexcept {
  return 0;
}

/// Replaces the handler; null restores the default, which does nothing. The handler gets a code
/// whose advice is null. It is called once: a panic inside it ends the program at once.
/// Returns: the previous handler. Context: thread or interrupt.
panic_handler set_panic_handler(panic_handler handler) noexcept;

}  // namespace tactor::inline v0::port
