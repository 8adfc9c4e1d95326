// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/message/envelope_pool.hpp"

#include "tactor/base/magazine.hpp"
#include "tactor/core/message/block_source.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/page_source.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

namespace tactor::inline v0::internal {
namespace {

/// Layout of an envelope and its payload in a block of their own.
struct large_block {
  std::size_t size;
  std::size_t alignment;
};
large_block large_block_for(std::size_t size, std::size_t alignment) noexcept {
  return {.size = payload_offset(alignment) + size,
          .alignment = std::max(alignment, envelope_alignment)};
}

}  // namespace

envelope* envelope_pool::refill(envelope_caches& caches, unsigned size_class) noexcept {
  cache& to = caches.of_class[size_class];
  if (envelope* const taken = to.take(shelves_[size_class].free)) return taken;
  to.adopt(make_blocks(size_class));
  if (envelope* const made = to.try_take()) return made;
  return take_larger(caches, size_class);
}

/// A free block of a larger class; it goes back there.
envelope* envelope_pool::take_larger(envelope_caches& caches, unsigned size_class) noexcept {
  for (unsigned larger = size_class + 1; larger < envelope_size_classes; ++larger) {
    if (envelope* const taken = caches.of_class[larger].take(shelves_[larger].free)) {
      unpoison(taken, block_size(larger));
      return taken;
    }
  }
  return nullptr;
}

// A run is a magazine of blocks. Where the depot needs a record for a full chain, the record stands
// in front of them, so that there always is one (magazine_depot::reserve).
node_chain<envelope> envelope_pool::make_blocks(unsigned size_class) noexcept {
  constexpr std::uint32_t count = depot::uses_records ? magazine_capacity : 1;
  constexpr std::size_t in_front = depot::uses_records ? 1 : 0;
  constexpr std::size_t alignment = depot::uses_records ? depot::record_alignment : smallest_block;

  const std::size_t size = block_size(size_class);
  auto* const run = static_cast<std::byte*>(pages_->allocate((in_front + count) * size, alignment));
  if (run == nullptr) return {};
  shelf& shared = shelves_[size_class];
  if (in_front != 0) shared.free.reserve(run);
  node_chain<envelope> made;
  for (std::size_t i = in_front + count; i > in_front; --i) {
    auto* const block = ::new (run + (i - 1) * size) envelope;
    block->size_class = static_cast<std::uint8_t>(size_class);
    made.push(*block);
    poison_free(*block);
  }
  shared.made.fetch_add(count, relaxed);  // relaxed: statistic only
  return made;
}

void envelope_pool::release_slowly(envelope_caches& caches, envelope& e) noexcept {
  const unsigned size_class = e.size_class;
  if (size_class == large_size_class) return release_large(e);
  poison_free(e);
  caches.of_class[size_class].put(e, shelves_[size_class].free);
}

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

void envelope_pool::give_back_all(envelope_caches& caches) noexcept {
  for (unsigned size_class = 0; size_class < envelope_size_classes; ++size_class)
    caches.of_class[size_class].give_all_to(shelves_[size_class].free);
}

}  // namespace tactor::inline v0::internal
