// SPDX-License-Identifier: BSL-1.0
// A target without a heap: every request is refused.
#include "tactor/base/memory_source.hpp"
#include "tactor/testkit/heap_blocks.hpp"

#include <cstddef>

namespace tactor::inline v0::testkit {

namespace {

class no_blocks final : public block_source {
public:
  [[nodiscard]] void* allocate(std::size_t /*size*/, std::size_t /*alignment*/) noexcept override {
    return nullptr;
  }
  void release(void* /*block*/, std::size_t /*size*/, std::size_t /*alignment*/) noexcept override {
  }
};

constinit no_blocks blocks;

}  // namespace

block_source& heap_blocks() noexcept {
  return blocks;
}

}  // namespace tactor::inline v0::testkit
