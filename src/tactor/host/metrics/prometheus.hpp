// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/text_writer.hpp"
#include "tactor/core/observe/metric_table.hpp"
#include "tactor/host/metrics/metrics_report.hpp"

#include <string>

namespace tactor::inline v0 {

/// Returns the name of a measurement in Prometheus: "tactor_timer_drift_seconds".
[[nodiscard]] std::string prometheus_name(const metric& of);

/// Writes all figures in the text format of Prometheus: times in seconds, one family for each row
/// of `metric_table` whose level is measured. Throws: std::bad_alloc.
void write_prometheus(const metrics_report& figures, text_sink& to);

}  // namespace tactor::inline v0
