// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/magazine.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::inline v0::internal {

/// All slots of one type in the program, by number. Type-stable: slots come from pages that are
/// never given back, and are reused by later tenants. A slot is a `Node`, which links the free
/// slots; it keeps its number in `Number`, and says by `used_up` that its last generation is over.
///
/// Thread safety: every function from any thread, with a cache of its own.
template <class Slot, class Node, std::uint32_t Slot::* Number>
class slot_registry {
public:
  /// The free slots cached by one thread. Context: one thread.
  using cache = magazine_cache<Node>;

  /// The number of slots in the first page; each further page holds as many as all before it.
  static constexpr std::uint32_t first_page = port::sizes::first_slots;
  static constexpr std::uint32_t most_pages = port::sizes::slot_pages;

  /// Requires: `pages` outlives the registry.
  constexpr explicit slot_registry(page_source& pages) noexcept : pages_(&pages) {}
  slot_registry(const slot_registry&) = delete;
  slot_registry& operator=(const slot_registry&) = delete;
  ~slot_registry() = default;

  /// Limits the registry to the memory at `slots`, which may be none; it takes no pages then.
  /// Requires: no slot has been made yet; the memory is all-zero, stays for ever, and fits the page
  /// directory.
  void confine_to(std::span<Slot> slots) noexcept;

  /// Takes a free slot. Returns: null if there is none, and no memory for one more.
  [[nodiscard]] Slot* take(cache& here) noexcept {
    Node* const taken = here.try_take();
    return static_cast<Slot*>(taken != nullptr ? taken : refill(here));
  }
  /// Frees the slot, unless its generations are used up: then it is retired. Requires: its tenancy
  /// has ended, and nobody uses the slot.
  void give_back(cache& here, Slot& left) noexcept {
    if (left.used_up()) [[unlikely]]
      return (void)retired_.fetch_add(1, relaxed);  // relaxed: statistic only
    if (!here.try_put(left)) [[unlikely]]
      here.put(left, free_);
  }
  /// Takes back everything a thread has cached: the thread ends.
  void give_back_all(cache& here) noexcept { here.give_all_to(free_); }

  /// The slot with that number. Requires: it has been made.
  [[nodiscard]] Slot& operator[](std::uint32_t number) const noexcept {
    const std::uint32_t page = page_of(number);
    // relaxed: the number of a slot is passed on in order, by a reference, by a message or by
    // `made`
    return directory_[page].load(relaxed)[number - first_of(page)];
  }
  /// The slot with that number; null if there is no page for it. Requires: otherwise it has been
  /// made.
  [[nodiscard]] Slot* at(std::uint32_t number) const noexcept {
    const std::uint32_t page = page_of(number);
    // relaxed: as above
    const bool has_page = page < most_pages && directory_[page].load(relaxed) != nullptr;
    return has_page ? &(*this)[number] : nullptr;
  }
  /// Counts the slots: those with smaller numbers may be read. Other systems may be making more.
  [[nodiscard]] std::uint32_t made() const noexcept {
    return made_.load(acquire);  // pairs: slots.made
  }
  /// Counts the slots that are not used any more.
  [[nodiscard]] std::uint32_t retired() const noexcept {
    return retired_.load(relaxed);  // relaxed: statistic only
  }

private:
  static constexpr std::uint32_t unlimited = ~std::uint32_t{0};

  static constexpr std::uint32_t page_of(std::uint32_t number) noexcept {
    return static_cast<std::uint32_t>(std::bit_width(number / first_page));
  }
  static constexpr std::uint32_t first_of(std::uint32_t page) noexcept {
    return page == 0 ? 0 : first_page << (page - 1);
  }
  static constexpr std::uint32_t size_of(std::uint32_t page) noexcept {
    return page == 0 ? first_page : first_page << (page - 1);
  }

  Node* refill(cache& here) noexcept;
  [[nodiscard]] node_chain<Node> make_slots() noexcept;

  page_source* pages_;  // constant
  magazine_depot<Node> free_;
  // Written by: make_slots, confine_to. Read by: any. Publishes: nothing; `made_`, or the message
  // with the number does.
  std::array<port::atomic<Slot*>, most_pages> directory_;
  // Written by: make_slots. Read by: any. Publishes: the slots with smaller numbers.
  port::atomic<std::uint32_t> made_;
  // Written by: give_back. Read by: any. Publishes: nothing.
  port::atomic<std::uint32_t> retired_;
  [[no_unique_address]] port::mutex making_;
  // protected by making_
  std::uint32_t most_ = unlimited;  // slots, as long as there is memory
};

}  // namespace tactor::inline v0::internal
