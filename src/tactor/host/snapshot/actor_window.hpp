// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/system/actor_view.hpp"
#include "tactor/host/metrics/metrics_report.hpp"
#include "tactor/host/metrics/recent_incidents.hpp"
#include "tactor/host/snapshot/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tactor::inline v0::internal {

/// Knows of actors what is not in their views: the figures of their labels, and their restarts.
class actor_details {
public:
  /// Throws: std::bad_alloc. Requires: both outlive it.
  actor_details(const metrics_report& figures, const recent_incidents& past);

  /// Returns the figures of the label that the actor has; null below level `actor`, and if it has
  /// none yet.
  [[nodiscard]] const actor_report* figures_of(const actor_view& who) const noexcept;
  /// Returns the number of restarts; nothing: it is not known any more.
  [[nodiscard]] std::optional<std::uint32_t> restarts_of(const actor_view& who) const noexcept {
    return past_.restarts_of(who.who);
  }
  /// Returns how long handlers of that label ran, estimated from those that were measured.
  [[nodiscard]] static std::uint64_t busy_ns(const actor_report& of) noexcept;

private:
  const recent_incidents& past_;
  std::map<std::string_view, const actor_report*> by_label_;
};

/// The actors of one window of the sorted list of all that match. It keeps no more than the window
/// and what comes before it. Only the constructor allocates.
class actor_window final : public actor_visitor {
public:
  /// One actor of the list.
  struct row {
    actor_view seen;
    std::uint64_t rank = 0;  // more comes first; if it is the same, by path
  };

  /// Throws: std::bad_alloc. Requires: `details` outlives it.
  actor_window(const snapshot_query& wanted, const actor_details& details);

  bool visit(const actor_view& each) noexcept override;

  /// Sorts. Returns: the window.
  [[nodiscard]] std::span<const row> sorted() noexcept;
  /// Returns how many actors match, in the window or not.
  [[nodiscard]] std::size_t matching() const noexcept { return matching_; }

private:
  [[nodiscard]] bool matches(const actor_view& each) const noexcept;
  [[nodiscard]] std::uint64_t rank_of(const actor_view& each) const noexcept;

  snapshot_query wanted_;
  const actor_details& details_;
  std::size_t most_;
  std::vector<row> kept_;  // a heap: in front the row that comes last
  std::size_t matching_ = 0;
};

}  // namespace tactor::inline v0::internal
