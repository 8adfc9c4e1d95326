// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/metrics/metrics_history.hpp"

#include "tactor/core/observe/log_histogram.hpp"
#include "tactor/core/observe/metrics_level.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

/// Not below zero: at level `off` all figures are zero.
std::uint64_t growth(std::uint64_t before, std::uint64_t after) noexcept {
  return after > before ? after - before : 0;
}

histogram_counts growth(const histogram_counts& before, const histogram_counts& after) noexcept {
  histogram_counts grown;
  for (std::size_t i = 0; i < grown.in_bucket.size(); ++i)
    grown.in_bucket[i] = growth(before.in_bucket[i], after.in_bucket[i]);
  grown.sum = growth(before.sum, after.sum);
  return grown;
}

/// Says how long all workers together were busy, and how long they lived.
struct worker_sums {
  std::uint64_t busy_ns = 0;
  std::uint64_t all_ns = 0;
};
worker_sums sum_of(const std::vector<worker_report>& workers) noexcept {
  worker_sums sums;
  for (const worker_report& each : workers) {
    sums.busy_ns += each.busy_ns;
    sums.all_ns += each.busy_ns + each.idle_ns;
  }
  return sums;
}

double busy_between(const metrics_report& before, const metrics_report& after) noexcept {
  const worker_sums was = sum_of(before.workers);
  const worker_sums is = sum_of(after.workers);
  const std::uint64_t all_ns = growth(was.all_ns, is.all_ns);
  if (all_ns == 0) return 0;
  const double ratio =
      static_cast<double>(growth(was.busy_ns, is.busy_ns)) / static_cast<double>(all_ns);
  return std::min(ratio, 1.0);
}

}  // namespace

metrics_point point_between(const metrics_report& before, const metrics_report& after) noexcept {
  const histogram_counts latency = growth(before.latency, after.latency);
  const histogram_counts duration = growth(before.invoke_duration, after.invoke_duration);
  return {.time_ns = after.time_ns,
          .length_ns = growth(before.time_ns, after.time_ns),
          .messages_sent = growth(before.sums.messages_sent, after.sums.messages_sent),
          .messages_handled = growth(before.sums.messages_handled, after.sums.messages_handled),
          .dead_letters = growth(before.sums.all_dead_letters(), after.sums.all_dead_letters()),
          .failures = growth(before.sums.failures, after.sums.failures),
          .restarts = growth(before.sums.restarts, after.sums.restarts),
          .actors_alive = after.sums.actors_alive(),
          .ready_queue_depth = after.sums.ready_queue_depth,
          .latency_p50_ns = latency.quantile(500),
          .latency_p99_ns = latency.quantile(990),
          .duration_p99_ns = duration.quantile(990),
          .busy_ratio = busy_between(before, after)};
}

void metrics_history::poll(std::uint64_t now_ns,
                           const std::function<metrics_report()>& make) noexcept {
  try {
    {
      const std::scoped_lock lock{mutex_};
      if (last_ && now_ns - last_->time_ns < step_ns) return;
    }
    auto fresh = std::make_unique<metrics_report>(make());
    if (fresh->level == metrics_level::off) return;
    const std::scoped_lock calling{sending_};
    if (sink_ != nullptr) sink_->take(*fresh);
    const std::scoped_lock lock{mutex_};
    if (last_) {
      const metrics_point point = point_between(*last_, *fresh);
      if (ring_.size() < most_points) {
        ring_.push_back(point);
      } else {
        ring_[oldest_] = point;
        oldest_ = (oldest_ + 1) % most_points;
      }
    }
    fresh->actors.clear();  // points have none
    fresh->actors.shrink_to_fit();
    if (!newer_ || fresh->time_ns - newer_->time_ns >= kept_every_ns)
      older_ = std::exchange(newer_, std::make_unique<metrics_report>(*fresh));
    last_ = std::move(fresh);
  } catch (const std::bad_alloc&) {
    return;  // this point is missing
  }
}

std::optional<metrics_report> metrics_history::some_time_ago(std::uint64_t now_ns) const {
  const std::scoped_lock lock{mutex_};
  for (const auto* each : {&last_, &newer_, &older_})
    if (*each && now_ns - (*each)->time_ns >= kept_every_ns) return **each;
  return std::nullopt;
}

void metrics_history::send_to(metrics_sink* to) noexcept {
  const std::scoped_lock calling{sending_};
  sink_ = to;
}

recorded_metrics metrics_history::recorded() const {
  const std::scoped_lock lock{mutex_};
  recorded_metrics all;
  all.points.reserve(ring_.size());
  for (std::size_t i = 0; i < ring_.size(); ++i)
    all.points.push_back(ring_[(oldest_ + i) % ring_.size()]);
  if (last_) all.sums = last_->sums;
  return all;
}

}  // namespace tactor::inline v0::internal
