// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/assert.hpp"
#include "tactor/base/mpsc_queue.hpp"
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/job/run_result.hpp"
#include "tactor/core/scheduler/job/timer_payload.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"

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
    .advice = "the message of a timer could not be made: use take_into, which reports that"};
}  // namespace panics

/// A due timer, owned by a dispatcher or a receiver, where it may wait in an `mpsc_queue`.
///
/// Its owner finishes it exactly once: `run`; or `begin` and, if that returned a batch, `finish`;
/// or `discard`. Afterwards it must not be accessed. Each job is a `timer_record`, which defines
/// these functions. Context: one thread at a time.
class timer_job : public internal::mpsc_queue_node<timer_job> {
public:
  /// For dispatchers: calls the callable unless the job has been cancelled meanwhile. Returns: its
  /// result.
  run_result run() noexcept;

  /// For receivers, when they take the message out of their mailbox: the job can be cancelled up to
  /// this call. Returns: nothing if it was cancelled; then the job is gone.
  [[nodiscard]] std::optional<execution_batch> begin() noexcept;

  /// Returns true if it has been cancelled: then `begin` will return nothing. (If not, it may still
  /// be cancelled.)
  [[nodiscard]] bool is_cancelled() const noexcept;

  /// The message. Requires: `begin` returned `batch`, and the job has a `Message` whose copy or
  /// factory does not fail; once per `begin`.
  template <class Message>
  [[nodiscard]] Message take(execution_batch batch) noexcept {
    // The payload builds the message in `storage`; it is moved out and destroyed below.
    alignas(Message) std::byte storage[sizeof(Message)];
    TACTOR_ASSERT(take_into(batch, storage).has_value(), panics::no_message_made);
    auto* const made = std::launder(reinterpret_cast<Message*>(storage));
    Message taken = std::move(*made);
    made->~Message();
    return taken;
  }

  /// Builds the message in `storage`, for the receiver to destroy. Returns: how its copy or factory
  /// failed; then there is no message, and the receiver passes the error to `finish`. Requires: see
  /// `take`; `storage` is large enough and aligned for the message.
  [[nodiscard]] run_result take_into(execution_batch batch, void* storage) noexcept;

  /// Keeps the job, and a `held_sink` that it names, until `let_go`. For a receiver whose queue
  /// still refers to one of them after the job is finished: it takes a hold before `begin` (or
  /// `finish`, `discard`) and releases it when its queue no longer refers to it. The links of the
  /// job itself are not kept: a periodic job may be posted again at once, and a hook sends a
  /// cancelled job to its dispatcher. Context: any thread. Requires: the job is owned or held.
  void hold() noexcept;
  /// Releases a hold; do not access the job afterwards. Context: any thread. Requires: a hold.
  void let_go() noexcept;

  /// Returns true if the message is a `Message`. Requires: it has a message, and `begin` returned a
  /// batch.
  template <class Message>
  [[nodiscard]] bool carries() const noexcept {
    return message_type() == &internal::payloads::message_type_key<Message>;
  }

  /// Ends the run after the handler returned. Requires: `begin` returned a batch.
  void finish(run_result result) noexcept;

  /// Ends the message without handling it: `refused` if an overflow strategy evicted it, `closed`
  /// if its receiver is gone. Returns: whether it was undeliverable; false if it had been
  /// cancelled, so that it is not reported as lost.
  bool discard(post_result why) noexcept;

  /// Identifies the job in events, logs and dumps; unique among the jobs of a scheduler.
  [[nodiscard]] std::uint64_t id() const noexcept;

protected:
  timer_job() = default;
  ~timer_job() = default;

private:
  [[nodiscard]] const void* message_type() const noexcept;
};

/// Runs due jobs. Called once per run, from the driver or any thread that cancels; must not run the
/// job before it returns. Host: a thread pool. Tests: a queue.
class job_dispatcher {
public:
  /// Takes a due job, to run it elsewhere.
  virtual void dispatch(timer_job& job) noexcept = 0;

protected:
  ~job_dispatcher() = default;
};

}  // namespace tactor::inline v0
