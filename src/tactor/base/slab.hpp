// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/free_list.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::inline v0::internal {

/// Names one tenancy of one slot of a slab. A plain value; keeps nothing alive.
/// The default one names nothing: generation 0 is never given out.
template <class Generation = std::uint32_t>
struct slab_handle {
  std::uint32_t index = 0;
  Generation generation = 0;

  friend constexpr bool operator==(slab_handle, slab_handle) noexcept = default;
};

/// Room for one object of a slab. All-zero is the valid unused state, so static slots lie in `.bss`.
template <class T, class Generation = std::uint32_t>
struct slab_slot : free_list_slot {
  // Written by: the tenant who gives it back and the next one who takes it. Read by: holders of
  // handles. Publishes: nothing; odd while the slot is taken.
  port::atomic<Generation> generation;
  T object;
};

/// A fixed number of objects that are taken and given back by any thread, without a lock.
///
/// The objects are type-stable: the slab neither constructs nor destroys them, so a stale pointer or
/// handle always leads to an object of type T, and its generation says whether it is still the one
/// that was meant.
///
/// Thread safety: every function from any thread or interrupt, lock-free.
///
/// inv 1  A slot is in exactly one place: taken, retired, or with the free list.
/// inv 2  The generation of a taken slot is odd and of every other one even; each tenancy has a
///        number of its own. A slot whose numbers are used up is retired: a handle never comes to
///        life again.
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

  /// Requires: `room` is all-zero and outlives the slab.
  constexpr explicit slab(std::span<slot> room) noexcept : room_(room), free_(room) {}

  /// Takes a slot nobody uses. What its last tenant wrote is visible.
  /// Returns: object and name; no object if all slots are taken.
  [[nodiscard]] tenancy take() noexcept {
    const std::uint32_t index = free_.take();
    if (index == free_list<slot>::none) return {};
    slot& taken = room_[index];
    const Generation before = taken.generation.load(relaxed);  // relaxed: the slot is ours
    const auto generation = static_cast<Generation>(before + 1);
    taken.generation.store(generation, relaxed);  // relaxed: who gives the handle away publishes it
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
    if (after != 0) free_.put(name.index);  // else retired: keeps inv 2
    return true;
  }

  /// The object that `name` means, or null if that tenancy is over. Where somebody else may give it
  /// back meanwhile, the answer is a hint: the object itself must carry what decides.
  [[nodiscard]] T* find(handle name) const noexcept {
    if (!names_a_slot(name)) return nullptr;
    slot& meant = room_[name.index];
    const Generation present = meant.generation.load(relaxed);  // relaxed: see the contract
    return present == name.generation ? &meant.object : nullptr;
  }

  [[nodiscard]] constexpr std::size_t capacity() const noexcept { return room_.size(); }

private:
  [[nodiscard]] bool names_a_slot(handle name) const noexcept {
    return name.generation % 2 == 1 && name.index < room_.size();
  }

  std::span<slot> room_;  // constant after construction
  free_list<slot> free_;
};

}  // namespace tactor::inline v0::internal
