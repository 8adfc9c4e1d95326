// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/delivery/actor_ref.hpp"
#include "tactor/core/actor/lifecycle/suspension_times.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/message/envelope.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>

namespace tactor::inline v0 {

class system_services;
class scheduler;

// Why and until when an actor does not handle messages of users. Context: whoever runs the cell,
// unless it says otherwise. docs/design/suspension.md holds the state diagram.

/// What a signal is about: any number that both sides know.
struct signal_key {
  std::uint64_t value = 0;
  friend constexpr bool operator==(signal_key, signal_key) noexcept = default;
};

/// What ends a suspension, besides a `resume`. A value; the default one is nothing else.
struct resume_condition {
  resume_on kind = resume_on::resume;
  duration delay = {};
  signal_key key = {};
  actor_ref<> mailbox = {};
};
/// It ends by itself after `delay`.
[[nodiscard]] constexpr resume_condition resume_after(duration delay) noexcept {
  return {.kind = resume_on::after, .delay = delay};
}
/// It ends when somebody gives this signal. One that came earlier is remembered.
[[nodiscard]] constexpr resume_condition on_signal(signal_key key) noexcept {
  return {.kind = resume_on::signal, .key = key};
}
/// It ends when the mailbox of another actor has room: at once if that has no limit, or is gone.
[[nodiscard]] constexpr resume_condition when_capacity(const actor_ref<>& of) noexcept {
  return {.kind = resume_on::capacity, .mailbox = of};
}

/// Why an actor is not suspended, or not resumed.
enum class suspend_error : std::uint8_t {
  runtime_reason,  // `failure` and `backpressure` are the runtime's own
  own_mailbox,     // it would wait for itself
  invalid_delay,   // zero, negative, or longer than the timers go
  no_timer,        // there is no timer or no memory for the condition
  no_memory,       // there is none for the letter that tells it
  gone,            // the actor has stopped
};
/// What to do about it, in one sentence.
[[nodiscard]] constexpr const char* to_text(suspend_error why) noexcept {
  switch (why) {
  case suspend_error::runtime_reason:
    return "only the runtime suspends and resumes for failure and backpressure: use user_defined, "
           "rate_limit or await_external";
  case suspend_error::own_mailbox:
    return "a suspended actor takes nothing out of its own mailbox, so there would never be room: "
           "name the mailbox it sends to";
  case suspend_error::invalid_delay:
    return "resume_after takes a delay longer than zero and at most 2^31 - 1 ticks";
  case suspend_error::no_timer:
    return "there is no timer or no memory for the condition: raise the limits, or resume it "
           "yourself";
  case suspend_error::no_memory:
    return "there is no memory for the letter that tells the actor: try again when there is some";
  case suspend_error::gone:
    return "the actor has stopped";
  }
  return "";
}

/// Signals that came before anybody waited for them: the newest sixteen, each once.
struct early_signals {
  static constexpr std::size_t most = 16;

  std::array<signal_key, most> keys{};
  std::uint32_t count = 0;

  /// Remembers it. Returns: false if the oldest was forgotten for it.
  bool add(signal_key key) noexcept;
  /// Returns: whether it was remembered; it is not any more.
  bool take(signal_key key) noexcept;
};

/// What an actor keeps that was suspended, or whose mailbox others wait for.
struct suspension {
  /// What ends the suspension for one reason.
  struct condition {
    signal_key key;
    std::uint64_t due_ns = 0;
    std::uint32_t ticket = 0;  // of the capacity request: the answer to an older one is ignored
    resume_on kind = resume_on::resume;
  };
  std::array<condition, 4> conditions{};     // by reason; of `failure` there is none
  std::uint32_t tickets = 0;                 // given out so far
  early_signals* early = nullptr;            // null: there was none
  envelope* waiting_for_capacity = nullptr;  // requests of actors that wait for this mailbox
  suspension_times times;
};

/// Takes a reason away from the actor that the registry knows by `who`: what a driver of one's own calls
/// when what the actor waits for has happened. Context: any thread.
std::expected<void, suspend_error>
notify_resume(mailbox_index who, suspend_reason reason = suspend_reason::user_defined) noexcept;

namespace internal {

/// Whether only the runtime suspends and resumes for it.
[[nodiscard]] constexpr bool is_of_runtime(suspend_reason reason) noexcept {
  return reason == suspend_reason::failure || reason == suspend_reason::backpressure;
}

/// Suspends the actor that runs. Suspending for the same reason replaces its condition.
std::expected<void, suspend_error> suspend(system_services& services, thread_record& here, cell& c,
                                           suspend_reason reason,
                                           const resume_condition& until) noexcept;
/// Takes a reason away. `asked_ns`: when that was asked for; 0: not known.
void resume(system_services& services, thread_record& here, cell& c, suspend_reason reason,
            std::uint64_t asked_ns) noexcept;
/// The same when the time of its condition is over.
void resume_in_time(system_services& services, thread_record& here, cell& c,
                    suspend_reason reason) noexcept;
/// What the invoker tells of a suspended cell.
[[nodiscard]] resume_on condition_of(const cell& c) noexcept;

// For the runtime: `failure`, and being held by a parent that failed.
void suspend_for_failure(system_services& services, thread_record& here, cell& c) noexcept;
void end_failure(system_services& services, thread_record& here, cell& c) noexcept;
void suspend_by_parent(system_services& services, thread_record& here, cell& c) noexcept;
void resume_from_parent(system_services& services, thread_record& here, cell& c) noexcept;
/// What somebody else asks of an actor.
struct suspension_command {
  enum class kind : std::uint8_t { suspend, resume, signal } what = kind::resume;
  suspend_reason reason = suspend_reason::user_defined;
  resume_condition until = {};
  signal_key key = {};
  std::uint64_t asked_ns = 0;
};
/// Sends it. `timers` says how far delays go; null: the actor will see. Context: any thread.
std::expected<void, suspend_error>
post_suspension_command(const actor_ref<>& to, const suspension_command& what,
                        const scheduler* timers = nullptr) noexcept;
/// Does it.
void apply_suspension_command(system_services& services, thread_record& here, cell& c,
                              const suspension_command& what) noexcept;

// Room in mailboxes.

/// Somebody waits for room in this mailbox.
void take_capacity_requests(thread_record& here, cell& c, envelope& e) noexcept;
/// There is room where this actor waits for it, or was waiting.
void take_room_free(system_services& services, thread_record& here, cell& c, envelope& e) noexcept;
/// A message has left a mailbox that others wait for.
void grant_capacity(thread_record& here, cell& c) noexcept;
/// Tells the actor that waits.
void notify_capacity(thread_record& here, envelope& e) noexcept;
/// Tells all actors that wait for the mailbox.
void notify_all_capacity(thread_record& here, suspension& record) noexcept;

}  // namespace internal
}  // namespace tactor::inline v0
