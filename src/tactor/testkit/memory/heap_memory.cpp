// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/memory/heap_memory.hpp"

#include "tactor/core/actor/runtime/runtime_memory.hpp"
#include "tactor/core/message/page_source.hpp"
#include "tactor/testkit/memory/heap_blocks.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::testkit {

using namespace tactor::internal;

namespace {

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

constinit mapped_pages pages;

}  // namespace

void provide_heap_memory() noexcept {
  program_memory.pages.provide(pages);
  program_memory.blocks.provide(*heap_blocks());
}

}  // namespace tactor::inline v0::testkit
