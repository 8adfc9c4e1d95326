// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

class timer_job;

/// Tells what became of a message that a timer sent.
enum class post_result : std::uint8_t {
  accepted,  // it will be begun or discarded later
  refused,   // this message is a dead letter; the receiver is alive
  closed,    // this message is a dead letter; the receiver has stopped
  settled,   // it was refused, and the sink has discarded the job itself
};

/// Takes a timer's message when it is due: a mailbox. Called by the timer driver, so it must
/// not run user code, wait or allocate without bound.
class envelope_sink {
public:
  /// After `refused` or `closed` the sink does not own the job: the scheduler discards it.
  [[nodiscard]] virtual post_result post(timer_job& message) noexcept = 0;

protected:
  ~envelope_sink() = default;
};

/// A sink that jobs reference: it lives as long as the last job that names it; then it is notified.
/// For sinks made for one job. Any other sink must only live as long as something can be posted.
class held_sink : public envelope_sink {
public:
  /// A job that names this sink is gone: no handle, driver, dispatcher or mailbox can reach it any
  /// more. Called exactly once for each accepted schedule call, and not at all for a refused call:
  /// then the sink still belongs to the caller. After the last call the sink may be destroyed, also
  /// in this function. Context: any thread that drops the last reference to a job, a poll included;
  /// must not wait or call the scheduler.
  virtual void let_go() noexcept = 0;
  /// Identifies the receiver in events: sinks of several jobs may share it.
  [[nodiscard]] virtual const void* receiver() const noexcept { return this; }

protected:
  ~held_sink() = default;
};

/// The sink argument of a schedule call.
class sink_ref {
public:
  sink_ref(envelope_sink& sink) noexcept : sink_(&sink) {}  // implicit: users name a sink
  sink_ref(held_sink& sink) noexcept : sink_(&sink), is_held_(true) {}  // implicit, too

  [[nodiscard]] envelope_sink& get() const noexcept { return *sink_; }
  /// Tells whether it is a `held_sink`.
  [[nodiscard]] bool is_held() const noexcept { return is_held_; }

private:
  envelope_sink* sink_;
  bool is_held_ = false;
};

}  // namespace tactor::inline v0
