// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace tactor::inline v0::internal {

/// Which actors belong to the traced subtree, as far as that was asked. Its memory is bounded: it
/// forgets all of them when there would be too many, and asks again.
///
/// Context: one owner.
class known_members {
public:
  /// How many it remembers.
  static constexpr std::size_t most = 4096;

  /// Whether the actor is a member; `ask()` says so if that is not known. Throws: std::bad_alloc,
  /// and what `ask` throws.
  template <class Ask>
  [[nodiscard]] bool contains(std::uint64_t actor, Ask ask) {
    if (const auto found = known_.find(actor); found != known_.end()) return found->second;
    if (known_.size() == most) known_.clear();
    return known_.emplace(actor, ask()).first->second;
  }
  [[nodiscard]] std::size_t size() const noexcept { return known_.size(); }

private:
  std::unordered_map<std::uint64_t, bool> known_;
};

}  // namespace tactor::inline v0::internal
