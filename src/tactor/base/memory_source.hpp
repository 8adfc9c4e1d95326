// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::inline v0 {

/// Memory for objects too large for the runtime's own pools. A static target has none and refuses
/// them. Context: any thread.
class block_source {
public:
  /// Returns: null if there is no memory.
  [[nodiscard]] virtual void* allocate(std::size_t size, std::size_t alignment) noexcept = 0;
  /// Takes a block back. Requires: it came from `allocate` with the same size and alignment.
  virtual void release(void* block, std::size_t size, std::size_t alignment) noexcept = 0;

protected:
  ~block_source() = default;
};

}  // namespace tactor::inline v0

namespace tactor::inline v0::internal {

/// Source of memory that is never returned to it and may be read for ever. Called when a pool
/// grows, not per message. Context: any thread.
///
/// Memory of envelopes that are free may lose its contents meanwhile (`page_discarder`). All other
/// memory keeps them: generations of cells and timer records stand there.
class page_source {
public:
  /// Returns: zeroed memory, exclusively the caller's; null if there is no more.
  /// Requires: `alignment` is a power of two.
  [[nodiscard]] virtual void* allocate(std::size_t bytes, std::size_t alignment) noexcept = 0;

protected:
  ~page_source() = default;
};

/// Gives the memory behind free pages back to the operating system, while there is nothing else to
/// do. Context: the thread that called `envelope_pool::trim`.
class page_discarder {
public:
  /// Drops the contents of these bytes, of which only whole pages count. The memory stays mapped
  /// and may still be read, also by other threads: it holds what it held, or zero.
  virtual void discard(void* start, std::size_t bytes) noexcept = 0;
  /// Tells whether there is something else to do. A trimmer asks every few microseconds.
  [[nodiscard]] virtual bool is_interrupted() noexcept = 0;

protected:
  ~page_discarder() = default;
};

/// Storage for `static_pages`. Separate because it is all zero: as a global it lies in `.bss` and
/// takes no space in an image.
template <std::size_t Bytes>
struct page_storage {
  alignas(port::sizes::page_alignment) std::byte bytes[Bytes];
};

/// Pages from storage of a fixed size, for a board without a heap and for tests.
///
///     constinit page_storage<8192> room{};
///     constinit static_pages pages{room.bytes};
///
/// Thread safety: any thread or interrupt, lock-free.
class static_pages final : public page_source {
public:
  /// Requires: `room` is all zero, and outlives what is made of it.
  constexpr explicit static_pages(std::span<std::byte> storage) noexcept : storage_(storage) {}

  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    std::size_t used = used_.load(relaxed);  // relaxed: only compared
    while (true) {
      const auto address = reinterpret_cast<std::uintptr_t>(storage_.data()) + used;
      const std::size_t start = used + ((0 - address) & (alignment - 1));  // a power of two
      if (start > storage_.size() || bytes > storage_.size() - start) return nullptr;
      // relaxed: the bytes have been zero since before there were threads
      if (used_.compare_exchange(used, start + bytes, relaxed)) return storage_.data() + start;
    }
  }

  /// Takes all that is left. Context: no other thread allocates.
  [[nodiscard]] std::span<std::byte> take_rest() noexcept {
    return storage_.subspan(used_.exchange(storage_.size(), relaxed));  // relaxed: as in allocate
  }
  /// Counts the bytes that have been allocated, padding included.
  [[nodiscard]] std::size_t used() const noexcept {
    return used_.load(relaxed);  // relaxed: statistic only
  }

private:
  // constant after construction
  std::span<std::byte> storage_;
  // Written by: allocate. Read by: any. Publishes: nothing; the bytes below it are allocated.
  port::atomic<std::size_t> used_;
};

}  // namespace tactor::inline v0::internal
