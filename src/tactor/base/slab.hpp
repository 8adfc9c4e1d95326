// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/free_list.hpp"
#include "tactor/base/lock_guard.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <new>  // IWYU pragma: keep (placement new)
#include <span>

namespace tactor::inline v0::internal {

/// Names one tenancy of one slot of a slab. A plain value; keeps nothing alive.
/// The default handle names nothing: generation 0 is never given out.
template <class Generation = std::uint32_t>
struct slab_handle {
  std::uint32_t index = 0;
  Generation generation = 0;

  friend constexpr bool operator==(slab_handle, slab_handle) noexcept = default;
};

/// One object of a slab. All-zero is the valid unused state, so static slots are in `.bss`.
template <class T, class Generation = std::uint32_t>
struct slab_slot : free_list_slot {
  // Written by: the tenant that gives the slot back and the next that takes it. Read by: holders of
  // handles. Publishes: nothing; odd while the slot is taken.
  port::atomic<Generation> generation;
  T object;
};

/// A fixed number of objects that any thread takes and gives back, without a lock.
///
/// The objects are type-stable: the slab neither constructs nor destroys them, so a stale pointer
/// or handle always refers to an object of type T, and the generation shows whether it is the same
/// tenancy.
///
/// Thread safety: every function from any thread or interrupt, lock-free.
///
/// inv 1  A slot is taken, retired, or in the free list.
/// inv 2  The generation of a taken slot is odd, of any other slot even; each tenancy has its own
///        generation. A slot whose generations are used up is retired: a handle never becomes valid
///        again.
template <class T, class Generation = std::uint32_t>
class slab {
public:
  using handle = slab_handle<Generation>;
  using slot = slab_slot<T, Generation>;

  /// Result of `take`: the object and the name of this tenancy, or nothing.
  struct tenancy {
    T* object = nullptr;
    handle name;
  };

  /// Makes a slab without storage.
  constexpr slab() noexcept = default;

  /// Requires: `storage` is all-zero and outlives the slab.
  constexpr explicit slab(std::span<slot> storage) noexcept : storage_(storage), free_(storage) {}

  /// Takes an unused slot. What its last tenant wrote is visible.
  /// Returns: object and name; no object if all slots are taken.
  [[nodiscard]] tenancy take() noexcept {
    const std::uint32_t index = free_.take();
    if (index == free_list<slot>::none) return {};
    slot& taken = storage_[index];
    const Generation before = taken.generation.load(relaxed);  // relaxed: the slot is ours
    const auto generation = static_cast<Generation>(before + 1);
    taken.generation.store(generation, relaxed);  // relaxed: published with the handle
    return {.object = &taken.object, .name = {.index = index, .generation = generation}};
  }

  /// Gives the slot back. Of several calls with one name, exactly one returns true.
  /// Requires: the tenant is done with the object.
  bool give_back(handle name) noexcept {
    if (!names_a_slot(name)) return false;
    slot& left = storage_[name.index];
    Generation expected = name.generation;
    const auto after = static_cast<Generation>(name.generation + 1);
    // relaxed: decides among the holders of the name; the free list publishes the object
    if (!left.generation.compare_exchange(expected, after, relaxed)) return false;
    if (after != 0) free_.put(name.index);  // else retired: keeps inv 2
    return true;
  }

  /// Returns: the object that `name` refers to, or null if that tenancy is over. If another thread
  /// may give it back meanwhile, the result is a hint: the object itself must hold the deciding
  /// state.
  [[nodiscard]] T* find(handle name) const noexcept {
    if (!names_a_slot(name)) return nullptr;
    slot& meant = storage_[name.index];
    const Generation present = meant.generation.load(relaxed);  // relaxed: see the contract
    return present == name.generation ? &meant.object : nullptr;
  }

  [[nodiscard]] constexpr std::size_t capacity() const noexcept { return storage_.size(); }

private:
  [[nodiscard]] bool names_a_slot(handle name) const noexcept {
    return name.generation % 2 == 1 && name.index < storage_.size();
  }

  std::span<slot> storage_;  // constant after construction
  free_list<slot> free_;
};

/// Objects that are made once and never destroyed, only reused: a stale pointer always leads to an
/// object of type `T`. For objects that are taken seldom. `T` has a member `port::plain<T*> next`.
/// Thread safety: any thread; a lock.
template <class T>
class stable_store {
public:
  /// Requires: `pages` outlives the store.
  constexpr explicit stable_store(page_source& pages) noexcept : pages_(&pages) {}
  stable_store(const stable_store&) = delete;
  stable_store& operator=(const stable_store&) = delete;
  ~stable_store() = default;

  /// Returns: null if there is no memory for another object.
  [[nodiscard]] T* take() noexcept {
    const lock_guard guard{mutex_};
    if (T* const taken = free_) {
      free_ = taken->next.get();
      return taken;
    }
    void* const storage = pages_->allocate(sizeof(T), alignof(T));
    return storage == nullptr ? nullptr : ::new (storage) T;
  }
  /// Takes an object back. Requires: it came from here, and is no longer used.
  void give_back(T& left) noexcept {
    const lock_guard guard{mutex_};
    left.next.set(free_);
    free_ = &left;
  }

private:
  page_source* pages_;  // constant
  [[no_unique_address]] port::mutex mutex_;
  // protected by mutex_
  T* free_ = nullptr;
};

}  // namespace tactor::inline v0::internal
