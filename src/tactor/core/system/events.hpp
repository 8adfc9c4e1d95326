// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/cell/suspend_reasons.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tactor::inline v0 {

/// A message that was not handled. Published on the event stream, unless its type has a member type
/// `suppress_dead_letter`.
struct dead_letter {
  using runtime_event = void;
  static constexpr const char* type_name = "tactor::dead_letter";
  /// An unhandled dead letter is only counted: otherwise one could lead to another for ever.
  using suppress_dead_letter = void;

  drop_reason reason = drop_reason::stopped;
  std::string_view message_type;  // as the compiler spells it, or its `type_name`
  event_text message;             // its contents, where they can be printed
  actor_ref<> target;
  actor_ref<> sender;  // no actor if it came from outside
};

/// An actor failed: a handler, a hook or its constructor.
struct actor_failed {
  using runtime_event = void;
  static constexpr const char* type_name = "tactor::actor_failed";
  actor_ref<> who;
  event_text path;
  std::string_view actor_type;
  std::string_view message_type;  // empty: it was not handling one
  failure why;
  event_text thrown;  // the type of the exception; empty: none
  /// The decision, and the number of restarts before this failure.
  directive decided = directive::stop;
  std::uint32_t restarts = 0;
};

/// A new instance has replaced the failed one.
struct actor_restarted {
  using runtime_event = void;
  static constexpr const char* type_name = "tactor::actor_restarted";
  actor_ref<> who;
  std::uint32_t restarts =
      0;  // this one included; 0: not counted, since it has no strategy and restarts with a sibling
};

/// An actor has been suspended: it handles no user messages.
struct actor_suspended {
  using runtime_event = void;
  static constexpr const char* type_name = "tactor::actor_suspended";
  actor_ref<> who;
  suspend_reasons reasons;
};

/// A suspended actor has resumed.
struct actor_resumed {
  using runtime_event = void;
  static constexpr const char* type_name = "tactor::actor_resumed";
  actor_ref<> who;
  std::optional<duration> after;  // how long it was suspended; nothing: not measured
};

/// An actor was not spawned; its reference is to no actor.
struct spawn_refused {
  using runtime_event = void;
  static constexpr const char* type_name = "tactor::spawn_refused";
  event_text name;
  spawn_error why = spawn_error::stopping;
};

/// A name was taken, so the actor got a suffix.
struct name_changed {
  using runtime_event = void;
  static constexpr const char* type_name = "tactor::name_changed";
  event_text wanted;
  event_text given;
};

/// The scheduler has raised a warning.
struct timer_warning {
  using runtime_event = void;
  static constexpr const char* type_name = "tactor::timer_warning";
  scheduler_event what;
};

/// A mailbox has reached its `mailbox_options::pressure_at`: once for each crossing.
struct mailbox_pressure {
  using runtime_event = void;
  static constexpr const char* type_name = "tactor::mailbox_pressure";
  actor_ref<> who;
  std::uint32_t depth = 0;  // how many messages wait
};

/// A message was refused with `would_deadlock`: each of these actors waits for capacity in the
/// mailbox of the next, and the first, which sent the message, would wait for the second.
struct backpressure_cycle {
  using runtime_event = void;
  static constexpr const char* type_name = "tactor::backpressure_cycle";
  static constexpr std::size_t most = 8;
  std::array<actor_ref<>, most> actors;
  std::uint32_t size = 0;  // how many there are; may be more than `most`
};

/// Actors have waited for a second or longer: each for an answer of the next, or for capacity in
/// its mailbox. The last one waits for the first: then the ask of `refused`, whose timeout was
/// next, has ended with `would_deadlock`. Or `refused` is empty: then the last one awaits `signal`.
struct stuck_actors {
  using runtime_event = void;
  static constexpr const char* type_name = "tactor::stuck_actors";
  static constexpr std::size_t most = 8;
  std::array<actor_ref<>, most> actors;
  std::uint32_t size = 0;  // how many there are; may be more than `most`
  actor_ref<> refused;
  signal_key signal;
};

/// A system message was refused because the mailbox's reserve for system messages is full.
struct system_reserve_exhausted {
  using runtime_event = void;
  static constexpr const char* type_name = "tactor::system_reserve_exhausted";
  actor_ref<> who;
};

}  // namespace tactor::inline v0
