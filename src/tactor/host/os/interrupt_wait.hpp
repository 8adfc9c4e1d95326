// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <functional>

namespace tactor::inline v0::internal {

/// Waits for SIGINT or SIGTERM, delivered to any thread of the program. Meanwhile these signals
/// have no other effect, and the calling thread does not block them; afterwards the thread's mask
/// and the previous handlers are restored, so that a second Ctrl-C ends a program whose shutdown
/// takes too long. Also returns when `done()` holds, which is checked again after each
/// `end_signal_wait`. Returns: the signal; 0: none. Context: any number of threads; a signal ends
/// the wait of all.
int wait_for_signal(const std::function<bool()>& done);
/// Makes every `wait_for_signal` check `done()`. Context: any thread, signal handlers.
void end_signal_wait() noexcept;

}  // namespace tactor::inline v0::internal
