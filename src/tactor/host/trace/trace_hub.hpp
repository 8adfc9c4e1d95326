// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/trace_recorder.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/host/trace/trace_options.hpp"
#include "tactor/host/trace/trace_session.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

namespace tactor::inline v0::internal {

/// The traces of a system: one at a time runs, and the last one can be read. It also records what threads
/// outside of the system send, under its lock; and everything of a system that runs on one thread.
///
/// Thread safety: everything from any thread.
class trace_hub final : public trace_recorder {
public:
  /// `outside`: the name of the threads that record under the lock. Requires: `system` outlives its use.
  trace_hub(system_core& system, std::string_view outside) noexcept
      : system_(system), outside_(outside) {}
  trace_hub(const trace_hub&) = delete;
  trace_hub& operator=(const trace_hub&) = delete;
  /// Requires: no thread is inside of the system, or `stop` was called.
  ~trace_hub();

  /// Starts a trace. Returns: false if one runs already, or there is no memory.
  [[nodiscard]] bool start(const trace_options& options) noexcept;
  /// Ends it, if one runs. What was recorded stays.
  void stop() noexcept;
  /// Whether one runs.
  [[nodiscard]] bool is_running() noexcept;
  /// The last trace; null: there was none.
  [[nodiscard]] std::shared_ptr<trace_session> last() noexcept;

  /// Changes whenever a trace starts or ends. A hint.
  [[nodiscard]] std::uint32_t changes() const noexcept {
    return changes_.load(relaxed);  // relaxed: a hint; what it leads to is under the lock
  }
  /// The trace that runs; null: none.
  [[nodiscard]] std::shared_ptr<trace_session> running() noexcept;

  void sent(const cell& to, origin sender, envelope& e, std::uint64_t now_ns) noexcept override;
  void begin(const cell& c, envelope& e, std::uint64_t now_ns) noexcept override;
  void end(bool failed, std::uint64_t now_ns) noexcept override;

private:
  void end_if_over() noexcept;
  void end_now() noexcept;

  system_core& system_;
  std::string_view outside_;
  // Written by: start, stop. Read by: workers. Publishes: nothing.
  port::atomic<std::uint32_t> changes_;
  std::mutex mutex_;
  // protected by mutex_
  std::shared_ptr<trace_session> last_;
  trace_buffer* own_ = nullptr;  // of `last_`, while it runs
};

/// The part of one worker in the traces of its system. Context: the worker.
class trace_seat {
public:
  /// `traces` null: there are none.
  trace_seat(trace_hub* traces, std::string_view thread_name) noexcept
      : traces_(traces), thread_name_(thread_name) {}

  /// Where the worker records; null: no trace runs. Valid until the next call.
  [[nodiscard]] trace_recorder* recorder() noexcept {
    if (buffer_ != nullptr && session_->is_over()) (void)traces_->is_running();  // ends it
    if (traces_ != nullptr && traces_->changes() != seen_) change();
    return buffer_;
  }

private:
  [[gnu::noinline]] void change() noexcept;

  trace_hub* traces_;
  std::string_view thread_name_;
  std::uint32_t seen_ = 0;
  std::shared_ptr<trace_session> session_;
  trace_buffer* buffer_ = nullptr;
};

}  // namespace tactor::inline v0::internal
