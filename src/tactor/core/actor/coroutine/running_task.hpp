// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/intrusive_list.hpp"
#include "tactor/core/ask/thread_ask.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/ask_slot.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>
#include <utility>

namespace tactor::inline v0::internal {

// The part of coroutines that does not depend on their types. Context: the worker that runs the
// cell. docs/design/coroutine.md holds the protocol.

/// Several helpers that one coroutine awaits together.
struct task_join {
  std::uint32_t missing = 0;  // how many have to end before the coroutine resumes
};

/// The part of a promise that the runtime uses. Of a helper, which another coroutine awaits, only
/// the members up to `frame` count.
struct running_task : intrusive_list_node<running_task> {
  explicit running_task(cell& of) noexcept : owner(of) {}
  running_task(const running_task&) = delete;
  running_task& operator=(const running_task&) = delete;
  ~running_task() {
    if (root->to_begin != nullptr) leave_beginners();
  }

  cell& owner;
  running_task* root = this;  // the handler's
  void* parent = nullptr;     // the frame that awaits this one; null: this is the handler's

  task_join* join = nullptr;        // null: its parent awaits it alone
  running_task* sibling = nullptr;  // the next one to begin
  bool ended = false;
  void* frame = nullptr;  // its own

  running_task* to_begin = nullptr;  // the first of those that have not begun
  void* next = nullptr;              // the frame to resume next; null: all of them await something
  envelope* message = nullptr;       // kept until the coroutine ends
  /// Takes the result and answers the message.
  call_result (*finish)(running_task& ended, failure& why) noexcept = nullptr;
  bool failed = false;  // `thread_record::failures` says why
  bool linked = false;  // in the actor's list
  bool reentrant = false;
  std::uint32_t ready = 0;  // how many of its helpers, and itself, are ready

private:
  /// Removes it, which is destroyed, from those that have not begun.
  void leave_beginners() noexcept;
};

/// Something that a coroutine awaits: an answer, a time, a signal. A part of the frame: whatever
/// destroys the frame ends the wait.
class awaited : public intrusive_list_node<awaited> {
public:
  awaited() noexcept = default;
  awaited(const awaited&) = delete;
  awaited& operator=(const awaited&) = delete;
  ~awaited() {
    if (task != nullptr) cancel();
  }

  /// Begins to await the answer to `question`, which is sent. Returns: false if the coroutine
  /// continues at once, because nothing was sent: `why` says why.
  bool begin_ask(running_task& by, void* frame, const actor_ref<>& to, duration timeout,
                 envelope* question) noexcept;
  /// Begins to await a time. Returns: false if the coroutine continues at once: see `refused`.
  bool begin_sleep(running_task& by, void* frame, duration delay) noexcept;
  /// Begins to await an answer that does not come from an actor; `timeout` null: for ever. Returns:
  /// the reply slot that takes it, or none if the coroutine continues at once: `why` says why.
  [[nodiscard]] origin begin_completion(running_task& by, void* frame,
                                        const duration* timeout) noexcept;
  /// Lets other actors run. Returns: false if the coroutine continues at once.
  bool begin_yield(running_task& by, void* frame) noexcept;

  /// Returns: the error of an ask that got no answer.
  [[nodiscard]] ask_error without_answer(const actor_ref<>& to,
                                         std::string_view message_type) const noexcept;
  /// Frees the answer. No effect if there is none.
  void discard_answer() noexcept {
    if (envelope* const e = std::exchange(answer, nullptr)) discard_envelope(this_thread(), *e);
  }

  running_task* task = nullptr;  // the handler's, while this is awaited or ready
  void* frame = nullptr;         // to resume
  awaited* left = nullptr;       // in the tree of deadlines
  awaited* right = nullptr;
  std::uint64_t deadline_ns = 0;  // 0: none
  std::uint64_t began_ns = 0;     // of an ask
  std::uint64_t waited_ns = 0;    // of an ask that has ended without an answer
  ask_slot* slot = nullptr;       // of an ask
  envelope* answer = nullptr;
  std::uint32_t number = 0;  // of the deadline
  ask_failure why = ask_failure::refused;
  scheduler_error refused = scheduler_error::invalid_delay;
  bool is_ready = false;
  bool timed_out = false;
  bool for_signal = false;  // an `awaited_signal` that is in the tree of signals

protected:
  void cancel() noexcept;
  /// Called when there is nothing to wait for. Returns: true if the coroutine waits all the same,
  /// because its actor is suspended by backpressure; false if it goes on at once.
  bool waits_for_outboxes(running_task& by, void* frame) noexcept;

  /// Records that `by` waits from now on; `awaiting` is the frame to resume.
  void wait(running_task& by, void* awaiting) noexcept {
    frame = awaiting;
    task = by.root;
  }

private:
  bool open_slot(running_task& by, void* frame, const actor_ref<>& to,
                 const duration* timeout) noexcept;
};

/// A signal that a coroutine awaits.
class awaited_signal : public awaited {
public:
  awaited_signal() noexcept = default;
  awaited_signal(const awaited_signal&) = delete;
  awaited_signal& operator=(const awaited_signal&) = delete;
  ~awaited_signal() {
    if (task != nullptr) cancel();
  }

  /// Begins to await a signal; `timeout` null: for ever. Returns: false if the coroutine continues
  /// at once: the signal has come (`signalled`), or there is no time, memory or timer.
  bool begin(running_task& by, void* frame, signal_key awaited_key,
             const duration* timeout) noexcept;

  awaited_signal* left_by_key = nullptr;  // in the tree of signals
  awaited_signal* right_by_key = nullptr;
  signal_key key;
  bool signalled = false;
};

/// Returns: memory for a frame; null if there is none.
[[nodiscard]] void* new_frame(std::size_t size) noexcept;
void free_frame(void* frame, std::size_t size) noexcept;

/// Starts the coroutine of a handler, and runs it until it ends or awaits. If it ends, its frame is
/// destroyed.
call_result start_task(running_task& task, envelope& message, failure& why) noexcept;
/// Lets `helper`, which `parent` awaits, begin after the others that are awaited together with it.
/// `last` is the link after some of them, `to_begin` of the root for the first. Returns: the link
/// after `helper`.
running_task** begin_helper(running_task& helper, running_task& by, void* parent, task_join& join,
                            running_task** last) noexcept;
/// Records that a coroutine has ended, and which frame resumes.
void end_helper(running_task& ended) noexcept;
/// Lets the whole handler fail as soon as the running frame is suspended.
void fail_task(running_task& by, const failure& why) noexcept;

}  // namespace tactor::inline v0::internal
