// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/system/actor_view.hpp"
#include "tactor/host/metrics/metrics_report.hpp"
#include "tactor/host/metrics/recent_incidents.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace tactor::inline v0::internal {

/// What is known of actors besides their views: the figures of their labels, and their restarts.
class actor_details {
public:
  /// Throws: std::bad_alloc. Requires: both outlive it.
  actor_details(const metrics_report& figures, const recent_incidents& past);

  /// The figures of the label that the actor has; null below level `actor`, and if it has none yet.
  [[nodiscard]] const actor_report* figures_of(const actor_view& who) const noexcept;
  /// Nothing: not known any more.
  [[nodiscard]] std::optional<std::uint32_t> restarts_of(const actor_view& who) const noexcept {
    return past_.restarts_of(who.who);
  }
  /// How long handlers of that label ran, estimated from those that were measured.
  [[nodiscard]] static std::uint64_t busy_ns(const actor_report& of) noexcept;

private:
  const recent_incidents& past_;
  std::map<std::string_view, const actor_report*> by_label_;
};

}  // namespace tactor::inline v0::internal
