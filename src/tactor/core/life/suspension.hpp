// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/suspend_reasons.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/dispatch/suspend_reason.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/observe/suspension_times.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>

namespace tactor::inline v0 {

class scheduler;

// Why and until when an actor does not handle messages of users. Context: the worker that runs the
// cell, unless stated otherwise. docs/design/suspension.md holds the state diagram.

/// Identifies a signal: any number that both sides know.
struct signal_key {
  std::uint64_t value = 0;
  friend constexpr bool operator==(signal_key, signal_key) noexcept = default;
};

/// Names what ends a suspension, besides a `resume`. A value; the default adds nothing.
struct resume_condition {
  resume_on kind = resume_on::resume;
  duration delay = {};
  signal_key key = {};
  actor_ref<> mailbox = {};
};
/// The suspension ends by itself after `delay`, with a tick of the timers: a delay that is shorter
/// than `scheduler.timing.resolution`, 10 ms by default, is as long as one tick.
[[nodiscard]] constexpr resume_condition resume_after(duration delay) noexcept {
  return {.kind = resume_on::after, .delay = delay};
}
/// The suspension ends with this signal. A signal that came earlier is remembered.
[[nodiscard]] constexpr resume_condition on_signal(signal_key key) noexcept {
  return {.kind = resume_on::signal, .key = key};
}
/// The suspension ends when the mailbox of another actor has capacity: at once if that mailbox has
/// no limit, or its actor has stopped.
[[nodiscard]] constexpr resume_condition when_capacity(const actor_ref<>& of) noexcept {
  return {.kind = resume_on::capacity, .mailbox = of};
}

/// Why an actor is not suspended, or not resumed.
enum class suspend_error : std::uint8_t {
  runtime_reason,  // only the runtime uses `failure` and `backpressure`
  own_mailbox,     // the actor would wait for itself
  invalid_delay,   // zero, negative, or beyond the range of the timers
  no_timer,        // no memory for the condition or its timer
  no_memory,       // no memory for the system message
  full,            // too many suspensions, resumes and signals wait for the actor
  gone,            // the actor has stopped
};
/// Says in one sentence what to do about it.
[[nodiscard]] constexpr const char* to_text(suspend_error why) noexcept {
  switch (why) {
  case suspend_error::runtime_reason:
    return "only the runtime suspends and resumes for failure and backpressure: use user_defined, "
           "rate_limit or await_external";
  case suspend_error::own_mailbox:
    return "an actor cannot wait for capacity in its own mailbox: name the actor it sends to";
  case suspend_error::invalid_delay:
    return "resume_after takes a delay longer than zero and at most 2^31 - 1 ticks";
  case suspend_error::no_timer:
    return "no memory for the condition or its timer: resume the actor yourself";
  case suspend_error::no_memory:
    return "no memory for the system message to the actor: try again later";
  case suspend_error::full:
    return "too many suspensions, resumes and signals wait for the actor: send fewer, or try again "
           "later";
  case suspend_error::gone:
    return "the actor has stopped";
  }
  return "";
}

namespace internal {

class actor_tasks;
struct capacity_wait;

/// Signals that came before the actor waited for them: the newest sixteen, each once.
struct early_signals {
  static constexpr std::size_t most = 16;

  std::array<signal_key, most> keys{};
  std::uint32_t count = 0;

  /// Remembers `key`. Returns: false if the oldest was dropped for it.
  bool add(signal_key key) noexcept;
  /// Forgets `key`. Returns: whether it was remembered.
  bool take(signal_key key) noexcept;
};

/// The state of an actor that has been suspended: conditions, early signals, coroutines, times.
struct suspension {
  /// The condition that ends the suspension for one reason.
  struct condition {
    signal_key key;
    std::uint64_t due_ns = 0;
    capacity_wait* waiting = nullptr;  // null: none, or it was notified
    std::uint32_t ticket = 0;          // a notification of capacity with an older ticket is ignored
    resume_on kind = resume_on::resume;
  };
  std::array<condition, 3> conditions{};  // of the reasons that users give
  std::uint32_t tickets = 0;              // given out so far
  early_signals* early = nullptr;         // null: there was none
  actor_tasks* tasks = nullptr;           // coroutines; null: it never had one
  suspension_times times;

  /// Requires: not a reason of the runtime.
  [[nodiscard]] condition& of(suspend_reason reason) noexcept {
    return conditions[static_cast<std::size_t>(reason) -
                      static_cast<std::size_t>(suspend_reason::await_external)];
  }
};
static_assert(!port::has_real_layout || sizeof(suspension) <= 224,
              "or it takes a block of twice the size");

}  // namespace internal

/// Removes a reason from the actor that the registry knows by `who`; `asked_ns`: when that was
/// requested, 0 if that is not known. For drivers: what the actor waits for has happened. Context:
/// any thread.
std::expected<void, suspend_error>
notify_resume(mailbox_index who, suspend_reason reason = suspend_reason::user_defined,
              std::uint64_t asked_ns = 0) noexcept;

namespace internal {

/// Tells whether only the runtime suspends and resumes for `reason`, or `reason` is no enumerator.
[[nodiscard]] constexpr bool is_of_runtime(suspend_reason reason) noexcept {
  return reason < suspend_reason::await_external || reason > suspend_reason::user_defined;
}

/// The suspension state of the actor, made if there is none. Returns: null if there is no memory.
[[nodiscard]] suspension* suspension_of(thread_record& here, cell& c) noexcept;

/// Suspends the actor. Suspending again for a reason replaces its condition.
std::expected<void, suspend_error> suspend(const turn_context& in, suspend_reason reason,
                                           const resume_condition& until) noexcept;
/// Removes a reason. `asked_ns`: when that was requested; 0: not known.
void resume(const turn_context& in, suspend_reason reason, std::uint64_t asked_ns) noexcept;
/// Removes a reason whose `resume_after` has passed.
void resume_in_time(const turn_context& in, suspend_reason reason) noexcept;
/// The reason and the condition in the result of a suspended actor's turn.
struct suspended_for {
  suspend_reason reason;
  resume_on condition;
};
/// Requires: there is a reason.
[[nodiscard]] suspended_for first_reason_of(const cell& c) noexcept;

/// Sets the reasons for which the actor is suspended. If there is one now and the mailbox does not
/// know, or there is none any more, the mailbox follows, and the change is reported. Reasons other
/// than its failure pause its receive timeout. `asked_ns`: as for `resume`.
void set_reasons(const turn_context& in, suspend_reasons now, std::uint64_t asked_ns = 0) noexcept;
/// Adds a reason.
inline void suspend_for(const turn_context& in, suspend_reason why) noexcept {
  suspend_reasons more = in.actor.reasons.all();
  more.add(why);
  set_reasons(in, more);
}
/// Removes a reason.
inline void end_suspension(const turn_context& in, suspend_reason why,
                           std::uint64_t asked_ns = 0) noexcept {
  suspend_reasons fewer = in.actor.reasons.all();
  fewer.remove(why);
  set_reasons(in, fewer, asked_ns);
}

/// Calls `then` with the actor's instance when its coroutines have ended. Returns: false if it has
/// none.
[[nodiscard]] bool defer_until_no_task(const cell& c, void (*then)(void* object) noexcept) noexcept;
/// Suspends the actor: a coroutine awaits something. `now_ns` 0: the time is not known.
void suspend_for_await(const turn_context& in, std::uint64_t now_ns) noexcept;
/// Does so for an actor that runs, and whose mailbox the caller suspends.
void begin_await(const turn_context& in, std::uint64_t now_ns) noexcept;
/// It runs again, because what is awaited has come; the caller has resumed its mailbox. Requires:
/// `only_awaits`.
void end_await(const turn_context& in) noexcept;

/// A request to suspend, resume or signal another actor.
struct suspension_command {
  enum class kind : std::uint8_t { suspend, resume, signal } what = kind::resume;
  suspend_reason reason = suspend_reason::user_defined;
  resume_condition until = {};
  signal_key key = {};
  std::uint64_t asked_ns = 0;
};
/// The number of commands that may wait for an actor; more are refused. So however many are sent,
/// the actor handles its messages, and freeing the commands when it ends takes a bounded time.
/// Resumes have as many places again, so that an actor that was suspended can be resumed.
inline constexpr std::uint16_t most_commands = 2048;
/// Checks whether `who` can be suspended in this way. `timers` checks the range of a delay; null:
/// it is not checked.
[[nodiscard]] std::expected<void, suspend_error>
check_suspension(const scheduler* timers, const actor_ref<>& who, suspend_reason reason,
                 const resume_condition& until) noexcept;
/// Sends `what`. `timers` checks the range of its delay; null: the actor does. Context: any thread.
std::expected<void, suspend_error>
post_suspension_command(const actor_ref<>& to, const suspension_command& what,
                        const scheduler* timers = nullptr) noexcept;
/// Applies `what`.
void apply_suspension_command(const turn_context& in, const suspension_command& what) noexcept;

// Capacity of mailboxes.

/// The mailbox this actor waits for, or was waiting for, has capacity.
void take_capacity_available(const turn_context& in, envelope& e) noexcept;
/// This actor ends: it waits for no mailbox any more.
void cancel_capacity_waits(thread_record& here, cell& c) noexcept;

}  // namespace internal
}  // namespace tactor::inline v0
