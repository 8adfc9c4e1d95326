// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/json_writer.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/host/metrics/health.hpp"
#include "tactor/host/metrics/recent_incidents.hpp"
#include "tactor/host/snapshot/seen_system.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tactor::inline v0::internal {

/// Writes the sums of dead letters, and the newest. Throws: std::bad_alloc.
void write_dead_letters(json_writer& to, const metrics_snapshot& sums,
                        const recent_ring<recent_dead_letter>& recent, std::size_t most);
/// Writes the sums of failures, and the newest. Throws: std::bad_alloc.
void write_failures(json_writer& to, seen_system& of, const metrics_snapshot& sums,
                    const recent_ring<recent_failure>& recent, std::size_t most);

/// Says where most of the incidents behind a warning happened, among the newest since `since_ns`:
/// more evidence. Empty: that is not known. Throws: std::bad_alloc.
[[nodiscard]] std::string where_most(const health_warning& of, const recent_incidents& past,
                                     std::uint64_t since_ns);

}  // namespace tactor::inline v0::internal
