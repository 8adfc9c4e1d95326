// SPDX-License-Identifier: BSL-1.0
#pragma once

// The public names for looking at a running system: its figures, its state as JSON, and which
// message caused which. docs/api.md lists them.

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// IWYU pragma: begin_exports
#include "tactor/core/observe/log_histogram.hpp"
#include "tactor/core/observe/metric_table.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/observe/scheduler_metrics.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/metrics/health.hpp"
#include "tactor/host/metrics/metrics_history.hpp"
#include "tactor/host/metrics/metrics_report.hpp"
#include "tactor/host/metrics/prometheus.hpp"
#include "tactor/host/snapshot/board_frames.hpp"
#include "tactor/host/snapshot/snapshot.hpp"
#include "tactor/host/snapshot/trace_writer.hpp"
#include "tactor/host/string_sink.hpp"
#include "tactor/host/trace/trace_context.hpp"
#include "tactor/host/trace/trace_options.hpp"
// IWYU pragma: end_exports
