// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/assert.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::panics {
inline constexpr port::panic_code tagged_stack_address{
    .module = 2,
    .id = 3,
    .advice = "an object of a tagged stack lies at a multiple of 4096 below 2^48"};
}  // namespace tactor::inline v0::panics

namespace tactor::inline v0::internal {

/// A last-in first-out stack, without a lock, of objects that are never freed: a thread may still
/// read the link of an object that another thread has just taken. The link may hold anything by
/// then, also the zero of a page that was given back. `T` has a member `port::atomic<T*> below` for
/// the stack, or for the thread that has taken the object. All-zero is the empty stack. For 64-bit
/// machines.
///
/// Thread safety: every function from any thread, lock-free.
///
/// inv 1  `top_` changes its tag with every pop, so an exchange that succeeds has seen no other pop
///        in between. (Unless the 28-bit tag wraps to the same value, with the same object on top,
///        while one thread is suspended between two instructions.)
template <class T>
class tagged_stack {
  static_assert(sizeof(T*) == 8, "address and tag share a word of 64 bits");

public:
  /// Objects are at multiples of this: the bits below an address are the tag's.
  static constexpr std::size_t alignment = 4096;

  /// Pushes `object`; what was written to it before is visible to the thread that pops it.
  /// Requires: it is in no stack, its address is a multiple of `alignment`, and it is never freed.
  void push(T& object) noexcept { push_all(object, object); }

  /// Pushes several objects at once, linked by `below` from `first` to `last`; `first` becomes the
  /// top. Requires: what `push` requires of each.
  void push_all(T& first, T& last) noexcept {
    const word address = address_of(first);
    word top = top_.load(relaxed);  // relaxed: only compared
    do {
      last.below.store(object_of(top), relaxed);  // relaxed: published by the exchange
    } while (!top_.compare_exchange(top, tag_of(top) | address, release));  // pairs: stack.top
  }

  /// Removes and returns the top object. Returns: null if there is none.
  [[nodiscard]] T* pop() noexcept {
    word top = top_.load(acquire);  // pairs: stack.top
    while (T* const object = object_of(top)) {
      T* const below = object->below.load(relaxed);  // relaxed: stale if the exchange fails
      const word desired = next_tag(tag_of(top)) | address_of(below);   // keeps inv 1
      if (top_.compare_exchange(top, desired, acquire)) return object;  // pairs: stack.top
    }
    return nullptr;
  }

  /// Counts the objects that have been popped so far, modulo 2^28.
  [[nodiscard]] std::uint32_t pops() const noexcept {
    const word top = top_.load(relaxed);  // relaxed: statistic only
    return static_cast<std::uint32_t>(top >> address_bits);
  }

private:
  using word = std::uintptr_t;

  // A word: the address / 4096 in the low 36 bits (0: none), the tag in the 28 above.
  static constexpr unsigned tag_bits = 28;
  static constexpr unsigned address_bits = 8 * sizeof(T*) - tag_bits;

  [[nodiscard]] static T* object_of(word top) noexcept {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the address shares its word with the tag
    return reinterpret_cast<T*>((top & ((word{1} << address_bits) - 1)) * alignment);
  }
  [[nodiscard]] static word address_of(const T* object) noexcept {
    return reinterpret_cast<word>(object) / alignment;
  }
  [[nodiscard]] static word address_of(const T& object) noexcept {
    TACTOR_ASSERT(object_of(address_of(&object)) == &object, panics::tagged_stack_address);
    return address_of(&object);
  }
  [[nodiscard]] static word tag_of(word top) noexcept {
    return top >> address_bits << address_bits;
  }
  [[nodiscard]] static word next_tag(word tag) noexcept { return tag + (word{1} << address_bits); }

  // Written by: push, pop. Read by: push, pop. Publishes: the objects in the stack and their links.
  port::atomic<word> top_;
};

}  // namespace tactor::inline v0::internal
