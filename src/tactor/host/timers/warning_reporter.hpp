// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/report/diagnostics.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/host/os/report_signal.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

namespace tactor::inline v0::internal {

/// Reports the warnings of a scheduler as they are raised, on a thread of its own, `tactor-report`:
/// the report waits for no worker, and the timer driver waits for no log. The same thread looks at
/// the workers while one of them runs, see `blocked_worker_watch`. It sleeps while there is nothing
/// to do.
///
/// Thread safety: `is_idle` and the signal from any thread; the rest by the owner.
///
/// inv 1  A warning raised before `stop` leads to a call of `report` that begins after it.
class warning_reporter final : private diagnostics_listener {
public:
  warning_reporter();
  warning_reporter(const warning_reporter&) = delete;
  warning_reporter& operator=(const warning_reporter&) = delete;
  /// Requires: stopped, or not started.
  ~warning_reporter() = default;

  /// Returns how long it is until the next call; nothing: until the next signal.
  using report_function = std::function<std::optional<std::chrono::nanoseconds>()>;

  static constexpr std::optional<std::chrono::nanoseconds> not_again{};

  /// Calls `report` after each warning of `stream`, after each other signal and when the time that
  /// it has returned is over, on a thread that carries the `thread_mark` of `owner` and keeps
  /// `keep`. Requires: called once; the stream outlives `stop`. Throws: std::system_error if the
  /// thread cannot be started.
  void start(diagnostics& stream, report_function report, std::shared_ptr<const void> keep,
             const void* owner);
  /// Returns the signal that wakes the thread.
  [[nodiscard]] report_signal& signal() const noexcept;
  /// Ends the thread after a last call of `report`; waits for it at most until `until`. Returns:
  /// whether the thread has ended. A thread that has not ended is on its own.
  bool stop(std::chrono::steady_clock::time_point until) noexcept;

  /// Returns true if all warnings have been reported.
  [[nodiscard]] bool is_idle() const noexcept;

private:
  struct shared;

  void hear(const scheduler_event& event) noexcept override;

  diagnostics* stream_ = nullptr;  // null: not started, or stopped
  std::shared_ptr<shared> shared_;
  std::thread thread_;
};

}  // namespace tactor::inline v0::internal
