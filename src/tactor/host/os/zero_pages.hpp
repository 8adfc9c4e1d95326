// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>

namespace tactor::inline v0::internal {

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

}  // namespace tactor::inline v0::internal
