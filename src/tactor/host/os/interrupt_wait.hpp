// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <functional>

namespace tactor::inline v0::internal {

/// Waits for SIGINT or SIGTERM, delivered to any thread of the program. Meanwhile these signals have
/// no other effect; afterwards their previous handlers are restored, so that a second Ctrl-C ends a
/// program whose shutdown takes too long. Also returns when `done()` holds, which is checked again
/// after each `end_signal_wait`. Returns: the signal; 0: none. Context: one thread at a time.
int wait_for_signal(const std::function<bool()>& done);
/// Makes `wait_for_signal` check `done()`. Context: any thread.
void end_signal_wait() noexcept;

}  // namespace tactor::inline v0::internal
