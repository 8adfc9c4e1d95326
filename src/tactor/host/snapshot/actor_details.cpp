// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/snapshot/actor_details.hpp"

#include "tactor/host/metrics/actor_series.hpp"

#include <array>
#include <cstddef>

namespace tactor::inline v0::internal {

actor_details::actor_details(const metrics_report& figures, const recent_incidents& past)
    : past_(past) {
  if (figures.level < metrics_level::actor) return;
  for (const actor_report& each : figures.actors)
    by_label_.emplace(each.label, &each);
}

const actor_report* actor_details::figures_of(const actor_view& who) const noexcept {
  if (by_label_.empty()) return nullptr;
  std::array<char, actor_series::longest> label{};
  const std::size_t length = fold_path(who.path.view(), label.data(), label.size());
  const auto found = by_label_.find(std::string_view{label.data(), length});
  return found == by_label_.end() ? nullptr : found->second;
}

std::uint64_t actor_details::busy_ns(const actor_report& of) noexcept {
  const std::uint64_t measured = of.duration.size();
  if (measured == 0) return 0;
  const double mean_ns = static_cast<double>(of.duration.sum) / static_cast<double>(measured);
  return static_cast<std::uint64_t>(mean_ns * static_cast<double>(of.taken));
}

}  // namespace tactor::inline v0::internal
