// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/snapshot/actor_window.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tactor::inline v0::internal {

actor_window::actor_window(const snapshot_query& wanted)
    : wanted_(wanted),
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
  return wanted_.path.empty() || rest.empty() || rest.front() == '/';
}

bool actor_window::comes_first(const actor_view& a, const actor_view& b) const noexcept {
  constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  if (wanted_.order == actor_order::waiting && a.waiting.value_or(0) != b.waiting.value_or(0))
    return a.waiting.value_or(0) > b.waiting.value_or(0);
  if (wanted_.order == actor_order::suspended &&
      a.suspended_ns.value_or(never) != b.suspended_ns.value_or(never))
    return a.suspended_ns.value_or(never) < b.suspended_ns.value_or(never);
  return a.path.view() < b.path.view();
}

bool actor_window::visit(const actor_view& each) noexcept {
  if (!matches(each)) return true;
  ++matching_;
  const auto first = [this](const actor_view& a, const actor_view& b) { return comes_first(a, b); };
  if (kept_.size() == most_ && (most_ == 0 || !comes_first(each, kept_.front()))) return true;
  kept_.push_back(each);
  std::push_heap(kept_.begin(), kept_.end(), first);
  if (kept_.size() > most_) {
    std::pop_heap(kept_.begin(), kept_.end(), first);
    kept_.pop_back();
  }
  return true;
}

std::span<const actor_view> actor_window::sorted() noexcept {
  std::sort_heap(kept_.begin(), kept_.end(),
                 [this](const actor_view& a, const actor_view& b) { return comes_first(a, b); });
  const std::size_t before = std::min({wanted_.offset, snapshot_query::most_offset, kept_.size()});
  return std::span{kept_}.subspan(before);
}

}  // namespace tactor::inline v0::internal
