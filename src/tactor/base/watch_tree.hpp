// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/treap.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

/// A node of a `watch_tree`: a number, for example of the watched tenancy, and the links.
struct watch_node {
  std::uint64_t key = 0;
  watch_node* left = nullptr;
  watch_node* right = nullptr;
};

/// The order of a `watch_tree`: by key.
struct watch_order {
  static watch_node*& left(watch_node& of) noexcept { return of.left; }
  static watch_node*& right(watch_node& of) noexcept { return of.right; }
  static bool comes_before(const watch_node& a, const watch_node& b) noexcept {
    return a.key < b.key;
  }
  static std::uint64_t priority(const watch_node& of) noexcept { return mixed_bits(of.key); }
};

/// Nodes by their key, each key once: what an actor watches, or its timers.
class watch_tree : public treap<watch_node, watch_order> {
public:
  /// The node with the key, or null.
  [[nodiscard]] watch_node* find(std::uint64_t key) const noexcept {
    watch_node* at = root();
    while (at != nullptr && at->key != key)
      at = key < at->key ? at->left : at->right;
    return at;
  }
};

}  // namespace tactor::inline v0::internal
