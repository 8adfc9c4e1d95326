// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/page_source.hpp"

#include <cstddef>
#include <limits>
#include <mutex>

namespace tactor::inline v0::internal {

/// Pages that the system maps, cut from chunks. They are never unmapped, not even at the end of the
/// object; they cost memory only where they are written.
///
/// Thread safety: every function from any thread; a lock.
class mapped_pages final : public page_source {
public:
  /// The one of the whole program.
  [[nodiscard]] static mapped_pages& of_program() noexcept;

  /// As many as the system has.
  constexpr mapped_pages() noexcept = default;
  /// Gives out `limit` bytes, then none.
  constexpr explicit mapped_pages(std::size_t limit) noexcept : limit_(limit) {}

  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept override;

  /// How many bytes have been given out.
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

}  // namespace tactor::inline v0::internal
