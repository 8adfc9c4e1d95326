// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/log_record.hpp"

namespace tactor::inline v0::internal {

/// Writes `record` to standard error as one line in one write, so that
/// lines of several threads do not mix. A line longer than 4096 bytes is cut and ends in `...`.
/// Context: any thread.
void write_to_stderr(const log_record& record) noexcept;

}  // namespace tactor::inline v0::internal
