// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/wait_graph.hpp"

#include <chrono>
#include <cstdint>

namespace tactor::inline v0::internal {

// Cycles of actors that await each other's answers, or wait for capacity in each other's
// mailboxes. An ask costs no search: an actor that has waited for long sends a walk along its
// waits, a system message, because only the worker that runs an actor knows what that awaits. Each
// actor on the way that waits, too, sends it on. If it comes back to the first, none of them can go
// on before one of their asks times out. The ask that would time out first ends at once, with
// `would_deadlock`. docs/design/suspension.md has an example. Context: the worker that runs the
// cell.

/// An actor waits for long after this time, and is looked at.
inline constexpr duration long_wait_time = std::chrono::seconds{1};

/// One step of a walk: the payload of a `wait_walk` message.
struct wait_walk {
  static constexpr const char* type_name = "wait walk";
  static constexpr std::uint32_t most_steps = 64;

  /// What an actor waits for.
  struct link {
    actor_ref<> from;
    origin question;         // of an ask whose answer is awaited
    std::uint64_t edge = 0;  // of the wait graph; 0: an answer is awaited
  };

  wait_cycle met;
  link first;  // of the actor that began
  link last;   // led here
  // The ask, of those met, that times out first.
  origin weakest;
  actor_ref<> weakest_asker;
  std::uint64_t weakest_deadline_ns = 0;
  std::uint32_t steps_left = most_steps;  // shared among the branches
};

/// Begins a walk: this actor has waited for long.
void begin_wait_walk(const turn_context& in) noexcept;
/// A walk has come to this actor.
void go_on_with_wait_walk(const turn_context& in, envelope& e) noexcept;
/// The actor begins to wait for capacity: it is looked at after a second if nobody does so earlier.
void begin_looks(const turn_context& in) noexcept;
/// It is time to look at an actor that has waited for capacity. As long as it waits, it is looked
/// at again after two seconds, four, and so on.
void look_at_wait(const turn_context& in, std::uint64_t now_ns) noexcept;

}  // namespace tactor::inline v0::internal
