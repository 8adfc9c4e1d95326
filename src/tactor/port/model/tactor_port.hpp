// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/panic_code.hpp"

// Not relacy.hpp, which ends by redefining new, delete, malloc, assert, errno and the memory
// orders. The include order is that of relacy.hpp: the headers build on each other.
// clang-format off
#include <relacy/base.hpp>
#include <relacy/context.hpp>
#include <relacy/context_base_impl.hpp>
#include <relacy/backoff.hpp>
#include <relacy/atomic.hpp>
#include <relacy/var.hpp>
#include <relacy/test_suite.hpp>
#include <relacy/stdlib/mutex.hpp>
#include <relacy/stdlib/condition_variable.hpp>
#include <relacy/stdlib/semaphore.hpp>
#include <relacy/stdlib/event.hpp>
// clang-format on
// Relacy's name for "this source line": its own uses have been expanded by now;
// std::source_location replaces it here.
#undef $

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <source_location>
#include <type_traits>
#include <utility>

/// All threads of a scenario are fibers of one thread, so scenarios pass such objects on
/// themselves. For `constinit` objects.
#define TACTOR_THREAD_LOCAL

/// The port for the model checker: each atomic access is a point where Relacy may switch to another
/// thread, and a load may return an older value if its order permits.
///
/// Lifetime of objects. What a scenario shares is a member of the scenario, which is constructed
/// anew for every schedule: only objects created inside a scenario are checked. An object created
/// outside (a static, a test fixture) is plain memory for the single thread outside, so the same
/// sources link and start; an access from inside fails the scenario, because the object would carry
/// a value from one schedule into the next.
///
/// `noexcept` holds: Relacy never throws on a failure. It leaves the fiber for good, by a long jump
/// to its main fiber, and destroys nothing.
namespace tactor::inline v0::port {

using memory_order = rl::memory_order;
inline constexpr memory_order relaxed = rl::mo_relaxed;
inline constexpr memory_order acquire = rl::mo_acquire;
inline constexpr memory_order release = rl::mo_release;
inline constexpr memory_order acq_rel = rl::mo_acq_rel;
inline constexpr memory_order seq_cst = rl::mo_seq_cst;

/// The line that made an access, for the trace of a failed schedule.
using source_line = std::source_location;

namespace internal {

/// Returns: true if the caller runs in a thread of a scenario, or in its before, after or
/// invariant.
[[nodiscard]] inline bool in_scenario() noexcept {
  return rl::is_ctx() && rl::ctx().threadx_ != nullptr;
}

[[nodiscard]] inline rl::debug_info info(const source_line& where) noexcept {
  return {where.function_name(), where.file_name(), where.line()};
}

/// Fails the scenario with the reason `what`; outside of a scenario, ends the program.
[[noreturn]] void fail(rl::test_result_e kind, const char* what, const source_line& where) noexcept;

/// Relacy's side of an object; it exists if the object was created in a scenario.
template <class Twin>
class twin_of {
public:
  constexpr twin_of() noexcept {
    if !consteval {
      if (!in_scenario()) return;
      std::construct_at(&twin_);
      life_ = life::inside;
    }
  }
  ~twin_of() {
    if (life_ == life::inside && in_scenario()) std::destroy_at(&twin_);
    life_ = life::over;  // -fno-lifetime-dse keeps this store, so that a late access is seen
  }
  twin_of(const twin_of&) = delete;
  twin_of& operator=(const twin_of&) = delete;

  /// Returns: the twin; null if the object and the caller are both outside of scenarios.
  [[nodiscard]] Twin* get(const source_line& where) const noexcept {
    if (life_ == life::inside && in_scenario()) [[likely]]
      return &twin_;
    if (life_ == life::outside && !in_scenario()) return nullptr;
    fail_for_its_life(where);
  }

private:
  enum class life : std::uint32_t { outside = 0, inside = 0x11FE'0001, over = 0xDEAD'0001 };

  [[noreturn]] void fail_for_its_life(const source_line& where) const noexcept {
    if (life_ == life::outside)
      fail(rl::test_result_inconsistent_test_suite,
           "shared object created outside of the scenario: make it a member of the scenario",
           where);
    fail(rl::test_result_access_to_freed_memory, "the object's life is over", where);
  }

  union {
    char nothing_ = 0;  // so that an object outside can be initialised at compile time
    mutable Twin twin_;
  };
  life life_ = life::outside;
};

/// The representation of a T, which is what a compare-exchange compares.
template <class T>
using bits_of = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// A value for Relacy: comparable, printable and with wrapping arithmetic, for any T.
template <class T>
struct traced {
  T value{};

  [[nodiscard]] bits_of<T> bits() const noexcept { return std::bit_cast<bits_of<T>>(value); }

  friend bool operator==(traced a, traced b) noexcept { return a.bits() == b.bits(); }
  friend traced operator+(traced a, traced b) noexcept { return from(a.bits() + b.bits()); }
  friend traced operator-(traced a, traced b) noexcept { return from(a.bits() - b.bits()); }
  friend traced operator&(traced a, traced b) noexcept { return from(a.bits() & b.bits()); }
  friend traced operator|(traced a, traced b) noexcept { return from(a.bits() | b.bits()); }

  friend std::ostream& operator<<(std::ostream& out, traced t) {
    if constexpr (std::is_pointer_v<T>)
      return out << std::bit_cast<const void*>(t.value);
    else
      return out << +t.bits();
  }

private:
  [[nodiscard]] static traced from(std::uint64_t wide) noexcept {
    return {std::bit_cast<T>(static_cast<bits_of<T>>(wide))};
  }
};

/// Checks accesses to plain data: happens-before must order two of them if one is a write.
class race_check {
public:
  race_check() noexcept : data_(rl::ctx().var_ctor()) { data_->init(*rl::ctx().threadx_); }
  ~race_check() {
    write(source_line::current());  // the destruction has to be ordered after the last use
    rl::ctx().var_dtor(data_);
  }
  race_check(const race_check&) = delete;
  race_check& operator=(const race_check&) = delete;

  void read(const source_line& where) noexcept {
    if (rl::ctx().invariant_executing) return;
    log("plain read", where);
    if (!data_->load(*rl::ctx().threadx_)) race(where);
  }
  void write(const source_line& where) noexcept {
    log("plain write", where);
    if (!data_->store(*rl::ctx().threadx_)) race(where);
  }

private:
  struct event {
    const void* object;
    const char* what;
    void output(std::ostream& out) const { out << '<' << object << "> " << what; }
  };

  void log(const char* what, const source_line& where) const {
    if (rl::ctx().collecting_history())
      rl::ctx().exec_log(info(where), event{.object = this, .what = what});
  }
  [[noreturn]] static void race(const source_line& where) noexcept {
    fail(rl::test_result_data_race, "plain data without an order between two accesses", where);
  }

  rl::var_data* data_;
};

}  // namespace internal

/// Shared memory as Relacy sees it. The value of a new atomic is visible only across a
/// happens-before edge: other threads find it uninitialised, which fails the scenario.
template <class T>
class atomic {
  static_assert(sizeof(T) <= sizeof(void*), "wider than a pointer: use port::counter or two words");
  static_assert(std::is_trivially_copyable_v<T>);

public:
  constexpr atomic() noexcept : atomic(T{}) {}
  constexpr explicit atomic(T initial) noexcept : plain_(initial) {
    if !consteval {
      if (!internal::in_scenario()) return;
      // No other thread knows the object yet: a switch here would only multiply the schedules.
      const rl::preemption_disabler alone(rl::ctx());
      const auto here = source_line::current();
      twin_.get(here)->store({initial},
                             relaxed,  // relaxed: published with the object
                             internal::info(here));
    }
  }

  [[nodiscard]] T load(memory_order order,
                       const source_line& where = source_line::current()) const noexcept {
    if (order == release || order == acq_rel) wrong_order("a load cannot release", where);
    auto* const twin = twin_.get(where);
    return twin ? twin->load(order, internal::info(where)).value : plain_;
  }

  void store(T desired, memory_order order,
             const source_line& where = source_line::current()) noexcept {
    if (order == acquire || order == acq_rel) wrong_order("a store cannot acquire", where);
    auto* const twin = twin_.get(where);
    if (twin) return twin->store({desired}, order, internal::info(where));
    plain_ = desired;
  }

  T exchange(T desired, memory_order order,
             const source_line& where = source_line::current()) noexcept {
    auto* const twin = twin_.get(where);
    if (twin) return twin->exchange({desired}, order, internal::info(where)).value;
    return std::exchange(plain_, desired);
  }

  [[nodiscard]] bool compare_exchange(T& expected, T desired, memory_order success,
                                      const source_line& where = source_line::current()) noexcept {
    image found{expected};
    auto* const twin = twin_.get(where);
    const bool done =
        twin ? twin->compare_exchange_strong(found, {desired}, success, internal::info(where))
             : compare_exchange_plain(found, desired);
    expected = found.value;
    return done;
  }

  T fetch_add(T n, memory_order order, const source_line& where = source_line::current()) noexcept
    requires std::integral<T>
  {
    auto* const twin = twin_.get(where);
    if (twin) return twin->fetch_add({n}, order, internal::info(where)).value;
    return std::exchange(plain_, (image{plain_} + image{n}).value);
  }
  T fetch_sub(T n, memory_order order, const source_line& where = source_line::current()) noexcept
    requires std::integral<T>
  {
    auto* const twin = twin_.get(where);
    if (twin) return twin->fetch_sub({n}, order, internal::info(where)).value;
    return std::exchange(plain_, (image{plain_} - image{n}).value);
  }
  T fetch_or(T bits, memory_order order, const source_line& where = source_line::current()) noexcept
    requires std::integral<T>
  {
    auto* const twin = twin_.get(where);
    if (twin) return twin->fetch_or({bits}, order, internal::info(where)).value;
    return std::exchange(plain_, (image{plain_} | image{bits}).value);
  }
  T fetch_and(T bits, memory_order order,
              const source_line& where = source_line::current()) noexcept
    requires std::integral<T>
  {
    auto* const twin = twin_.get(where);
    if (twin) return twin->fetch_and({bits}, order, internal::info(where)).value;
    return std::exchange(plain_, (image{plain_} & image{bits}).value);
  }

private:
  using image = internal::traced<T>;

  // Relacy's own checks of this are compiled out by default and otherwise abort the program.
  [[noreturn]] static void wrong_order(const char* what, const source_line& where) noexcept {
    internal::fail(rl::test_result_user_assert_failed, what, where);
  }

  bool compare_exchange_plain(image& found, T desired) noexcept {
    if (found != image{plain_}) {
      found.value = plain_;
      return false;
    }
    plain_ = desired;
    return true;
  }

  T plain_;  // the value outside of scenarios
  internal::twin_of<rl::atomic<image>> twin_;
};

/// A 64-bit statistic with one writer. Not a switch point, so counting costs no schedules; but two
/// writers without an order between them, which would lose counts, fail the scenario.
class counter {
public:
  /// Context: the single writer.
  void add(std::uint64_t n, const source_line& where = source_line::current()) noexcept {
    if (auto* const writers = writers_.get(where)) writers->write(where);
    value_ += n;
  }
  /// Context: any thread.
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

private:
  std::uint64_t value_ = 0;
  internal::twin_of<internal::race_check> writers_;
};

/// Plain data that an atomic hands over; access without a happens-before edge fails the scenario.
template <class T>
class plain {
public:
  constexpr plain() noexcept = default;
  constexpr explicit plain(T initial) noexcept : value_(initial) {}
  plain(const plain& other) noexcept : value_(other.get()) {}
  plain& operator=(const plain& other) noexcept {
    set(other.get());
    return *this;
  }
  ~plain() = default;

  [[nodiscard]] T get(const source_line& where = source_line::current()) const noexcept {
    if (auto* const accesses = accesses_.get(where)) accesses->read(where);
    return value_;
  }
  void set(T value, const source_line& where = source_line::current()) noexcept {
    if (auto* const accesses = accesses_.get(where)) accesses->write(where);
    value_ = value;
  }

private:
  T value_{};
  internal::twin_of<internal::race_check> accesses_;
};

/// A lock. Deadlock, recursive lock and unlock by another thread fail the scenario.
class mutex {
public:
  void lock(const source_line& where = source_line::current()) noexcept {
    if (auto* const twin = twin_.get(where)) twin->lock(internal::info(where));
  }
  void unlock(const source_line& where = source_line::current()) noexcept {
    if (auto* const twin = twin_.get(where)) twin->unlock(internal::info(where));
  }

private:
  internal::twin_of<rl::mutex> twin_;
};

/// Like the host's.
using interrupt_mutex = mutex;
inline constexpr bool has_interrupts = false;
inline constexpr bool names_features = false;
inline constexpr bool observes_messages = true;
[[nodiscard]] constexpr bool in_interrupt() noexcept {
  return false;
}
struct [[maybe_unused]] interrupts_masked {
  constexpr interrupts_masked() noexcept {}
};
using sleep_section = interrupts_masked;

/// The host's value, so that what is computed from it stays comparable.
inline constexpr std::size_t cache_line = 64;
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
  static constexpr std::size_t send_counters = 1;     // of a system, for threads outside of it
  static constexpr std::size_t event_text = 95;       // letters in a text of an event
  static constexpr std::size_t failure_text = 102;    // letters in the text of a failure
  static constexpr std::size_t reported_cycles = 16;  // of waiting actors, that are remembered
  static constexpr std::size_t actors_at_once = 16;   // that a visit of all actors looks at
  static constexpr std::size_t recent_names = 32;     // of actors that have ended, for the log
};

/// The types above are instrumented.
inline constexpr bool has_real_layout = false;

/// Tells the checker that this thread waits for another one: other threads run first. A wait loop
/// without it is reported as a livelock.
inline void cpu_relax(const source_line& where = source_line::current()) noexcept {
  if (internal::in_scenario()) rl::yield(1, internal::info(where));
}

/// Calls the handler, then fails the scenario, with the advice as the reason.
/// Outside: the handler, a line on stderr and `abort`, like on the host.
[[noreturn]] void panic(panic_code code) noexcept;

/// Returns: the type of the exception that this thread handles, for `write_type_name`; null if
/// unknown.
[[nodiscard]] const void* thrown_type() noexcept;
/// Writes the demangled name of such a type, cut to `capacity`. Returns: its length.
[[nodiscard]] std::size_t write_type_name(const void* type, char* to,
                                          std::size_t capacity) noexcept;

/// Replaces the handler; null restores the default, which does nothing.
/// Returns: the previous handler. Context: outside of scenarios, or identical in every schedule.
panic_handler set_panic_handler(panic_handler handler) noexcept;

}  // namespace tactor::inline v0::port
