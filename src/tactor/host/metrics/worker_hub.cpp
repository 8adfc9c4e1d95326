// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/metrics/worker_hub.hpp"

#include "tactor/core/cell/suspend_reasons.hpp"
#include "tactor/core/system/actor_view.hpp"
#include "tactor/core/system/system_core.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactor::inline v0::internal {
namespace {

void add_figures(actor_figures::figures& sums, const actor_figures::figures& more) noexcept {
  sums.taken += more.taken;
  sums.duration += more.duration;
  sums.latency += more.latency;
}
std::string text_of(suspend_reasons reasons) {
  std::string text;
  for (; !reasons.empty(); reasons.remove_first())
    text.append(text.empty() ? "" : ",").append(to_text(reasons.first()));
  return text;
}

/// Adds what `make` returns, whose rank is `value`, unless 100 entries with a lower rank are kept
/// already.
template <class Entry, class Rank, class Make>
void keep_lowest(std::vector<Entry>& kept, Rank rank, std::uint64_t value, Make make) noexcept {
  constexpr std::size_t most = 100;
  const auto highest = std::ranges::max_element(kept, {}, rank);
  const bool fits = kept.size() < most;
  if (!fits && rank(*highest) <= value) return;
  try {
    Entry fresh = make();
    if (fits) {
      kept.push_back(std::move(fresh));
    } else {
      *highest = std::move(fresh);
    }
  } catch (const std::bad_alloc&) {
    return;  // the others are known
  }
}

/// Adds up what waits, by label, as far as it is known of all its actors, and collects actors that
/// are suspended, or have an old message. Labels that are not known are left out.
class actor_sums final : public actor_visitor {
public:
  explicit actor_sums(metrics_report& to) : suspended_(to.suspended_actors), waiting_(to.backlogs) {
    for (actor_report& each : to.actors)
      by_label_.emplace(each.label, &each.waiting);
  }
  bool visit(const actor_view& each) noexcept override {
    if (each.suspended_ns) add_suspended(each, *each.suspended_ns);
    if (each.oldest_ns) add_waiting(each, *each.oldest_ns);
    if (each.waiting == 0) return true;  // most of many actors have nothing
    auto found = by_label_.find(actor_label{each.path.view()}.view());
    if (found == by_label_.end()) found = by_label_.find(actor_series::other);
    if (found == by_label_.end()) return true;
    std::optional<std::uint64_t>& sum = *found->second;
    sum = sum && each.waiting ? std::optional{*sum + *each.waiting} : std::nullopt;
    return true;
  }

private:
  void add_suspended(const actor_view& each, std::uint64_t since_ns) noexcept {
    const auto rank = [](const suspended_actor& of) { return of.since_ns; };
    keep_lowest(suspended_, rank, since_ns, [&] {
      return suspended_actor{.path = std::string{each.path.view()},
                             .reasons = text_of(each.reasons),
                             .since_ns = since_ns};
    });
  }
  void add_waiting(const actor_view& each, std::uint64_t oldest_ns) noexcept {
    const auto rank = [](const actor_backlog& of) { return ~of.oldest_ns; };
    keep_lowest(waiting_, rank, ~oldest_ns, [&] {
      return actor_backlog{.path = std::string{each.path.view()}, .oldest_ns = oldest_ns};
    });
  }

  std::map<std::string_view, std::optional<std::uint64_t>*> by_label_;
  std::vector<suspended_actor>& suspended_;
  std::vector<actor_backlog>& waiting_;
};

bool has_nothing(const actor_figures::figures& of) noexcept {
  return of.taken == 0 && of.latency.size() == 0 && of.duration.size() == 0;
}

}  // namespace

void worker_hub::all_times::add(const turn_times& times) noexcept {
  times.duration.add_to(duration);
  times.latency.add_to(latency);
  times.suspended.add_to(suspended);
  times.resume_latency.add_to(resume_latency);
}

event_text number_text(mailbox_index who) noexcept {
  event_text number{"$"};
  number.append_number(who.slot);
  number.append(".");
  number.append_number(who.generation);
  return number;
}

void add_actors(metrics_report& to, system_core& system) {
  actor_sums sums{to};
  visit_actors(system, sums);
}

void worker_hub::attach(worker_figures& fresh, std::uint64_t now_ns) {
  const std::scoped_lock lock{mutex_};
  fresh.started_ns = now_ns;
  workers_.push_back(fresh);
}

actor_series* worker_hub::series() noexcept {
  const std::scoped_lock lock{mutex_};
  try {
    if (series_ == nullptr) series_ = std::make_unique<actor_series>();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return series_.get();
}

void worker_hub::detach(worker_figures& ended) noexcept {
  const std::scoped_lock lock{mutex_};
  workers_.erase(ended);
  ended_.add(ended.times);  // keeps inv 1
  try {
    for_each_label([&](std::uint32_t number, std::string_view) {
      actor_figures::figures its;
      ended.of_actors.add_to(number, its);
      if (!has_nothing(its)) add_figures(ended_actors_[number], its);
    });
  } catch (const std::bad_alloc&) {
    return;  // the sums over all actors are complete
  }
}

void worker_hub::add_to(metrics_report& to, std::uint64_t now_ns) const {
  const std::scoped_lock lock{mutex_};
  all_times all = ended_;
  for (const worker_figures* each = workers_.front(); each != nullptr;
       each = workers_.next(*each)) {
    all.add(each->times);
    const std::uint64_t lived_ns = now_ns > each->started_ns ? now_ns - each->started_ns : 0;
    const std::uint64_t idle_ns = std::min(lived_ns, each->idle_until(now_ns));
    to.workers.push_back({.name = each->name, .busy_ns = lived_ns - idle_ns, .idle_ns = idle_ns});
  }
  to.invoke_duration = all.duration;
  to.latency = all.latency;
  to.suspended = all.suspended;
  to.resume_latency = all.resume_latency;
  to.labels_left_out = series_ == nullptr ? 0 : series_->left_out();
  for_each_label([&](std::uint32_t number, std::string_view label) {
    actor_figures::figures its;
    if (const auto found = ended_actors_.find(number); found != ended_actors_.end())
      its = found->second;
    for (const worker_figures* each = workers_.front(); each != nullptr;
         each = workers_.next(*each))
      each->of_actors.add_to(number, its);
    if (has_nothing(its)) return;
    to.actors.push_back({.label = std::string{label},
                         .taken = its.taken,
                         .duration = its.duration,
                         .latency = its.latency});
  });
}

}  // namespace tactor::inline v0::internal
