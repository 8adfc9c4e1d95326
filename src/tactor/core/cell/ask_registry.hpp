// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/magazine.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/core/cell/ask_slot.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace tactor::inline v0::internal {

/// The free ask slots cached by one thread. Context: one thread.
using ask_cache = magazine_cache<ask_slot>;

/// All ask slots of the program, by number. Type-stable: slots come from pages that are never given
/// back, and are reused by later asks.
///
/// Thread safety: every function from any thread, with a cache of its own.
class ask_registry {
public:
  /// The number of slots in the first page; each further page holds as many as all before it.
  static constexpr std::uint32_t first_page = port::sizes::first_slots;
  static constexpr std::uint32_t most_pages = port::sizes::slot_pages;

  /// Requires: `pages` outlives the registry.
  constexpr explicit ask_registry(page_source& pages) noexcept : pages_(&pages) {}
  ask_registry(const ask_registry&) = delete;
  ask_registry& operator=(const ask_registry&) = delete;
  ~ask_registry() = default;

  /// From now on there are only these slots; they may be none. Requires: no slot has been made yet;
  /// the slots stay for ever, and fit the page directory.
  void confine_to(std::span<ask_slot> slots) noexcept;

  /// Takes an unused slot. Returns: null if there is none, and no memory for one more.
  [[nodiscard]] ask_slot* take(ask_cache& cache) noexcept {
    ask_slot* const taken = cache.try_take();
    return taken != nullptr ? taken : refill(cache);
  }
  /// Frees the slot, unless its generations are used up: then it is retired. Requires: its ask has
  /// ended.
  void give_back(ask_cache& cache, ask_slot& left) noexcept {
    if (left.peek().used_up()) [[unlikely]]
      return (void)retired_.fetch_add(1, relaxed);  // relaxed: statistic only
    if (!cache.try_put(left)) [[unlikely]]
      cache.put(left, free_);
  }

  /// The slot with that number. Requires: it has been made.
  [[nodiscard]] ask_slot& at(std::uint32_t number) const noexcept {
    const std::uint32_t page = page_of(number);
    // relaxed: the number of a slot is passed on in order, by the message that asks
    return directory_[page].load(relaxed)[number - first_of(page)];
  }

  /// Takes back everything a thread has cached: the thread ends.
  void give_back_all(ask_cache& cache) noexcept { cache.give_all_to(free_); }

  /// How many slots there are, and how many of these are used no more.
  [[nodiscard]] std::uint32_t made() const noexcept {
    return made_.load(relaxed);  // relaxed: statistic only
  }
  [[nodiscard]] std::uint32_t retired() const noexcept {
    return retired_.load(relaxed);  // relaxed: statistic only
  }

private:
  static constexpr std::uint32_t page_of(std::uint32_t number) noexcept {
    return static_cast<std::uint32_t>(std::bit_width(number / first_page));
  }
  static constexpr std::uint32_t first_of(std::uint32_t page) noexcept {
    return page == 0 ? 0 : first_page << (page - 1);
  }
  static constexpr std::uint32_t size_of(std::uint32_t page) noexcept {
    return page == 0 ? first_page : first_page << (page - 1);
  }

  ask_slot* refill(ask_cache& cache) noexcept;
  [[nodiscard]] node_chain<ask_slot> make_slots() noexcept;

  page_source* pages_;  // constant
  magazine_depot<ask_slot> free_;
  // Written by: make_slots, confine_to. Read by: any. Publishes: nothing; the message that asks
  // does.
  std::array<port::atomic<ask_slot*>, most_pages> directory_;
  // Written by: make_slots. Read by: any. Publishes: nothing.
  port::atomic<std::uint32_t> made_;
  // Written by: give_back. Read by: any. Publishes: nothing.
  port::atomic<std::uint32_t> retired_;
  [[no_unique_address]] port::mutex making_;
  // protected by making_
  std::uint32_t most_ = 0;
  bool confined_ = false;  // otherwise as many as there is memory for
};

}  // namespace tactor::inline v0::internal
