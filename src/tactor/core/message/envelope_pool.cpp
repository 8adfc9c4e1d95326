// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/message/envelope_pool.hpp"

#include "tactor/base/magazine.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

namespace tactor::inline v0::internal {

envelope* envelope_pool::refill(envelope_caches& caches, unsigned size_class) noexcept {
  cache& to = caches.of_class[size_class];
  if (envelope* const taken = to.take(shelves_[size_class].free)) return taken;
  node_chain<envelope> made = make_blocks(size_class);
  if (made.count == 0) return take_larger(caches, size_class);
  envelope& taken = made.pop();
  to.adopt(made, shelves_[size_class].free);
  return &taken;
}

/// A free block of a larger class; it goes back there.
envelope* envelope_pool::take_larger(envelope_caches& caches, unsigned size_class) noexcept {
  for (unsigned larger = size_class + 1; larger < envelope_size_classes; ++larger) {
    if (envelope* const taken = caches.of_class[larger].take(shelves_[larger].free)) {
      port::unpoison(taken, block_size(larger));
      return taken;
    }
  }
  return nullptr;
}

// Inline, so that a board, where it has one use, does not pay for a call.
[[gnu::always_inline]] inline node_chain<envelope>
envelope_pool::cut(std::byte* run, unsigned size_class) noexcept {
  node_chain<envelope> made;
  for (std::size_t i = in_front + blocks_in_run; i > in_front; --i) {
    auto* const block = ::new (run + (i - 1) * block_size(size_class)) envelope;
    block->size_class = static_cast<std::uint8_t>(size_class);
    if constexpr (depot::uses_records) block->position = static_cast<std::uint8_t>(i - 1);
    made.push(*block);
    poison_free(*block);
  }
  return made;
}

node_chain<envelope> envelope_pool::make_blocks(unsigned size_class) noexcept {
  constexpr std::size_t alignment = depot::uses_records ? depot::record_alignment : smallest_block;
  shelf& shared = shelves_[size_class];
  if (shared.idle.any()) {
    if (const node_chain<envelope> idle = take_idle(size_class); idle.count != 0) return idle;
  }
  auto* const run = static_cast<std::byte*>(pages_->allocate(run_size(size_class), alignment));
  if (run == nullptr) {
    if constexpr (depot::uses_records) return take_idle(size_class);  // whatever the hint said
    return {};
  }
  if (in_front != 0) shared.free.reserve(run);
  shared.made.fetch_add(blocks_in_run, relaxed);  // relaxed: statistic only
  return cut(run, size_class);
}

/// Finds blocks that are not in the depot: a search has taken them out, or discarded their
/// contents.
node_chain<envelope> envelope_pool::take_idle(unsigned size_class) noexcept {
  shelf& shared = shelves_[size_class];
  const idle_memory<envelope> found = shared.idle.take(shared.free);
  if (found.run == nullptr) return found.chain;
  port::unpoison(found.run, run_size(size_class));
  shared.free.reserve_again(*found.run);
  return cut(reinterpret_cast<std::byte*>(found.run), size_class);
}

struct envelope_pool::runs_of_class {
  std::size_t bytes;
  std::uint32_t reserve;
  page_discarder& by;

  static chain_record<envelope>& run_of(envelope& free) noexcept {
    port::unpoison(&free, sizeof free);
    std::byte* const run =
        reinterpret_cast<std::byte*>(&free) - free.position * block_size(free.size_class);
    poison_free(free);
    return *std::launder(reinterpret_cast<chain_record<envelope>*>(run));
  }
  void discard(void* start, std::size_t size) noexcept { by.discard(start, size); }
};

void envelope_pool::trim(page_discarder& by) noexcept {
  for (unsigned size_class = 0; size_class < envelope_size_classes; ++size_class) {
    shelf& shared = shelves_[size_class];
    const std::size_t bytes = run_size(size_class);
    runs_of_class runs{
        .bytes = bytes, .reserve = static_cast<std::uint32_t>(most_idle_bytes / bytes), .by = by};
    while (shared.idle.has_work(shared.free, runs)) {
      if (by.is_interrupted()) return;
      shared.idle.step(shared.free, runs);
    }
  }
}

void envelope_pool::release_slowly(envelope_caches& caches, envelope& e) noexcept {
  const unsigned size_class = e.size_class;
  if (size_class == large_size_class) return release_large(e);
  poison_free(e);
  caches.of_class[size_class].put(e, shelves_[size_class].free);
}

void envelope_pool::give_back_all(envelope_caches& caches) noexcept {
  for (unsigned size_class = 0; size_class < envelope_size_classes; ++size_class)
    caches.of_class[size_class].give_all_to(shelves_[size_class].free);
}

// Messages that are larger than the largest block. A `bare::system` has no memory for them.

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
