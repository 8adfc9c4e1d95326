// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0::internal {

/// Spreads the bits of `value`: consecutive numbers become priorities in random order.
[[nodiscard]] constexpr std::uint64_t mixed_bits(std::uint64_t value) noexcept {
  std::uint64_t mixed = (value ^ (value >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EBU;
  return mixed ^ (mixed >> 31U);
}

/// An ordered tree whose shape is random: every operation takes O(log n), expected, without
/// recursion. The caller owns the nodes and nothing is allocated. All-zero is the empty tree.
/// Context: owner only; not thread-safe.
///
/// `Order` says what the nodes are: `left(node)` and `right(node)` are their links (references to
/// `Node*`), `comes_before(a, b)` is a strict total order, `priority(node)` a number that has
/// nothing to do with that order, such as `mixed_bits` of a key.
template <class Node, class Order>
class treap {
public:
  [[nodiscard]] bool empty() const noexcept { return root_ == nullptr; }
  [[nodiscard]] Node* root() const noexcept { return root_; }
  /// Returns: the first node in order, or null.
  [[nodiscard]] Node* first() const noexcept {
    Node* at = root_;
    while (at != nullptr && Order::left(*at) != nullptr)
      at = Order::left(*at);
    return at;
  }
  /// Returns: the first node for which `is` holds, or null. Requires: it holds for all nodes behind
  /// such a node.
  template <class Is>
  [[nodiscard]] Node* first_that(Is is) const noexcept {
    Node* found = nullptr;
    for (Node* at = root_; at != nullptr;) {
      if (is(*at)) found = at;
      at = found == at ? Order::left(*at) : Order::right(*at);
    }
    return found;
  }

  /// Returns: the first node, in order, for which `is_before` is not true, or null. Requires:
  /// `is_before` is true for all nodes up to one, and for none after it.
  template <class IsBefore>
  [[nodiscard]] Node* first_not(IsBefore is_before) const noexcept {
    Node* found = nullptr;
    for (Node* at = root_; at != nullptr;) {
      const bool is_left = is_before(*at);
      if (!is_left) found = at;
      at = is_left ? Order::right(*at) : Order::left(*at);
    }
    return found;
  }

  /// Requires: no node of this tree equals it.
  void insert(Node& fresh) noexcept {
    Node** at = &root_;
    while (*at != nullptr && Order::priority(**at) >= Order::priority(fresh))
      at = Order::comes_before(fresh, **at) ? &Order::left(**at) : &Order::right(**at);
    split(*at, fresh);
    *at = &fresh;
  }

  /// Requires: the node is in this tree.
  void erase(Node& node) noexcept {
    Node** at = &root_;
    while (*at != &node)
      at = Order::comes_before(node, **at) ? &Order::left(**at) : &Order::right(**at);
    *at = merged(Order::left(node), Order::right(node));
  }

private:
  /// Splits the subtree to the left and right of `fresh`.
  static void split(Node* from, Node& fresh) noexcept {
    Node** less = &Order::left(fresh);
    Node** more = &Order::right(fresh);
    while (from != nullptr) {
      Node** const side = Order::comes_before(*from, fresh) ? less : more;
      *side = from;
      Node*& next = side == less ? Order::right(*from) : Order::left(*from);
      (side == less ? less : more) = &next;
      from = next;
    }
    *less = nullptr;
    *more = nullptr;
  }

  static Node* merged(Node* a, Node* b) noexcept {
    Node* root = nullptr;
    Node** at = &root;
    while (a != nullptr && b != nullptr) {
      Node*& upper = Order::priority(*a) >= Order::priority(*b) ? a : b;
      *at = upper;
      at = &upper == &a ? &Order::right(*a) : &Order::left(*b);
      upper = *at;
    }
    *at = a != nullptr ? a : b;
    return root;
  }

  Node* root_ = nullptr;
};

/// A node of a `keyed_tree`: a number, for example of the watched tenancy, and the links.
struct keyed_node {
  std::uint64_t key = 0;
  keyed_node* left = nullptr;
  keyed_node* right = nullptr;
};

/// The order of a `keyed_tree`: by key.
struct key_order {
  static keyed_node*& left(keyed_node& of) noexcept { return of.left; }
  static keyed_node*& right(keyed_node& of) noexcept { return of.right; }
  static bool comes_before(const keyed_node& a, const keyed_node& b) noexcept {
    return a.key < b.key;
  }
  static std::uint64_t priority(const keyed_node& of) noexcept { return mixed_bits(of.key); }
};

/// Nodes by their key, each key once: what an actor watches, or its timers.
class keyed_tree : public treap<keyed_node, key_order> {
public:
  /// Returns: the node with the key, or null.
  [[nodiscard]] keyed_node* find(std::uint64_t key) const noexcept {
    keyed_node* at = root();
    while (at != nullptr && at->key != key)
      at = key < at->key ? at->left : at->right;
    return at;
  }
};

}  // namespace tactor::inline v0::internal
