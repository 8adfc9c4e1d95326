// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace tactor::inline v0::host {

/// Waits for SIGINT or SIGTERM, whichever thread of the program gets it. While it waits, these
/// signals do nothing else; then they do again what they did before, so that a second Ctrl-C ends a
/// program whose shutdown takes too long. Returns: the signal. Context: one thread at a time.
int wait_for_signal() noexcept;

}  // namespace tactor::inline v0::host
