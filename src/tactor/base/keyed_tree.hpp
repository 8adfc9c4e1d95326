// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/treap.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

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
  /// The node with the key, or null.
  [[nodiscard]] keyed_node* find(std::uint64_t key) const noexcept {
    keyed_node* at = root();
    while (at != nullptr && at->key != key)
      at = key < at->key ? at->left : at->right;
    return at;
  }
};

}  // namespace tactor::inline v0::internal
