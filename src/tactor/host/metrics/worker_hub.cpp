// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/metrics/worker_hub.hpp"

#include "tactor/core/system/system_core.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

void add_figures(actor_figures::figures& sums, const actor_figures::figures& more) noexcept {
  sums.taken += more.taken;
  sums.duration += more.duration;
  sums.latency += more.latency;
}
/// Adds up what is known to wait, by label. Labels that are not known are left out.
class waiting_by_label final : public actor_visitor {
public:
  explicit waiting_by_label(metrics_report& to) {
    for (actor_report& each : to.actors)
      by_label_.emplace(each.label, &each.waiting);
  }
  bool visit(const actor_view& each) noexcept override {
    if (!each.waiting) return true;
    std::array<char, actor_series::longest> label{};
    const std::size_t length = fold_path(each.path.view(), label.data(), label.size());
    auto found = by_label_.find(std::string_view{label.data(), length});
    if (found == by_label_.end()) found = by_label_.find(actor_series::other);
    if (found != by_label_.end()) *found->second += *each.waiting;
    return true;
  }

private:
  std::map<std::string_view, std::uint64_t*> by_label_;
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

void add_waiting(metrics_report& to, system_core& system) {
  waiting_by_label counts{to};
  system.visit_actors(counts);
}

void worker_hub::attach(worker_figures& fresh, std::uint64_t now_ns) {
  const std::scoped_lock lock{mutex_};
  fresh.started_ns = now_ns;
  workers_.push_back(fresh);
}

actor_labels* worker_hub::labels() noexcept {
  const std::scoped_lock lock{mutex_};
  try {
    if (labels_ == nullptr) labels_ = std::make_unique<actor_labels>();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return labels_.get();
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
  to.labels_left_out = labels_ == nullptr ? 0 : labels_->series.left_out();
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
