// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/asio/tcp.hpp"
#include "tactor/host/cooperative_system.hpp"

#include <functional>

namespace tactor::inline v0::io {

/// Runs Asio and the actors of `system` on this thread until `done()`, which is checked after each step; sleeps
/// until something of Asio completes or a timer is due. What completes goes on without a second thread, so that a
/// service of few connections answers sooner. Another thread ends it by posting to `context_of(on)`.
///
///     tactor::io::io_threads none{0};
///     tactor::cooperative_system system;
///     ...
///     tactor::io::run_until(none, system, [&] { return ends; });
///
/// A shutdown of `system` does not run Asio: end the connections before, or give it a short deadline.
/// Requires: `on` has no threads of its own.
void run_until(io_threads& on, cooperative_system& system, const std::function<bool()>& done);

}  // namespace tactor::inline v0::io
