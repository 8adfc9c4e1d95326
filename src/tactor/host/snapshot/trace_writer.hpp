// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/text_writer.hpp"
#include "tactor/core/system/system_interface.hpp"
#include "tactor/host/trace/trace_options.hpp"

#include <memory>

namespace tactor::inline v0 {

namespace internal {
class trace_hub;
}  // namespace internal

/// Traces of a system that runs on one thread: a `cooperative_system` or a `testkit::simulation`.
/// With virtual time, the same seed gives the same text.
///
///     tactor::loop_trace trace{simulation};
///     (void)trace.start({});
///     simulation.run_to_idle();
///     trace.write(tactor::trace_format::chrome, out);
///
/// Context: the thread of the system, outside of its actors.
class loop_trace {
public:
  /// Requires: `system` outlives it, and is not moved meanwhile. Throws: std::bad_alloc.
  explicit loop_trace(const system_interface& system);
  loop_trace(const loop_trace&) = delete;
  loop_trace& operator=(const loop_trace&) = delete;
  /// Stops, and waits for other threads that are recording what they send.
  ~loop_trace();

  /// See `actor_system::start_trace`.
  [[nodiscard]] bool start(const trace_options& options) noexcept;
  /// See `actor_system::stop_trace`.
  void stop() noexcept;
  /// See `actor_system::write_trace`.
  bool write(trace_format format, text_sink& to) const;

private:
  std::unique_ptr<internal::trace_hub> hub_;
};

}  // namespace tactor::inline v0
