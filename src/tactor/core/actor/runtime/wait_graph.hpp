// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/actor_ref_base.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/message/page_source.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::internal {

/// A mailbox that an actor waits for.
struct wait_edge {
  wait_edge* next = nullptr;  // the actor's next
  wait_edge* previous = nullptr;
  cell* to = nullptr;
  std::uint32_t generation = 0;
};

/// An actor that waits for capacity in at least one mailbox.
struct wait_node {
  cell* who = nullptr;
  std::uint32_t generation = 0;
  wait_edge* first = nullptr;

  // Of the search.
  wait_node* next_in_chain = nullptr;
  wait_node* next_to_visit = nullptr;
  wait_node* reached_from = nullptr;
  std::uint32_t visited_in = 0;
};

/// Actors that wait for each other: each for the mailbox of the next, the last for that of the first.
struct wait_circle {
  static constexpr std::size_t most = 8;

  std::array<actor_ref<>, most> actors{};
  std::uint32_t size = 0;  // may be more than `most`
};

/// Which actors wait for capacity in which mailboxes. It refuses a wait that would close a circle, in
/// which no mailbox would ever have capacity. A search visits the actors that the receiver waits for,
/// directly or not. All-zero but for the pages: nothing waits.
///
/// Thread safety: every function from any thread; one lock.
///
/// inv 1  The edges form no circle.
class wait_graph {
public:
  /// Requires: `pages` outlives it.
  constexpr explicit wait_graph(page_source& pages) noexcept : pages_(&pages) {}
  wait_graph(const wait_graph&) = delete;
  wait_graph& operator=(const wait_graph&) = delete;
  ~wait_graph() = default;

  /// `from` waits for `what`, too. Returns: false, and nothing changed, if that would close a circle,
  /// which is then in `found`. Requires: both stay until `remove`.
  [[nodiscard]] bool add(wait_node& from, wait_edge& what, wait_circle& found) noexcept;
  /// `from` waits for `what` no longer.
  void remove(wait_node& from, wait_edge& what) noexcept;

private:
  [[nodiscard]] wait_node*& chain_of(const cell& c) noexcept {
    return table_ == nullptr ? only_chain_ : table_[c.slot & last_];
  }
  [[nodiscard]] wait_node* find(const cell& c, std::uint32_t generation) noexcept;
  [[nodiscard]] wait_node* search(const wait_node& from, const wait_edge& what) noexcept;
  static void describe(const wait_node& from, const wait_node* last, wait_circle& found) noexcept;
  void insert(wait_node& node) noexcept;
  void erase(wait_node& node) noexcept;
  void grow() noexcept;

  page_source* pages_;  // constant
  port::mutex mutex_;
  // protected by mutex_
  wait_node* only_chain_ = nullptr;  // while there is no table
  wait_node** table_ = nullptr;      // `last_ + 1` of them, a power of two
  std::uint32_t last_ = 0;
  std::uint32_t nodes_ = 0;
  std::uint32_t searches_ = 0;
};

}  // namespace tactor::inline v0::internal
