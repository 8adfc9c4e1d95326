// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/magazine.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::internal {

/// The free slots cached by one thread. Context: one thread.
using cell_cache = magazine_cache<ready_cell>;

/// All slots of the program, by number. Type-stable: slots come from pages that are never given
/// back, and are reused by later tenants.
///
/// Thread safety: every function from any thread, with a cache of its own.
class mailbox_registry {
public:
  /// The number of slots in the first page; each further page holds as many as all before it.
  static constexpr std::uint32_t first_page = port::sizes::first_slots;
  static constexpr std::uint32_t most_pages = port::sizes::slot_pages;

  /// Requires: `pages` outlives the registry.
  constexpr explicit mailbox_registry(page_source& pages) noexcept : pages_(&pages) {}
  mailbox_registry(const mailbox_registry&) = delete;
  mailbox_registry& operator=(const mailbox_registry&) = delete;
  ~mailbox_registry() = default;

  /// Limits the registry to `count` slots in the memory at `slots`; it takes no pages then.
  /// Requires: no slot has been made yet; the memory is all-zero, aligned for cells, stays for
  /// ever, and fits the page directory.
  void confine_to(cell* slots, std::size_t count) noexcept;

  /// Takes a free slot, and begins a tenancy there.
  /// Returns: null if there is no memory for one more.
  [[nodiscard]] cell* take(cell_cache& cache) noexcept {
    ready_cell* taken = cache.try_take();
    if (taken == nullptr) [[unlikely]]
      taken = refill(cache);
    if (taken == nullptr) return nullptr;
    cell& fresh = static_cast<cell&>(*taken);
    fresh.lifecycle.store(now(fresh).next_generation().bits,
                          relaxed);  // relaxed: published with the reference
    fresh.tenant = now(fresh).generation();
    return &fresh;
  }

  /// Ends the tenancy: from now on every reference to it is stale. The slot is not free yet.
  /// Context: the worker that runs the cell.
  void end_tenancy(cell& left) noexcept {
    lifecycle_word before = now(left);
    // Not a plain store: another thread may be making a request to the tenant.
    // no mutant: a request that comes too late reads nothing of the tenant; tried: model.cell
    // accepts it
    while (!left.lifecycle.compare_exchange(before.bits, before.next_generation().bits,
                                            acq_rel)) {  // pairs: cell.lifecycle
    }
  }

  /// Ends the tenancy `index`. Returns: false, and nothing changed, if it has ended already.
  bool end_tenancy(mailbox_index index) noexcept {
    cell* const left = index.generation % 2 == 0 ? nullptr : at(index.slot);
    return left != nullptr && left->request(index.generation, [](lifecycle_word was) {
      return was.next_generation();
    });
  }

  /// Frees the slot, unless its generations are used up: then it is retired.
  /// Requires: its tenancy has ended and no worker runs it.
  void give_back(cell_cache& cache, cell& left) noexcept {
    if (now(left).used_up()) [[unlikely]] {
      retired_.fetch_add(1, relaxed);  // relaxed: statistic only
      return;
    }
    if (!cache.try_put(left)) [[unlikely]]
      cache.put(left, free_);
  }

  /// The slot with that number, with any tenant or none; null if there is none. Requires: it has
  /// been made, or there is no page for it.
  [[nodiscard]] cell* at(std::uint32_t slot) const noexcept {
    const std::uint32_t page = page_of(slot);
    if (page >= most_pages) return nullptr;
    // relaxed: the number of a slot is passed on in order, by a reference, by a message or by
    // `made`
    cell* const first = directory_[page].load(relaxed);
    return first == nullptr ? nullptr : first + (slot - first_slot_of(page));
  }

  /// The cell that `index` names, or null if that tenancy is over. A hint: the mailbox decides.
  [[nodiscard]] cell* find(mailbox_index index) const noexcept {
    if (index.generation % 2 == 0) return nullptr;
    cell* const meant = at(index.slot);
    return meant != nullptr && meant->generation() == index.generation ? meant : nullptr;
  }

  /// Takes back everything a thread has cached: the thread ends.
  void give_back_all(cell_cache& cache) noexcept { cache.give_all_to(free_); }

  /// Counts the slots: those with smaller numbers may be read. Other systems may be making more.
  [[nodiscard]] std::uint32_t made() const noexcept {
    return made_.load(acquire);  // pairs: cell.made
  }
  [[nodiscard]] std::uint32_t retired() const noexcept {
    return retired_.load(relaxed);  // relaxed: statistic only
  }

private:
  static lifecycle_word now(const cell& of) noexcept {
    return {of.lifecycle.load(relaxed)};  // relaxed: the caller has the slot
  }
  static constexpr std::uint32_t page_of(std::uint32_t slot) noexcept {
    return static_cast<std::uint32_t>(std::bit_width(slot / first_page));
  }
  static constexpr std::uint32_t first_slot_of(std::uint32_t page) noexcept {
    return page == 0 ? 0 : first_page << (page - 1);
  }
  static constexpr std::uint32_t size_of(std::uint32_t page) noexcept {
    return page == 0 ? first_page : first_page << (page - 1);
  }

  ready_cell* refill(cell_cache& cache) noexcept;
  [[nodiscard]] node_chain<ready_cell> make_slots() noexcept;

  page_source* pages_;  // constant
  magazine_depot<ready_cell> free_;
  // Written by: make_slots, confine_to. Read by: any. Publishes: nothing; `made_` does.
  std::array<port::atomic<cell*>, most_pages> directory_;
  // Written by: make_slots. Read by: any. Publishes: the slots with smaller numbers.
  port::atomic<std::uint32_t> made_;
  // Written by: give_back. Read by: any. Publishes: nothing.
  port::atomic<std::uint32_t> retired_;
  [[no_unique_address]] port::mutex making_;
  // protected by making_
  std::uint32_t most_slots_ = 0;  // 0: as many as there is memory for
};

}  // namespace tactor::inline v0::internal
