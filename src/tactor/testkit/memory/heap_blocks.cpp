// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/memory/heap_blocks.hpp"

#include "tactor/core/message/block_source.hpp"

#include <cstddef>
#include <cstdlib>

namespace tactor::inline v0::testkit {

namespace {

std::size_t rounded(std::size_t size, std::size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

class blocks_of_heap final : public block_source {
public:
  [[nodiscard]] void* allocate(std::size_t size, std::size_t alignment) noexcept override {
    return std::aligned_alloc(alignment, rounded(size, alignment));
  }
  void release(void* block, std::size_t, std::size_t) noexcept override { std::free(block); }
};

constinit blocks_of_heap blocks;

}  // namespace

block_source* heap_blocks() noexcept {
  return &blocks;
}

}  // namespace tactor::inline v0::testkit
