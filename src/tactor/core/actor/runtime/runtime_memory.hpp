// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/mailbox_registry.hpp"
#include "tactor/core/actor/cell/stable_store.hpp"
#include "tactor/core/actor/cell/system_gate.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/cell/thread_waiting.hpp"
#include "tactor/core/actor/runtime/wait_graph.hpp"
#include "tactor/core/actor/runtime/waiting_producers.hpp"
#include "tactor/core/mailbox/locked_queue.hpp"
#include "tactor/core/mailbox/priority_levels.hpp"
#include "tactor/core/message/block_source.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/message/page_source.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace tactor::inline v0::internal {

/// Pages from a source that is provided later.
template <bool OfBoard = port::has_interrupts>
class late_pages final : public page_source {
public:
  constexpr late_pages() noexcept = default;
  /// Only the first call counts.
  void provide(page_source& source) noexcept {
    page_source* unset = nullptr;
    (void)source_.compare_exchange(unset, &source, release);  // pairs: memory.pages
  }
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    page_source* const source = source_.load(acquire);  // pairs: memory.pages
    return source == nullptr ? nullptr : source->allocate(bytes, alignment);
  }

private:
  // Written by: provide, once. Read by: allocate. Publishes: the source.
  port::atomic<page_source*> source_;
};

/// Those of a board are provided as memory.
template <>
class late_pages<true> final : public page_source {
public:
  constexpr late_pages() noexcept = default;
  /// Only the first call counts. Requires: `room` is all zero, and stays for ever.
  void provide(std::span<std::byte> room) noexcept {
    if (end_ != nullptr) return;
    next_ = room.data();
    end_ = room.data() + room.size();
  }
  /// Takes all that `source` has left, for tests. Only the first call counts.
  void provide(static_pages& source) noexcept {
    if (end_ == nullptr) provide(source.take_rest());
  }
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    const port::interrupts_masked section;
    const std::size_t skipped =
        (0 - reinterpret_cast<std::uintptr_t>(next_)) & (alignment - 1);  // a power of two
    const auto left = static_cast<std::size_t>(end_ - next_);
    if (skipped > left || bytes > left - skipped) return nullptr;
    std::byte* const taken = next_ + skipped;
    next_ = taken + bytes;
    return taken;
  }

private:
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
};

/// Large blocks from a source that is provided later.
template <bool OfBoard = port::has_interrupts>
class late_blocks final : public block_source {
public:
  constexpr late_blocks() noexcept = default;
  /// What a pool takes them from.
  [[nodiscard]] constexpr block_source* source() noexcept { return this; }
  /// Only the first call counts.
  void provide(block_source& source) noexcept {
    block_source* unset = nullptr;
    (void)source_.compare_exchange(unset, &source, port::release);  // pairs: memory.blocks
  }
  [[nodiscard]] void* allocate(std::size_t size, std::size_t alignment) noexcept override {
    block_source* const source = source_.load(acquire);  // pairs: memory.blocks
    return source == nullptr ? nullptr : source->allocate(size, alignment);
  }
  void release(void* block, std::size_t size, std::size_t alignment) noexcept override {
    // relaxed: the caller has a block, and its allocation acquired the source
    source_.load(relaxed)->release(block, size, alignment);
  }

private:
  // Written by: provide, once. Read by: allocate, release. Publishes: the source.
  port::atomic<block_source*> source_;
};

/// Those of a board, which has none but in tests.
template <>
class late_blocks<true> {
public:
  [[nodiscard]] static constexpr block_source* source() noexcept { return nullptr; }
  /// Only the first call counts.
  static void provide(block_source& source) noexcept {
    if (from::get() == nullptr) from::shared = &source;
  }
  [[nodiscard]] static void* allocate(std::size_t size, std::size_t alignment) noexcept {
    return from::get() == nullptr ? nullptr : from::get()->allocate(size, alignment);
  }
  static void release(void* block, std::size_t size, std::size_t alignment) noexcept {
    from::get()->release(block, size, alignment);
  }

private:
  using from = source_of_large<true>;
};

/// A board's only gate.
struct only_gate {
  constexpr explicit only_gate(page_source& /*pages*/) noexcept {}
  [[nodiscard]] static system_gate* take() noexcept { return &gate_of_board; }
  static void give_back(system_gate& /*left*/) noexcept {}
};

/// What only some features use. Successive systems reuse it.
template <class Pages, bool OfBoard = port::has_interrupts>
class feature_memory {
public:
  /// Requires: `pages` outlives it.
  constexpr explicit feature_memory(Pages& pages) noexcept
      : side_queues(pages), levels(pages), producers(pages), waits(pages) {}

  stable_store<locked_queue> side_queues;
  stable_store<priority_levels> levels;
  waiting_producers producers;
  wait_graph waits;
  // Written by: host/trace. Read by: any thread that sends. Publishes: nothing.
  port::atomic<std::uint32_t> traces;  // how many systems are traced now

  /// How threads that run no actors wait. Only the first call counts. Requires: it stays for ever.
  void provide(const thread_waiting& how) noexcept {
    const thread_waiting* unset = nullptr;
    (void)waiting_.compare_exchange(unset, &how, port::release);  // pairs: memory.waiting
  }
  /// Null: they cannot wait.
  [[nodiscard]] const thread_waiting* waiting() const noexcept {
    return waiting_.load(acquire);  // pairs: memory.waiting
  }
  /// Called on a thread that takes memory for the first time, so that a hook can call `take_back`
  /// when the thread ends. Only the first call counts.
  void provide(void (*meet)()) noexcept {
    void (*unset)() = nullptr;
    (void)meet_.compare_exchange(unset, meet, relaxed);  // relaxed: a function
  }
  /// Records that `here` takes memory. Context: its thread.
  void note(thread_record& here) noexcept {
    if (here.met) return;
    here.met = true;
    if (void (*const meet)() = meet_.load(relaxed)) meet();  // relaxed: a function
  }

private:
  // Written by: provide, once. Read by: waiting threads. Publishes: the functions.
  port::atomic<const thread_waiting*> waiting_;
  // Written by: provide, once. Read by: note. Publishes: nothing.
  port::atomic<void (*)()> meet_;
};

/// That of a board, which has one runtime memory: objects of their own, so that the linker leaves out those that no linked feature uses. Its
/// only thread cannot wait, and never ends.
template <class Pages>
class feature_memory<Pages, true> {
public:
  constexpr explicit feature_memory(Pages& /*pages*/) noexcept {}

  static stable_store<locked_queue> side_queues;
  static stable_store<priority_levels> levels;
  static waiting_producers producers;
  static wait_graph waits;
  static port::atomic<std::uint32_t> traces;

  [[nodiscard]] static const thread_waiting* waiting() noexcept { return nullptr; }
  static void note(thread_record& /*here*/) noexcept {}
};

/// The memory of all actors of the program: cells, envelopes, and other objects that stale
/// references may lead to, so they are never freed. Successive systems reuse it.
///
/// The first system that starts provides the sources: mapped pages on the host, a static array on a
/// board.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): one object; each member needs those above it
struct runtime_memory : feature_memory<page_source> {
  constexpr runtime_memory() noexcept : feature_memory(pages) {}

  late_pages<> pages;
  [[no_unique_address]] late_blocks<> blocks;
  envelope_pool envelopes{pages, blocks.source()};
  mailbox_registry cells{pages};
  [[no_unique_address]] std::conditional_t<port::has_interrupts, only_gate,
                                           stable_store<system_gate>> gates{pages};

  /// Takes a side queue back, with its levels. Requires: it is closed, and empty.
  void give_back(locked_queue& side_queue) noexcept {
    if (priority_levels* const own = side_queue.take_levels()) levels.give_back(*own);
    side_queues.give_back(side_queue);
  }

  /// Takes back what a thread that ends has cached. If it takes memory once more, `meet` is called
  /// again. Context: that thread.
  void take_back(thread_record& here) noexcept {
    here.met = false;
    envelopes.give_back_all(here.envelopes);
    cells.give_back_all(here.cells);
  }
};

/// The only instance.
extern constinit runtime_memory program_memory;

template <class Pages>
constinit stable_store<locked_queue> feature_memory<Pages, true>::side_queues{program_memory.pages};
template <class Pages>
constinit stable_store<priority_levels> feature_memory<Pages, true>::levels{program_memory.pages};
template <class Pages>
constinit waiting_producers feature_memory<Pages, true>::producers{program_memory.pages};
template <class Pages>
constinit wait_graph feature_memory<Pages, true>::waits{program_memory.pages};
template <class Pages>
constinit port::atomic<std::uint32_t> feature_memory<Pages, true>::traces;

}  // namespace tactor::inline v0::internal
