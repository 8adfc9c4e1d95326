// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/assert.hpp"
#include "tactor/base/mpsc_queue.hpp"
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/execution_batch.hpp"
#include "tactor/core/scheduler/job/run_result.hpp"
#include "tactor/core/scheduler/job/timer_payload.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>

namespace tactor::inline v0 {

namespace panics {
inline constexpr port::panic_code no_message_made{
    .module = 4,
    .id = 2,
    .advice = "the message of a timer was taken where none could be made: use take_into"};
}  // namespace panics

/// A timer that is due, in the hands of a dispatcher or a receiver: a node of whatever queue it
/// waits in there.
///
/// Whoever gets one ends its stay exactly once: `run`, or `begin` and, if that gave a batch,
/// `finish`, or `discard`. Afterwards it must not be touched. Context: one thread at a time.
class timer_job : public internal::mpsc_queue_node<timer_job> {
public:
  /// For dispatchers: calls the callable unless the job has been cancelled meanwhile.
  void run() noexcept;

  /// For receivers, when they take the message out of their mailbox: the last moment at which the
  /// job could be cancelled. Returns: nothing if it was; then the job is gone.
  [[nodiscard]] std::optional<execution_batch> begin() noexcept;

  /// The message. Requires: `begin` gave `batch`, and the job carries a `Message` whose copy or
  /// factory does not fail; once per `begin`.
  template <class Message>
  [[nodiscard]] Message take(execution_batch batch) noexcept {
    // Room in which the payload builds the message; it is moved out and destroyed below.
    alignas(Message) std::byte room[sizeof(Message)];
    TACTOR_ASSERT(take_into(batch, room).has_value(), panics::no_message_made);
    auto* const made = std::launder(reinterpret_cast<Message*>(room));
    Message taken = std::move(*made);
    made->~Message();
    return taken;
  }

  /// As `take`, in room of the receiver's: builds the message there, for the receiver to destroy.
  /// Returns: how its copy or factory failed; then there is no message, and the receiver says so to
  /// `finish`. Requires: as `take`; `room` is large enough and aligned for the message.
  [[nodiscard]] run_result take_into(execution_batch batch, void* room) noexcept;

  /// Keeps the job, and a `held_sink` that it names, until `let_go`. For a receiver whose queue
  /// still refers to one of them after the stay has ended: it takes a hold before `begin` (or
  /// `finish`, `discard`) and gives it up when its queue is past it. The links of the job itself are
  /// not kept: a periodic job may be posted again at once, and a hook sends a cancelled one to its
  /// dispatcher. Context: any thread. Requires: the job is the caller's, or held by it.
  void hold() noexcept;
  /// Gives up a hold; the job must not be touched afterwards. Context: any thread. Requires: one
  /// `hold` for each.
  void let_go() noexcept;

  /// Whether the message is a `Message`. Requires: the job has a message, and `begin` gave a batch.
  template <class Message>
  [[nodiscard]] bool carries() const noexcept {
    return message_type() == &internal::payloads::message_type_key<Message>;
  }

  /// The handler is through. Requires: `begin` gave a batch.
  void finish(run_result said) noexcept;

  /// The message ends without being handled: `refused` if a rule evicted it, `closed` if its
  /// receiver is gone. Returns: whether it was undeliverable; false if it had been cancelled, so that
  /// nobody misses it.
  bool discard(post_result why) noexcept;

  /// Names the job in events, logs and dumps; unique among the jobs of a scheduler.
  [[nodiscard]] std::uint64_t id() const noexcept;

protected:
  timer_job() = default;
  ~timer_job() = default;

private:
  [[nodiscard]] const void* message_type() const noexcept;
};

/// Runs jobs that are due. Called once per run, from the driver or any thread that cancels; must
/// not run the job itself before it returns. Host: a thread pool. Tests: a queue.
class job_dispatcher {
public:
  /// Takes a job that is due, to run it elsewhere.
  virtual void dispatch(timer_job& job) noexcept = 0;

  /// The calling thread is about to dispatch several jobs, up to `end_batch`. Who wakes threads may
  /// wake them then, once, instead of after each job.
  virtual void begin_batch() noexcept {}
  /// The several jobs have been dispatched.
  virtual void end_batch() noexcept {}

protected:
  ~job_dispatcher() = default;
};

}  // namespace tactor::inline v0
