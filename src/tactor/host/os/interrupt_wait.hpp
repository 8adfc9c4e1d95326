// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <functional>

namespace tactor::inline v0::internal {

/// Waits for SIGINT or SIGTERM, whichever thread of the program gets it. While it waits, these
/// signals do nothing else; then they do again what they did before, so that a second Ctrl-C ends a
/// program whose shutdown takes too long. Also ends when `done()`, which is looked at again whenever
/// somebody calls `end_signal_wait`. Returns: the signal; 0: none. Context: one thread at a time.
int wait_for_signal(const std::function<bool()>& done);
/// Makes whoever waits look whether it still has to. Context: any thread.
void end_signal_wait() noexcept;

}  // namespace tactor::inline v0::internal
