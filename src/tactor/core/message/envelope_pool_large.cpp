// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/memory_source.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"

#include <algorithm>
#include <cstddef>
#include <new>

// Messages that are larger than the largest block. A `bare::system` has no memory for them.
namespace tactor::inline v0::internal {
namespace {

/// Layout of an envelope and its payload in a block of their own.
struct large_block {
  std::size_t size;
  std::size_t alignment;
};
large_block large_block_for(std::size_t size, std::size_t alignment) noexcept {
  return {.size = envelope_pool::large_trailer_offset(size, alignment) +
                  envelope_pool::large_trailer_size,
          .alignment = std::max(alignment, envelope_alignment)};
}

}  // namespace

envelope* envelope_pool::allocate_large(std::size_t size, std::size_t alignment) noexcept {
  if (blocks_ == nullptr) return nullptr;
  const large_block wanted = large_block_for(size, alignment);
  void* const block = blocks_->allocate(wanted.size, wanted.alignment);
  if (block == nullptr) return nullptr;
  auto* const made = ::new (block) envelope;
  made->size_class = large_size_class;
  return made;
}

void envelope_pool::release_large(envelope& e) noexcept {
  const large_block block = large_block_for(e.operations->size, e.operations->alignment);
  blocks_->release(&e, block.size, block.alignment);
}

}  // namespace tactor::inline v0::internal
