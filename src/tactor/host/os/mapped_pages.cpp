// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/mapped_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>

namespace tactor::inline v0::internal {
namespace {

// Chunks double in size up to this: few system calls, little wasted address space.
constexpr std::size_t largest_chunk = std::size_t{16} << 20;

constinit mapped_pages pages_of_program;
constinit heap_blocks blocks_of_program;

void* map(std::size_t bytes) noexcept {
  void* const start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start != MAP_FAILED ? start : nullptr;
}

}  // namespace

mapped_pages& mapped_pages::of_program() noexcept {
  return pages_of_program;
}

// The rest of the previous chunk stays unused: it was never written, so it costs no memory.
bool mapped_pages::start_chunk(std::size_t least) noexcept {
  const std::size_t bytes = std::max(next_chunk_, least);
  void* const start = map(bytes);
  if (start == nullptr) return false;
  unused_ = static_cast<std::byte*>(start);
  left_ = bytes;
  next_chunk_ = std::min(next_chunk_ * 2, largest_chunk);
  return true;
}

void* mapped_pages::allocate(std::size_t bytes, std::size_t alignment) noexcept {
  const std::scoped_lock lock{mutex_};
  if (bytes > limit_ - given_out_) return nullptr;
  void* start = unused_;
  if (std::align(alignment, bytes, start, left_) == nullptr) {
    if (bytes + alignment < bytes || !start_chunk(bytes + alignment)) return nullptr;
    start = unused_;
    (void)std::align(alignment, bytes, start, left_);
  }
  unused_ = static_cast<std::byte*>(start) + bytes;
  left_ -= bytes;
  given_out_ += bytes;
  return start;
}

// The system would round the end up, to pages that are in use.
void mapped_pages::discard(void* start, std::size_t bytes) noexcept {
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(start);
  const std::uintptr_t begin = (first + page - 1) / page * page;
  const std::uintptr_t end = (first + bytes) / page * page;
  if (begin >= end) return;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address at the boundary of a page
  (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

std::size_t mapped_pages::given_out() const noexcept {
  const std::scoped_lock lock{mutex_};
  return given_out_;
}

zero_pages::zero_pages(std::size_t size) noexcept : size_(size) {
  void* const start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start != MAP_FAILED) start_ = start;
}

zero_pages::~zero_pages() {
  if (start_ != nullptr) (void)::munmap(start_, size_);
}

heap_blocks& heap_blocks::of_program() noexcept {
  return blocks_of_program;
}

void* heap_blocks::allocate(std::size_t size, std::size_t alignment) noexcept {
  return ::operator new(size, std::align_val_t{alignment}, std::nothrow);
}

void heap_blocks::release(void* block, std::size_t size, std::size_t alignment) noexcept {
  ::operator delete(block, size, std::align_val_t{alignment});
}

}  // namespace tactor::inline v0::internal
