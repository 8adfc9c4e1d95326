// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/trace_recorder.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/host/trace/trace_buffer.hpp"
#include "tactor/host/trace/trace_options.hpp"
#include "tactor/host/trace/trace_session.hpp"
#include "tactor/host/trace/trace_switch.hpp"

#include <cstdint>
#include <memory>
#include <string_view>

namespace tactor::inline v0::internal {

/// The traces of a system: one at a time runs, and the last one can be read. It also records what
/// threads outside of the system send, under its lock; and everything of a system that runs on one
/// thread.
///
/// Thread safety: everything from any thread.
class trace_hub final : public trace_recorder {
public:
  /// `outside`: the name of the threads that record under the lock. Requires: `system` outlives its
  /// use.
  trace_hub(system_core& system, std::string_view outside) noexcept
      : system_(system), outside_(outside), switch_(outside_change{*this}) {}
  trace_hub(const trace_hub&) = delete;
  trace_hub& operator=(const trace_hub&) = delete;
  /// Requires: no thread is inside of the system, or `leave` was called.
  ~trace_hub();

  /// Starts a trace. Returns: false if one runs already, or there is no memory.
  [[nodiscard]] bool start(const trace_options& options) noexcept;
  /// Ends it, if one runs. What was recorded stays.
  void stop() noexcept { switch_.stop(); }
  /// Stops, and waits for threads outside of the system that record right now. Context: the thread
  /// of a system that runs on one thread.
  void leave() noexcept;
  /// Returns true if a trace runs.
  [[nodiscard]] bool is_running() noexcept { return switch_.running() != nullptr; }
  /// Returns the last trace; null: there was none.
  [[nodiscard]] std::shared_ptr<trace_session> last() noexcept { return switch_.last(); }

  void sent(const cell& to, origin sender, envelope& e, std::uint64_t now_ns) noexcept override;
  void begin(const cell& c, envelope& e, traced_call how, std::uint64_t now_ns) noexcept override;
  void end(bool failed, std::uint64_t now_ns) noexcept override;

private:
  friend class worker_trace;
  /// Tells the threads outside.
  struct outside_change {
    trace_hub& hub;
    void operator()(trace_session* runs) const noexcept;
  };

  system_core& system_;
  std::string_view outside_;
  trace_switch<trace_session, outside_change> switch_;
};

/// The part of one worker in the traces of its system. Context: the worker.
class worker_trace {
public:
  /// `traces` null: there are none.
  worker_trace(trace_hub* traces, std::string_view thread_name) noexcept
      : traces_(traces), thread_name_(thread_name) {}

  /// Returns the place where the worker records; null: no trace runs. Valid until the next call.
  [[nodiscard]] trace_recorder* recorder() noexcept {
    if (traces_ == nullptr) return nullptr;
    return membership_.look(traces_->switch_,
                            [this](trace_session& of) { return of.join(thread_name_); });
  }

private:
  trace_hub* traces_;
  std::string_view thread_name_;
  trace_membership<trace_session, trace_buffer> membership_;
};

}  // namespace tactor::inline v0::internal
