// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/memory_source.hpp"
#include "tactor/base/slab.hpp"
#include "tactor/core/cell/ask_slot.hpp"
#include "tactor/core/cell/mailbox_registry.hpp"
#include "tactor/core/cell/system_gate.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/cell/thread_waiting.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/message/locked_queue.hpp"
#include "tactor/core/message/priority_levels.hpp"
#include "tactor/core/send/wait_graph.hpp"
#include "tactor/core/send/waiting_producers.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::internal {

/// An object that is provided once, while others may be looking for it already.
template <class T>
class provided_later {
public:
  /// Only the first call counts. Requires: `given` stays for ever.
  void provide(T& given) noexcept {
    T* unset = nullptr;
    (void)given_.compare_exchange(unset, &given, release);  // pairs: memory.given
  }
  /// Returns: null until it is provided.
  [[nodiscard]] T* get() const noexcept { return given_.load(acquire); }  // pairs: memory.given

private:
  // Written by: provide, once. Read by: get. Publishes: the object.
  port::atomic<T*> given_;
};

/// Pages from a source that is provided later.
class late_pages final : public page_source, public provided_later<page_source> {
public:
  constexpr late_pages() noexcept = default;
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    page_source* const source = get();
    return source == nullptr ? nullptr : source->allocate(bytes, alignment);
  }
};

/// Large blocks from a source that is provided later.
class late_blocks final : public block_source, public provided_later<block_source> {
public:
  constexpr late_blocks() noexcept = default;
  [[nodiscard]] void* allocate(std::size_t size, std::size_t alignment) noexcept override {
    block_source* const source = get();
    return source == nullptr ? nullptr : source->allocate(size, alignment);
  }
  /// The caller has a block, so the source was provided.
  void release(void* block, std::size_t size, std::size_t alignment) noexcept override {
    get()->release(block, size, alignment);
  }
};

/// The memory of all actors of the program: cells, envelopes, and other objects that stale
/// references may lead to, so they are never freed. Successive systems reuse it.
///
/// The first system that starts provides the sources: mapped pages on the host, a static array on a
/// board.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): one object; each member needs those
// above it
class runtime_memory {
public:
  late_pages pages;
  late_blocks blocks;
  envelope_pool envelopes{pages, &blocks};
  mailbox_registry cells{pages};
  ask_registry asks{pages};
  stable_store<system_gate> gates{pages};
  stable_store<locked_queue> side_queues{pages};
  stable_store<priority_levels> levels{pages};
  waiting_producers producers{pages};
  wait_graph waits{pages};
  // Written by: host/trace. Read by: any thread that sends. Publishes: nothing.
  port::atomic<std::uint32_t> traces;  // how many systems are traced now

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
    asks.give_back_all(here.asks);
  }

  /// Provides how threads that run no actors wait. Only the first call counts. Requires: it stays
  /// for ever.
  void provide(const thread_waiting& how) noexcept { waiting_.provide(how); }
  /// Returns: how threads that run no actors wait; null: they cannot.
  [[nodiscard]] const thread_waiting* waiting() const noexcept { return waiting_.get(); }
  /// Provides a function that is called on a thread that takes memory for the first time, so that a
  /// hook can call `take_back` when the thread ends. Only the first call counts.
  void provide(void (*meet)()) noexcept {
    void (*unset)() = nullptr;
    (void)meet_.compare_exchange(unset, meet, relaxed);  // relaxed: a function
  }
  /// Records that `here` takes memory. Context: its thread, or an interrupt, which is not recorded.
  void note(thread_record& here) noexcept {
    if (here.met || port::in_interrupt()) return;
    here.met = true;
    if (void (*const meet)() = meet_.load(relaxed)) meet();  // relaxed: a function
  }

private:
  provided_later<const thread_waiting> waiting_;
  // Written by: provide, once. Read by: note. Publishes: nothing.
  port::atomic<void (*)()> meet_;
};

/// The only instance.
extern constinit runtime_memory program_memory;

}  // namespace tactor::inline v0::internal
