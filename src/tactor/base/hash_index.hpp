// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0::internal {

/// Finds nodes by a hash: chains of nodes behind a table of `First` chains, which grows while there
/// is memory; without, the chains become longer. The owner of the index owns the nodes. All-zero is
/// the empty index. Context: owner only; not thread-safe.
///
/// `Order` says what the nodes are: `next(node)` is their link (a reference to `Node*`), and
/// `hash(node)` a number that stays the same while the node is in the index.
template <class Node, class Order, std::size_t First>
class hash_index {
  static_assert((First & (First - 1)) == 0);

public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Returns: the first node with this hash for which `matches(node)` holds, or null.
  template <class Matches>
  [[nodiscard]] Node* find(std::uint32_t hash, Matches matches) const noexcept {
    Node* each = chain(hash & (chain_count() - 1));
    while (each != nullptr && !(Order::hash(*each) == hash && matches(*each)))
      each = Order::next(*each);
    return each;
  }

  /// Adds a node. If the chains are long, it takes a larger table from `memory`, a `block_source`
  /// or a `page_source`. What a page source gave is not given back; all such tables together are
  /// smaller than the last. Requires: the index uses one source only.
  template <class Memory>
  void insert(Node& node, Memory& memory) noexcept {
    if (size_ >= 2 * chain_count()) grow(memory);
    link(chain_of(node), node);
    ++size_;
  }
  /// Requires: the node is in this index.
  void erase(Node& node) noexcept {
    Node** at = &chain_of(node);
    while (*at != &node)
      at = &Order::next(**at);
    *at = Order::next(node);
    --size_;
  }
  /// Gives the memory of the table back; the nodes are no longer in the index.
  template <class Memory>
  void release(Memory& memory) noexcept {
    give_back(larger_, larger_count_, memory);
    *this = {};
  }

  // The chains, for visits.
  [[nodiscard]] std::size_t chain_count() const noexcept {
    return larger_ == nullptr ? First : larger_count_;
  }
  [[nodiscard]] Node* chain(std::size_t which) const noexcept {
    return larger_ == nullptr ? first_[which] : larger_[which];
  }

private:
  static constexpr std::size_t growth = 4;

  [[nodiscard]] Node*& chain_of(const Node& node) noexcept {
    const std::size_t which = Order::hash(node) & (chain_count() - 1);
    return larger_ == nullptr ? first_[which] : larger_[which];
  }
  static void link(Node*& chain, Node& node) noexcept {
    Order::next(node) = chain;
    chain = &node;
  }
  template <class Memory>
  void grow(Memory& memory) noexcept {
    const std::size_t before = chain_count();
    const std::size_t after = growth * before;
    auto** const table =
        static_cast<Node**>(memory.allocate(after * sizeof(Node*), alignof(Node*)));
    if (table == nullptr) return;
    for (std::size_t i = 0; i < after; ++i)
      table[i] = nullptr;
    for (std::size_t i = 0; i < before; ++i) {
      for (Node* each = chain(i); each != nullptr;) {
        Node* const next = Order::next(*each);
        link(table[Order::hash(*each) & (after - 1)], *each);
        each = next;
      }
    }
    give_back(larger_, before, memory);
    larger_ = table;
    larger_count_ = after;
  }
  template <class Memory>
  static void give_back(Node** table, std::size_t count, Memory& memory) noexcept {
    if constexpr (requires { memory.release(table, count, count); })
      if (table != nullptr) memory.release(table, count * sizeof(Node*), alignof(Node*));
  }

  Node* first_[First] = {};  // while there is no larger table
  Node** larger_ = nullptr;
  std::size_t larger_count_ = 0;
  std::size_t size_ = 0;
};

}  // namespace tactor::inline v0::internal
