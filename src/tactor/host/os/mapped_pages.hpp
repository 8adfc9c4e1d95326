// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/memory_source.hpp"

#include <cstddef>
#include <limits>
#include <mutex>
#include <utility>

namespace tactor::inline v0::internal {

/// Memory mapped from the operating system in chunks. It is never unmapped, not even when the
/// object is destroyed; only pages that are written cost memory, until they are discarded.
///
/// Thread safety: every function from any thread; a lock.
class mapped_pages final : public page_source {
public:
  /// Returns the program's instance.
  [[nodiscard]] static mapped_pages& of_program() noexcept;

  /// Without a limit of its own.
  constexpr mapped_pages() noexcept = default;
  /// Allocates at most `limit` bytes.
  constexpr explicit mapped_pages(std::size_t limit) noexcept : limit_(limit) {}

  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept override;

  /// Gives the memory behind the whole pages among these bytes back to the system: they read as
  /// zero from now on, and cost memory again once they are written. Pages that are locked into
  /// memory keep their contents.
  static void discard(void* start, std::size_t bytes) noexcept;

  /// Returns the number of bytes allocated so far.
  [[nodiscard]] std::size_t given_out() const noexcept;

private:
  [[nodiscard]] bool start_chunk(std::size_t least) noexcept;

  mutable std::mutex mutex_;
  // protected by mutex_
  std::size_t limit_ = std::numeric_limits<std::size_t>::max();
  std::size_t given_out_ = 0;
  std::size_t next_chunk_ = std::size_t{1} << 20;
  std::byte* unused_ = nullptr;  // of the chunk
  std::size_t left_ = 0;
};

/// Pages of zeros from the operating system, unmapped at the end. Only pages that are written cost
/// memory.
/// Context: one owner.
class zero_pages {
public:
  zero_pages() noexcept = default;
  /// Maps pages for `size` bytes; `start` is null if the system has no memory.
  explicit zero_pages(std::size_t size) noexcept;
  zero_pages(zero_pages&& other) noexcept
      : start_(std::exchange(other.start_, nullptr)), size_(other.size_) {}
  zero_pages& operator=(zero_pages&& other) noexcept {
    std::swap(start_, other.start_);
    std::swap(size_, other.size_);
    return *this;
  }
  zero_pages(const zero_pages&) = delete;
  zero_pages& operator=(const zero_pages&) = delete;
  ~zero_pages();

  /// Returns: the first of them; null if there are none.
  [[nodiscard]] void* start() const noexcept { return start_; }
  /// Gives the pages to the caller: from now on nothing unmaps them. Returns: the first of them.
  void* release() noexcept { return std::exchange(start_, nullptr); }

private:
  void* start_ = nullptr;
  std::size_t size_ = 0;
};

/// Memory of the heap, for blocks of any size. It has no state, so it may be used after main.
class heap_blocks final : public block_source {
public:
  /// Returns the program's instance.
  [[nodiscard]] static heap_blocks& of_program() noexcept;

  [[nodiscard]] void* allocate(std::size_t size, std::size_t alignment) noexcept override;
  void release(void* block, std::size_t size, std::size_t alignment) noexcept override;
};

}  // namespace tactor::inline v0::internal
