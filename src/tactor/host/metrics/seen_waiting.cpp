// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/metrics/seen_waiting.hpp"

#include "tactor/core/system/system_core.hpp"

#include <algorithm>
#include <new>

namespace tactor::inline v0::internal {
namespace {

/// Completes what it is shown, and shows it to another visitor.
class completed final : public actor_visitor {
public:
  completed(seen_waiting& by, actor_visitor& to, std::uint64_t now_ns) noexcept
      : by_(by), to_(to), now_ns_(now_ns), visit_(by.begin()) {}

  bool visit(const actor_view& each) noexcept override {
    actor_view seen = each;
    by_.complete(seen, now_ns_, visit_);
    wants_more_ = to_.visit(seen);
    return wants_more_;
  }
  /// Called when the visit is over.
  void end() noexcept {
    if (wants_more_) by_.end(visit_);  // otherwise it has not shown all
  }

private:
  seen_waiting& by_;
  actor_visitor& to_;
  std::uint64_t now_ns_;
  std::uint64_t visit_;
  bool wants_more_ = true;
};

}  // namespace

void seen_waiting::visit(system_core& of, actor_visitor& to) noexcept {
  completed all{*this, to, of.now_ns()};
  of.visit_actors(all);
  all.end();
}

void seen_waiting::complete(actor_view& seen, std::uint64_t now_ns, std::uint64_t visit) noexcept {
  const bool stays = seen.suspended_ns && seen.waiting.value_or(0) != 0 && !seen.drops_oldest;
  if (!stays) return;
  const std::uint64_t key = std::uint64_t{seen.who.slot} << 32U | seen.who.generation;
  const std::scoped_lock lock{mutex_};
  try {
    auto known = entries_.find(key);
    if (known == entries_.end()) {
      if (entries_.size() >= most) return;
      known = entries_.emplace(key, entry{}).first;
    }
    entry& its = known->second;
    if (its.suspended_ns != *seen.suspended_ns || its.seen_ns == 0)
      its = {.suspended_ns = *seen.suspended_ns, .seen_ns = now_ns};
    its.visit = std::max(its.visit, visit);
    const std::uint64_t age_ns = now_ns > its.seen_ns ? now_ns - its.seen_ns : 0;
    seen.oldest_ns = std::max(seen.oldest_ns.value_or(0), age_ns);
  } catch (const std::bad_alloc&) {
    return;  // not known
  }
}

std::uint64_t seen_waiting::begin() noexcept {
  const std::scoped_lock lock{mutex_};
  return ++visits_;
}

void seen_waiting::end(std::uint64_t visit) noexcept {
  const std::scoped_lock lock{mutex_};
  std::erase_if(entries_, [visit](const auto& each) { return each.second.visit < visit; });
}

}  // namespace tactor::inline v0::internal
