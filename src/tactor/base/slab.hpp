// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/assert.hpp"
#include "tactor/port/port.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace tactor::inline v0 {

namespace panics {
inline constexpr port::panic_code slab_too_large{
    .module = 2,
    .id = 1,
    .advice =
        "a slab holds at most 2^32 - 1 objects on a 64-bit machine, 2^16 - 1 on a 32-bit one"};
}  // namespace panics

/// Names one tenancy of one slot of a slab. A plain value; keeps nothing alive.
/// The default one names nothing: generation 0 is never given out.
template <class Generation = std::uint32_t>
struct slab_handle {
  std::uint32_t index = 0;
  Generation generation = 0;

  friend constexpr bool operator==(slab_handle, slab_handle) noexcept = default;
};

/// Room for one object of a slab. All-zero is the valid unused state, so static slots lie in
/// `.bss`.
template <class T, class Generation = std::uint32_t>
struct slab_slot {
  // Written by: the tenant's release and the next acquire. Read by: holders of handles.
  // Publishes: nothing; odd while the slot is taken.
  port::atomic<Generation> generation;
  // Written by: release. Read by: acquire, also while it is being overwritten (then its exchange
  // fails). Publishes: nothing; the index + 1 of the next free slot, 0 for none.
  port::atomic<std::uint32_t> next_free;
  T object;
};

/// A fixed number of objects that are taken and given back by any thread, without a lock.
///
/// The objects are type-stable: the slab neither constructs nor destroys them, so a stale pointer
/// or handle always leads to an object of type T, and its generation says whether it is still the
/// one that was meant.
///
/// Thread safety: every function from any thread or interrupt, lock-free.
///
/// inv 1  A slot is in exactly one place: never used (at or above `fresh_`), taken, in the free
/// list, or retired. inv 2  The generation of a taken slot is odd and of every other one even; each
/// tenancy has a number of its own. A
///        slot whose numbers are used up is retired: a handle never comes to life again.
/// inv 3  `free_` changes its tag with every take, so an exchange that succeeds has seen no other
/// in between. (Unless the
///        tag comes round to the very same value while one thread stands still between two
///        instructions: 2^32 takes on a 64-bit machine, 2^16 on a 32-bit one, at the least.)
template <class T, class Generation = std::uint32_t>
class slab {
public:
  using handle = slab_handle<Generation>;
  using slot = slab_slot<T, Generation>;

  /// What `take` gives: the object and the name of this tenancy; or nothing.
  struct tenancy {
    T* object = nullptr;
    handle name;
  };

  /// A slab without room.
  constexpr slab() noexcept = default;

  /// Requires: `room` is all-zero and outlives the
  /// slab.
  constexpr explicit slab(std::span<slot> room) noexcept
      : room_(room), index_bits_(static_cast<unsigned>(std::bit_width(room.size()))) {
    TACTOR_ASSERT(room.size() < (std::size_t{1} << (word_bits / 2)), panics::slab_too_large);
  }

  /// Takes a slot nobody uses. What its last tenant wrote is visible.
  /// Returns: object and name; no object if all slots are taken.
  [[nodiscard]] tenancy take() noexcept {
    std::uint32_t index = take_from_free_list();
    if (index == none) index = take_fresh();
    if (index == none) return {};
    slot& taken = room_[index];
    const auto generation =
        static_cast<Generation>(taken.generation.load(relaxed) + 1);  // relaxed: the slot is ours
    taken.generation.store(generation,
                           relaxed);  // relaxed: whoever gives the handle away publishes it
    return {.object = &taken.object, .name = {.index = index, .generation = generation}};
  }

  /// Gives the slot back. Of several calls with one name exactly one returns true.
  /// Requires: the tenant is done with the object.
  bool give_back(handle name) noexcept {
    if (!names_a_slot(name)) return false;
    slot& left = room_[name.index];
    Generation expected = name.generation;
    const auto after = static_cast<Generation>(name.generation + 1);
    // relaxed: decides among those who hold the name; the free list publishes the object
    if (!left.generation.compare_exchange(expected, after, relaxed)) return false;
    if (after != 0) put_into_free_list(name.index);  // else retired: keeps inv 2
    return true;
  }

  /// The object that `name` means, or null if that tenancy is over. Where somebody else may give it
  /// back meanwhile, the answer is a hint: the object itself must carry what decides.
  [[nodiscard]] T* find(handle name) const noexcept {
    if (!names_a_slot(name)) return nullptr;
    slot& meant = room_[name.index];
    const bool alive =
        meant.generation.load(relaxed) == name.generation;  // relaxed: see the contract
    return alive ? &meant.object : nullptr;
  }

  [[nodiscard]] constexpr std::size_t capacity() const noexcept { return room_.size(); }

private:
  using word = std::uintptr_t;
  static constexpr unsigned word_bits = std::numeric_limits<word>::digits;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] bool names_a_slot(handle name) const noexcept {
    return name.generation % 2 == 1 && name.index < room_.size();
  }

  // A word of the free list: index + 1 of its first slot (0: empty) in the low bits, the tag in the
  // rest.
  [[nodiscard]] std::uint32_t first_of(word head) const noexcept {
    return static_cast<std::uint32_t>(head & ((word{1} << index_bits_) - 1));
  }
  [[nodiscard]] word with_first(word head, std::uint32_t first) const noexcept {
    return (head >> index_bits_ << index_bits_) | first;
  }
  [[nodiscard]] word next_tag(word head) const noexcept { return head + (word{1} << index_bits_); }

  std::uint32_t take_from_free_list() noexcept {
    word head = free_.load(acquire);  // pairs: slab.free
    while (first_of(head) != 0) {
      const std::uint32_t index = first_of(head) - 1;
      const std::uint32_t next =
          room_[index].next_free.load(relaxed);  // relaxed: stale if the exchange fails
      const word desired = with_first(next_tag(head), next);             // keeps inv 3
      if (free_.compare_exchange(head, desired, acquire)) return index;  // pairs: slab.free
    }
    return none;
  }

  std::uint32_t take_fresh() noexcept {
    std::uint32_t index = fresh_.load(relaxed);  // relaxed: the slots were zero from the start
    while (index < room_.size()) {
      if (fresh_.compare_exchange(index, index + 1, relaxed)) return index;  // relaxed: as above
    }
    return none;
  }

  void put_into_free_list(std::uint32_t index) noexcept {
    word head = free_.load(relaxed);  // relaxed: only compared
    do {
      room_[index].next_free.store(first_of(head), relaxed);  // relaxed: published by the exchange
    } while (
        !free_.compare_exchange(head, with_first(head, index + 1), release));  // pairs: slab.free
  }

  // constant after construction
  std::span<slot> room_;
  unsigned index_bits_ = 0;

  // Written by: take, give_back. Read by: the same. Publishes: the objects of free slots and their
  // links.
  port::atomic<word> free_;
  // Written by: take. Read by: take. Publishes: nothing; slots below it have been used.
  port::atomic<std::uint32_t> fresh_;
};

}  // namespace tactor::inline v0
