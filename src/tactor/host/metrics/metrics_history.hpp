// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/host/metrics/metrics_report.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace tactor::inline v0 {

/// The figures of about one second. Sums are those of that time, not since the start.
struct metrics_point {
  std::uint64_t time_ns = 0;  // the end, of the system's clock
  std::uint64_t length_ns = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_handled = 0;
  std::uint64_t dead_letters = 0;
  std::uint64_t failures = 0;
  std::uint64_t restarts = 0;
  std::uint64_t actors_alive = 0;       // at the end
  std::uint64_t ready_queue_depth = 0;  // at the end
  std::uint64_t latency_p50_ns = 0;     // 0: none was measured
  std::uint64_t latency_p99_ns = 0;
  std::uint64_t duration_p99_ns = 0;
  double busy_ratio = 0;  // of all workers

  friend bool operator==(const metrics_point&, const metrics_point&) noexcept = default;
};

/// The points that were recorded, the oldest first.
struct recorded_metrics {
  std::vector<metrics_point> points = {};
  metrics_snapshot sums = {};  // at the end of the newest point
};

/// Takes reports from time to time: to write them to a file, or to send them. Context: the thread
/// `tactor-report`, which reports warnings, too: it must not wait for long.
class metrics_sink {
public:
  /// Takes a report, which is valid during the call only.
  virtual void take(const metrics_report& figures) noexcept = 0;

protected:
  ~metrics_sink() = default;
};

namespace internal {

/// Returns what happened between two reports. Requires: `after` is the later one.
[[nodiscard]] metrics_point point_between(const metrics_report& before,
                                          const metrics_report& after) noexcept;

/// Records the last quarter of an hour, and gives each report to a sink.
///
/// Thread safety: everything from any thread; the sink is called by the thread that polls.
class metrics_history {
public:
  static constexpr std::size_t most_points = 900;
  static constexpr std::uint64_t step_ns = 1'000'000'000;
  static constexpr std::uint64_t kept_every_ns = 10'000'000'000;  // for `some_time_ago`

  /// Records if a step has passed since the last point, with a report made by `make`, unless
  /// nothing is measured. Does nothing without memory.
  void poll(std::uint64_t now_ns, const std::function<metrics_report()>& make) noexcept;
  /// From now on `to` gets each report; null: none. Returns when the last one is not called any
  /// more.
  void send_to(metrics_sink* to) noexcept;
  /// Throws: std::bad_alloc.
  [[nodiscard]] recorded_metrics recorded() const;
  /// Returns the newest kept report that is `kept_every_ns` old or older, without single actors;
  /// nothing happened between it and the next one if it is older than twice that. Nothing: there is
  /// none. Throws: std::bad_alloc.
  [[nodiscard]] std::optional<metrics_report> some_time_ago(std::uint64_t now_ns) const;

private:
  std::mutex sending_;  // held while the sink is called; taken first
  metrics_sink* sink_ = nullptr;
  mutable std::mutex mutex_;
  // protected by mutex_
  // Null: none. Not inside of the object, so that the start of a system does not touch their pages.
  std::unique_ptr<metrics_report> last_;
  std::unique_ptr<metrics_report> newer_,
      older_;  // those two of the last ones, `kept_every_ns` apart
  std::vector<metrics_point> ring_;
  std::size_t oldest_ = 0;  // once the ring is full
};

}  // namespace internal
}  // namespace tactor::inline v0
