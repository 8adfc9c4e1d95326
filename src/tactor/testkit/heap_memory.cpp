// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/heap_memory.hpp"

#include "tactor/core/actor/cell/runtime_memory.hpp"
#include "tactor/core/message/block_source.hpp"
#include "tactor/core/message/page_source.hpp"
#include "tactor/testkit/heap_blocks.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace tactor::inline v0::testkit {

using namespace tactor::internal;

namespace {

std::size_t rounded(std::size_t size, std::size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

/// Never released: the runtime keeps it for ever. Mapped, and not from the heap, where a leak checker
/// searches for pointers to it; the runtime packs some of them with other bits.
class mapped_pages final : public page_source {
public:
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    const std::size_t size = bytes + alignment;
    void* const start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    return static_cast<std::byte*>(start) + (0 - address) % alignment;
  }
};

class blocks_of_heap final : public block_source {
public:
  [[nodiscard]] void* allocate(std::size_t size, std::size_t alignment) noexcept override {
    return std::aligned_alloc(alignment, rounded(size, alignment));
  }
  void release(void* block, std::size_t, std::size_t) noexcept override { std::free(block); }
};

constinit mapped_pages pages;
constinit blocks_of_heap blocks;

}  // namespace

block_source* heap_blocks() noexcept {
  return &blocks;
}

void provide_heap_memory() noexcept {
  program_memory.pages.provide(pages);
  program_memory.blocks.provide(blocks);
}

}  // namespace tactor::inline v0::testkit
