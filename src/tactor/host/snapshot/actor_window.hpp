// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/system/actor_view.hpp"
#include "tactor/host/snapshot/snapshot.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace tactor::inline v0::internal {

/// The actors of one window of the sorted list of all that match. It keeps no more than the window and
/// what comes before it. Only the constructor allocates.
class actor_window final : public actor_visitor {
public:
  /// Throws: std::bad_alloc.
  explicit actor_window(const snapshot_query& wanted);

  bool visit(const actor_view& each) noexcept override;

  /// Sorts. Returns: the window.
  [[nodiscard]] std::span<const actor_view> sorted() noexcept;
  /// How many actors match, in the window or not.
  [[nodiscard]] std::size_t matching() const noexcept { return matching_; }

private:
  [[nodiscard]] bool matches(const actor_view& each) const noexcept;
  [[nodiscard]] bool comes_first(const actor_view& a, const actor_view& b) const noexcept;

  snapshot_query wanted_;
  std::size_t most_;
  std::vector<actor_view> kept_;  // a heap: in front the one that comes last
  std::size_t matching_ = 0;
};

}  // namespace tactor::inline v0::internal
