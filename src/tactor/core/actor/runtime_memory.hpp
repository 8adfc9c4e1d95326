// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell_store.hpp"
#include "tactor/core/actor/home_gate.hpp"
#include "tactor/core/actor/stable_store.hpp"
#include "tactor/core/mailbox/evicting_queue.hpp"
#include "tactor/core/message/block_source.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/message/page_source.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>

namespace tactor::inline v0 {

/// Pages from a source that is known only later.
class late_pages final : public page_source {
public:
  constexpr late_pages() noexcept = default;
  /// Only the first call counts.
  void provide(page_source& source) noexcept {
    page_source* nobody = nullptr;
    (void)source_.compare_exchange(nobody, &source, release);  // pairs: memory.pages
  }
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    page_source* const source = source_.load(acquire);  // pairs: memory.pages
    return source == nullptr ? nullptr : source->allocate(bytes, alignment);
  }

private:
  // Written by: provide, once. Read by: allocate. Publishes: the source.
  port::atomic<page_source*> source_;
};

/// Large blocks from a source that is known only later.
class late_blocks final : public block_source {
public:
  constexpr late_blocks() noexcept = default;
  /// Only the first call counts.
  void provide(block_source& source) noexcept {
    block_source* nobody = nullptr;
    (void)source_.compare_exchange(nobody, &source, port::release);  // pairs: memory.blocks
  }
  [[nodiscard]] void* allocate(std::size_t size, std::size_t alignment) noexcept override {
    block_source* const source = source_.load(acquire);  // pairs: memory.blocks
    return source == nullptr ? nullptr : source->allocate(size, alignment);
  }
  void release(void* block, std::size_t size, std::size_t alignment) noexcept override {
    source_.load(acquire)->release(block, size, alignment);  // pairs: memory.blocks
  }

private:
  // Written by: provide, once. Read by: allocate, release. Publishes: the source.
  port::atomic<block_source*> source_;
};

/// The memory of all actors of the program: cells, envelopes, and what else has to stay for as long
/// as somebody may hold a reference, which is for ever. Systems come and go and use it again.
///
/// Where it comes from is said once, by the first system that starts: pages mapped on the host, a
/// static array on a board.
struct runtime_memory {
  late_pages pages;
  late_blocks blocks;
  envelope_pool envelopes{pages, &blocks};
  cell_store cells{pages};
  stable_store<evicting_queue> lanes{pages};
  stable_store<home_gate> gates{pages};
};

/// The one there is.
extern constinit runtime_memory program_memory;

}  // namespace tactor::inline v0
