// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/dispatch/suspend_reason.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

/// The result of a step of a coroutine.
struct task_step {
  call_result said = call_result::done;
  envelope* message = nullptr;  // of a coroutine that has ended: for `actor_tasks::release_message`
};

/// What an actor waits for that is suspended by its only coroutine, if that awaits a single thing.
struct sole_wait {
  enum class kind : std::uint8_t { other, answer, signal };

  kind what = kind::other;
  origin question = {};  // of an answer: the sender of the message that asks,
  actor_ref<> target = {};
  std::uint64_t deadline_ns = 0;  // and its timeout
  signal_key key = {};            // of a signal that is awaited for ever
};

/// The coroutines of one actor that await something. An interface: a program without coroutines
/// does not link them. Context: the worker that runs the cell.
class actor_tasks {
public:
  /// Takes the answer to an awaited ask. Returns: false if it is awaited no longer.
  virtual bool take_answer(const turn_context& in, envelope& answer) noexcept = 0;
  /// Takes the answer to an awaited ask, and continues the coroutine; if `waits` is set again, the
  /// caller suspends the actor. Returns: `unhandled` if it is awaited no longer. Requires:
  /// `only_awaits`, and the mailbox is resumed.
  virtual task_step run_with(const turn_context& in, envelope& answer, failure& why) noexcept = 0;
  /// Takes a signal. Returns: false if no coroutine awaits it.
  virtual bool take_signal(const turn_context& in, signal_key key,
                           std::uint64_t asked_ns) noexcept = 0;
  /// Ends what is awaited no longer than `now_ns`.
  virtual void expire(const turn_context& in, std::uint64_t now_ns) noexcept = 0;
  /// Returns: the time at which `expire` is needed next; 0: never.
  [[nodiscard]] virtual std::uint64_t next_deadline_ns() const noexcept = 0;
  /// Continues the coroutine whose result came first. Requires: `ready`.
  virtual task_step run_ready(thread_record& here, cell& c, failure& why) noexcept = 0;
  /// Returns: what all of the actor waits for.
  [[nodiscard]] virtual sole_wait awaited_alone() const noexcept = 0;
  /// Tells whether a coroutine handles the message with this sender, and nobody else can answer it.
  [[nodiscard]] virtual bool is_to_answer(origin question) const noexcept = 0;
  /// The message of the newest coroutine stands on the stack: the coroutine gets a copy of its
  /// header.
  virtual void copy_message(thread_record& here) noexcept = 0;
  /// Ends a message that was kept for a coroutine.
  virtual void release_message(thread_record& here, envelope& message) noexcept = 0;
  /// Destroys all coroutines; asks that wait for them fail with `why`.
  virtual void end(thread_record& here, cell& c, ask_failure why) noexcept = 0;
  /// Frees this object. Requires: no coroutine is left.
  virtual void release(thread_record& here) noexcept = 0;

  std::uint32_t count = 0;           // coroutines that await something
  std::uint32_t exclusive = 0;       // those of them that are not reentrant
  bool ready = false;                // one of them can go on
  bool waits = false;                // the actor is suspended until one of them goes on
  std::uint64_t waits_since_ns = 0;  // when that began; 0: not known
  bool yields = false;               // the actor's turn ends before one of them goes on
  bool lets_pass = false;            // a message is handled before one of them goes on
  void (*when_over)(void* object) noexcept = nullptr;  // called with the instance when none is left

protected:
  actor_tasks() = default;
  actor_tasks(const actor_tasks&) = default;
  actor_tasks& operator=(const actor_tasks&) = default;
  ~actor_tasks() = default;
};

/// The coroutines of an actor; null: it never had one.
[[nodiscard]] inline actor_tasks* tasks_of(const cell& c) noexcept {
  return c.extended && c.parts->suspension != nullptr ? c.parts->suspension->tasks : nullptr;
}
/// Tells whether a coroutine that is not reentrant has begun and not ended: then no other code of
/// the actor runs.
[[nodiscard]] inline bool is_in_task(const cell& c) noexcept {
  const actor_tasks* const tasks = tasks_of(c);
  return tasks != nullptr && tasks->exclusive != 0;
}
/// Tells whether the actor is suspended for nothing but its only coroutine, which awaits.
[[nodiscard]] inline bool only_awaits(const cell& c) noexcept {
  const actor_tasks* const tasks = tasks_of(c);
  return tasks != nullptr && tasks->waits && tasks->count == 1 &&
         c.stage == lifecycle_stage::running &&
         c.reasons.all() == suspend_reasons{suspend_reason::await_external} &&
         c.parts->suspension->of(suspend_reason::await_external).kind == resume_on::resume;
}
/// Destroys the coroutines of an actor.
inline void end_tasks(thread_record& here, cell& c, ask_failure why) noexcept {
  if (actor_tasks* const tasks = tasks_of(c); tasks != nullptr && tasks->count != 0)
    tasks->end(here, c, why);
}

}  // namespace tactor::inline v0::internal
