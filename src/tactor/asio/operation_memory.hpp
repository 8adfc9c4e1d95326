// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <new>

namespace tactor::inline v0::io {

/// Private: the memory of one operation of Asio at a time: an operation that a thread of actors begins would allocate, and a thread
/// of Asio free. Asio frees it before it calls the handler.
class operation_memory {
public:
  void* allocate(std::size_t size) {
    if (used_ || size > sizeof storage_) return ::operator new(size);
    used_ = true;
    return storage_;
  }
  void free(void* block) noexcept {
    if (block != storage_) return ::operator delete(block);
    used_ = false;
  }

private:
  alignas(std::max_align_t) std::byte storage_[160];  // NOLINT: written by its user
  bool used_ = false;
};

/// Private: what Asio asks a handler for.
template <class T>
struct operation_allocator {
  using value_type = T;
  explicit operation_allocator(operation_memory& with) noexcept : of(&with) {}
  template <class Other>
  explicit(false) operation_allocator(const operation_allocator<Other>& other) noexcept
      : of(other.of) {}
  T* allocate(std::size_t count) { return static_cast<T*>(of->allocate(count * sizeof(T))); }
  void deallocate(T* block, std::size_t /*count*/) const noexcept { of->free(block); }
  template <class Other>
  bool operator==(const operation_allocator<Other>& other) const noexcept {
    return of == other.of;
  }
  operation_memory* of;
};

}  // namespace tactor::inline v0::io
