// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace tactor::inline v0 {
class cooperative_system;
}

namespace tactor::inline v0::io {

/// Threads that run Asio, named `tactor-io-N`; actors run on the threads of their system as always.
/// Outlives the systems, listeners and connections that use it.
class io_threads {
public:
  /// Starts the threads. With 0 threads the program runs Asio itself: see `run_until`. Throws:
  /// std::system_error if the system cannot start them.
  explicit io_threads(std::size_t threads = 1);
  io_threads(const io_threads&) = delete;
  io_threads& operator=(const io_threads&) = delete;
  /// Ends the threads, and abandons pending operations.
  ~io_threads();

  /// Returns: the number of threads.
  [[nodiscard]] std::size_t size() const noexcept;

  struct parts;
  /// Returns: the context and its threads, for the parts of this component and for programs that
  /// use Asio themselves; see asio_context.hpp.
  [[nodiscard]] parts& with() const noexcept { return *parts_; }

private:
  void end() noexcept;

  std::unique_ptr<parts> parts_;
};

/// Runs Asio and the actors of `system` on this thread until `done()`, which is checked after each
/// step; sleeps until something of Asio completes or a timer is due. A completion continues without
/// a second thread, so that a service of few connections answers sooner. Another thread ends it by
/// posting to `context_of(on)`.
///
///     tactor::io::io_threads none{0};
///     tactor::cooperative_system system;
///     ...
///     tactor::io::run_until(none, system, [&] { return ends; });
///
/// A shutdown of `system` does not run Asio: end the connections before, or give it a short
/// deadline. Requires: `on` has no threads of its own.
void run_until(io_threads& on, cooperative_system& system, const std::function<bool()>& done);

}  // namespace tactor::inline v0::io
