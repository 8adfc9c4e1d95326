// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host/metrics/metrics_report.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace tactor::inline v0::internal {

/// Since when warnings are looked for: some ten seconds, so that what is over is not shown for ever. Context:
/// owner only.
class warning_window {
public:
  static constexpr std::uint64_t length_ns = 10'000'000'000;

  /// The report at the begin of the window; null: the start of the system. Throws: std::bad_alloc.
  [[nodiscard]] const metrics_report* begin(const metrics_report& now) {
    if (!newer_ || now.time_ns - newer_->time_ns >= length_ns) {
      metrics_report fresh = now;
      older_ = std::exchange(newer_, std::move(fresh));
    }
    return older_ ? &*older_ : nullptr;
  }

private:
  std::optional<metrics_report> older_;
  std::optional<metrics_report> newer_;
};

}  // namespace tactor::inline v0::internal
