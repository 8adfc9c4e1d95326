// SPDX-License-Identifier: BSL-1.0
// How a message carries its place in a trace from where it is made to where it is handled. While no
// trace runs, a message costs one test for it.
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/cell/trace_recorder.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/port/port.hpp"

#include <optional>

namespace tactor::inline v0::internal {

/// Tells whether what this thread makes may belong to a trace. A hint.
[[nodiscard]] inline bool may_trace(const thread_record& here) noexcept {
  return port::observes_messages && here.fast_limits != 0 &&
         program_memory.traces.load(relaxed) != 0;  // relaxed: a hint
}

/// `new_envelope` while `may_trace` holds: it has room for a trailer, and one if this thread makes
/// it in a trace. Returns: null if there is no memory.
[[nodiscard]] envelope* new_traced_envelope(thread_record& here,
                                            const message_operations& what) noexcept;

/// `e` is sent to `to`. If it belongs to no trace, it may begin one. Requires: `may_trace`.
void trace_send(thread_record& here, cell& to, envelope& e) noexcept;

/// The span of a call of an actor's code, as long as this object lives: what the thread makes
/// meanwhile has the span as its cause. Context: the worker that runs the actor.
class [[nodiscard]] call_span {
public:
  /// The actor in `c` begins to handle `e`, or goes on with its coroutine.
  call_span(thread_record& here, const cell& c, envelope& e,
            traced_call how = traced_call::message) noexcept
      : here_(here), by_(here.trace.recorder) {
    if (port::observes_messages && by_ != nullptr) [[unlikely]]
      begin(c, e, how);
  }
  call_span(const call_span&) = delete;
  call_span& operator=(const call_span&) = delete;
  ~call_span() {
    if (port::observes_messages && by_ != nullptr) [[unlikely]]
      end();
  }
  /// The call has failed.
  void set_failed(bool failed) noexcept { failed_ = failed; }

private:
  void begin(const cell& c, envelope& e, traced_call how) noexcept;
  void end() noexcept;

  thread_record& here_;
  trace_recorder* const by_;           // null: no trace runs here
  std::optional<trace_place> before_;  // of the thread; set while a trace runs
  bool failed_ = false;
};

}  // namespace tactor::inline v0::internal
