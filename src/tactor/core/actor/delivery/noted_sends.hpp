// SPDX-License-Identifier: BSL-1.0
// What a message carries for measurements: when it was sent, and to which trace it belongs. Only on slow paths.
#pragma once

#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/cell/trace_recorder.hpp"
#include "tactor/core/actor/runtime/runtime_memory.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

/// Eight bytes at the end of the block of `e` that its payload leaves free; null: there are none.
[[nodiscard]] std::byte* free_space_in(envelope& e) noexcept;

/// When a message of kind `timed` was sent to `to`. It does not wait any more; afterwards its kind is `message`.
std::uint64_t take_send_time(const cell& to, envelope& e) noexcept;
/// How long the oldest message of an actor waits, at least: one in some hundred has a time. Nothing: not known, or
/// there is none. Context: any thread.
[[nodiscard]] std::optional<std::uint64_t> oldest_wait_ns(const cell& of, std::uint32_t generation,
                                                          std::uint64_t now_ns) noexcept;

/// Notes in one message of many when it is sent; while a trace runs, the message may become part of it. Requires: the
/// thread's `fast_limits` say that something is noted.
void note_send(thread_record& here, cell& to, envelope& e) noexcept;

/// In `envelope::detail` of a system message or an answer: it is part of a trace; see trace_recorder.
inline constexpr std::uint8_t traced_bit = 0x80;
/// While a trace runs here, a system message or an answer may become part of it.
void note_traced_signal(thread_record& here, const cell& to, envelope& e) noexcept;
/// The same, also for a thread outside.
void note_traced_command(thread_record& here, cell& to, envelope& e) noexcept;
/// Whether a trace runs in the program. A hint.
[[nodiscard]] inline bool is_traced() noexcept {
  return thread_record::counted_elsewhere != 0 &&
         program_memory.traces.load(relaxed) != 0;  // relaxed: a hint
}

// What is put aside and goes on later belongs to the trace in which it was put aside.

/// While a trace runs: `what` is put aside, for the system of `of`.
void note_kept(thread_record& here, cell* of, trace_key what) noexcept;
/// While a trace runs: the message being handled is put aside as `e`, and is part of it as before.
void note_put_aside(thread_record& here, const cell& to, envelope& e) noexcept;
/// While a trace runs here: `what` goes on because of what is handled now. See `trace_recorder::joined`.
void note_joined(thread_record& here, trace_key what) noexcept;
/// While a trace runs here: `e`, which tells the actor in `to` of `what`, is handled next.
void note_kept_signal(thread_record& here, const cell& to, envelope& e, trace_key what) noexcept;
/// While a trace runs: `e`, which was put aside, is sent now.
void note_kept_send(thread_record& here, cell& to, envelope& e) noexcept;

/// While it lives, what this thread sends belongs to the trace in which `what` was put aside.
class [[nodiscard]] going_on {
public:
  going_on(thread_record& here, trace_key what) noexcept
      : here_(here), before_(here.trace.go_on(what)) {}
  going_on(const going_on&) = delete;
  going_on& operator=(const going_on&) = delete;
  ~going_on() { (void)here_.trace.go_on(before_); }

private:
  thread_record& here_;
  trace_key before_;
};

// The life of an actor: what its constructor and its hooks send, and who learns of its end, belong to the trace in which
// it was spawned, asked to stop, or failed, whatever of it came last.

/// While a trace runs: the actor in `c` starts, restarts or ends because of what is handled here now.
inline void note_life(thread_record& here, cell& c) noexcept {
  note_kept(here, &c, trace_key::of(&c));
}
/// While it lives, what this thread sends belongs to the trace of the actor's life.
class [[nodiscard]] life_goes_on {
public:
  life_goes_on(thread_record& here, const cell& c) noexcept
      : here_(here), traced_(here.trace.recorder != nullptr) {
    if (traced_) [[unlikely]]
      before_ = here.trace.go_on(trace_key::of(&c));
  }
  life_goes_on(const life_goes_on&) = delete;
  life_goes_on& operator=(const life_goes_on&) = delete;
  ~life_goes_on() {
    if (traced_) [[unlikely]]
      (void)here_.trace.go_on(before_);
  }

private:
  thread_record& here_;
  const bool traced_;
  trace_key before_;
};

/// Runs the callable of a timer, in the trace in which it was scheduled.
inline void run_in_its_trace(timer_job& job) noexcept {
  if (!is_traced()) return job.run();
  const going_on scheduled{this_thread(), trace_key::of_job(job.id())};
  job.run();
}

}  // namespace tactor::inline v0::internal
