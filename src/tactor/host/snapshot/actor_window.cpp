// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/snapshot/actor_window.hpp"

#include "tactor/host/metrics/actor_series.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace tactor::inline v0::internal {
namespace {

bool comes_first(const actor_window::row& a, const actor_window::row& b) noexcept {
  return a.rank != b.rank ? a.rank > b.rank : a.seen.path.view() < b.seen.path.view();
}

}  // namespace

actor_window::actor_window(const snapshot_query& wanted, const actor_details& details)
    : wanted_(wanted),
      details_(details),
      most_(std::min(wanted.offset, snapshot_query::most_offset) +
            std::min(wanted.limit, snapshot_query::most)) {
  kept_.reserve(most_ + 1);
}

bool actor_window::matches(const actor_view& each) const noexcept {
  if (!wanted_.state.empty() && each.state != wanted_.state) return false;
  const std::string_view path = each.path.view();
  if (wanted_.part != snapshot_part::tree) return path.contains(wanted_.path);
  if (!path.starts_with(wanted_.path)) return false;
  const std::string_view rest = path.substr(wanted_.path.size());
  if (!wanted_.path.empty() && !rest.empty() && rest.front() != '/') return false;
  return wanted_.depth == 0 || std::ranges::count(rest, '/') <= std::ptrdiff_t(wanted_.depth);
}

std::uint64_t actor_window::rank_of(const actor_view& each) const noexcept {
  constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  const actor_report* its = nullptr;
  switch (wanted_.order) {
  case actor_order::path:
    return 0;
  case actor_order::waiting:
    return each.waiting.value_or(0);
  case actor_order::oldest:
    return each.oldest_ns.value_or(0);
  case actor_order::suspended:
    return never - each.suspended_ns.value_or(never);
  case actor_order::restarts:
    return details_.restarts_of(each).value_or(0);
  case actor_order::handled:
    its = details_.figures_of(each);
    return its == nullptr ? 0 : its->taken;
  case actor_order::busy:
    its = details_.figures_of(each);
    return its == nullptr ? 0 : actor_details::busy_ns(*its);
  }
  return 0;
}

bool actor_window::visit(const actor_view& each) noexcept {
  if (!matches(each)) return true;
  ++matching_;
  const row fresh{.seen = each, .rank = rank_of(each)};
  if (kept_.size() == most_ && (most_ == 0 || !comes_first(fresh, kept_.front()))) return true;
  kept_.push_back(fresh);
  std::push_heap(kept_.begin(), kept_.end(), comes_first);
  if (kept_.size() > most_) {
    std::pop_heap(kept_.begin(), kept_.end(), comes_first);
    kept_.pop_back();
  }
  return true;
}

std::span<const actor_window::row> actor_window::sorted() noexcept {
  std::sort_heap(kept_.begin(), kept_.end(), comes_first);
  const std::size_t before = std::min({wanted_.offset, snapshot_query::most_offset, kept_.size()});
  return std::span{kept_}.subspan(before);
}

actor_details::actor_details(const metrics_report& figures, const recent_incidents& past)
    : past_(past) {
  if (figures.level < metrics_level::actor) return;
  for (const actor_report& each : figures.actors)
    by_label_.emplace(each.label, &each);
}

const actor_report* actor_details::figures_of(const actor_view& who) const noexcept {
  if (by_label_.empty()) return nullptr;
  const auto found = by_label_.find(actor_label{who.path.view()}.view());
  return found == by_label_.end() ? nullptr : found->second;
}

std::uint64_t actor_details::busy_ns(const actor_report& of) noexcept {
  const std::uint64_t measured = of.duration.size();
  if (measured == 0) return 0;
  const double mean_ns = static_cast<double>(of.duration.sum) / static_cast<double>(measured);
  return static_cast<std::uint64_t>(mean_ns * static_cast<double>(of.taken));
}

}  // namespace tactor::inline v0::internal
