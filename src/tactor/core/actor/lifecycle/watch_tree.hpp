// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0::internal {

/// A node of a `watch_tree`: the watched tenancy as one number, and the links.
struct watch_node {
  std::uint64_t key = 0;
  watch_node* left = nullptr;
  watch_node* right = nullptr;
};

/// The actors that an actor watches: a treap whose priorities are hashes of the keys. The caller
/// owns the nodes. All operations take O(log n) and allocate nothing. All-zero is the empty tree.
class watch_tree {
public:
  [[nodiscard]] bool empty() const noexcept { return root_ == nullptr; }
  [[nodiscard]] watch_node* any() const noexcept { return root_; }

  /// The node with the key, or null.
  [[nodiscard]] watch_node* find(std::uint64_t key) const noexcept {
    watch_node* at = root_;
    while (at != nullptr && at->key != key)
      at = key < at->key ? at->left : at->right;
    return at;
  }

  /// Requires: no node has that key.
  void insert(watch_node& fresh) noexcept {
    watch_node** at = &root_;
    while (*at != nullptr && priority(**at) >= priority(fresh))
      at = fresh.key < (*at)->key ? &(*at)->left : &(*at)->right;
    split(*at, fresh);
    *at = &fresh;
  }

  /// Requires: the node is in this tree.
  void erase(const watch_node& node) noexcept {
    watch_node** at = &root_;
    while (*at != &node)
      at = node.key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = merged(node.left, node.right);
  }

private:
  static std::uint64_t priority(const watch_node& of) noexcept {
    std::uint64_t mixed = (of.key ^ (of.key >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EBU;
    return mixed ^ (mixed >> 31U);
  }

  /// Splits the subtree to the left and right of `fresh`.
  static void split(watch_node* from, watch_node& fresh) noexcept {
    watch_node** less = &fresh.left;
    watch_node** more = &fresh.right;
    while (from != nullptr) {
      if (from->key < fresh.key) {
        *less = from;
        less = &from->right;
        from = from->right;
      } else {
        *more = from;
        more = &from->left;
        from = from->left;
      }
    }
    *less = nullptr;
    *more = nullptr;
  }

  static watch_node* merged(watch_node* a, watch_node* b) noexcept {
    watch_node* root = nullptr;
    watch_node** at = &root;
    while (a != nullptr && b != nullptr) {
      watch_node*& upper = priority(*a) >= priority(*b) ? a : b;
      *at = upper;
      at = &upper == &a ? &a->right : &b->left;
      upper = *at;
    }
    *at = a != nullptr ? a : b;
    return root;
  }

  watch_node* root_ = nullptr;
};

}  // namespace tactor::inline v0::internal
