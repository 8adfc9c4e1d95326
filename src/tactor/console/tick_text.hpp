// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/console/warning_window.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/metrics/metrics_report.hpp"

#include <optional>
#include <string>

namespace tactor::inline v0::internal {

/// Makes the events that the readers of a stream get. Context: owner only.
class tick_text {
public:
  /// One JSON object in one line, without its last bracket: each reader adds how many it has lost. Throws:
  /// std::bad_alloc.
  [[nodiscard]] std::string next(const actor_system& of, warning_window& since);

private:
  std::optional<metrics_report> last_;
};

}  // namespace tactor::inline v0::internal
