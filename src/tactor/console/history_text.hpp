// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host/actor_system.hpp"
#include "tactor/host/metrics/metrics_history.hpp"
#include "tactor/host/metrics/metrics_report.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tactor::inline v0::internal {

/// Writes the points of the last `seconds` as JSON, the oldest first. Throws: std::bad_alloc.
void write_history(const recorded_metrics& all, std::uint64_t now_ns, std::uint64_t seconds,
                   text_sink& to);

/// Keeps the report with which warnings compare the present. It is some ten seconds old, so that a
/// warning disappears when its cause has gone. Context: owner only.
class warning_window {
public:
  static constexpr std::uint64_t length_ns = 10'000'000'000;

  /// Returns: the report at the beginning of the window; null: compare with the start of the
  /// system. Throws: std::bad_alloc.
  [[nodiscard]] const metrics_report* begin(const metrics_report& now);

private:
  std::optional<metrics_report> older_;
  std::optional<metrics_report> newer_;
};

/// Makes the events that the readers of a stream get. Context: owner only.
class tick_text {
public:
  /// Returns: one JSON object in one line, without its last bracket: each reader adds how many
  /// events it has lost. Throws: std::bad_alloc.
  [[nodiscard]] std::string next(const actor_system& of, warning_window& since);

private:
  std::optional<metrics_report> last_;
};

}  // namespace tactor::inline v0::internal
