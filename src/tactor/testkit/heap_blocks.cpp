// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/heap_blocks.hpp"

#include "tactor/base/memory_source.hpp"

#include <cstddef>
#include <new>

namespace tactor::inline v0::testkit {

namespace {

class blocks_of_heap final : public block_source {
public:
  [[nodiscard]] void* allocate(std::size_t size, std::size_t alignment) noexcept override {
    return ::operator new(size, std::align_val_t{alignment}, std::nothrow_t{});
  }
  void release(void* block, std::size_t /*size*/, std::size_t alignment) noexcept override {
    ::operator delete(block, std::align_val_t{alignment});
  }
};

constinit blocks_of_heap blocks;

}  // namespace

block_source& heap_blocks() noexcept {
  return blocks;
}

}  // namespace tactor::inline v0::testkit
