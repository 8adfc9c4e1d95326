// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/cell/actor_type.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/spawn_options.hpp"
#include "tactor/core/actor/delivery/actor_ref.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/restart_history.hpp"

#include <cstdint>
#include <expected>
#include <optional>

namespace tactor::inline v0 {
class event_stream;
class scheduler;
}  // namespace tactor::inline v0

namespace tactor::inline v0::internal {

/// A message that reached nobody. Valid during the call it is given to.
struct lost_message {
  drop_reason why;
  const message_operations& operations;
  const void* payload;  // null: there is none to be seen
  mailbox_index target;
  origin sender;
};

/// How much a cell does before others come first.
struct turn_limits {
  std::uint32_t messages = 1024;
  /// What it sends counts as well: one that only sends would run ahead of those who receive.
  std::uint32_t sends = 128;
  /// Nothing: no clock is read.
  std::optional<duration> time = {};
  /// As `time`, but the clock is read only now and then, so that it costs next to nothing: after the
  /// first message, and then the less often the faster they are handled. 0: not at all.
  std::uint64_t slice_ns = 0;
};

/// What an actor's system does for it. Called when something out of the ordinary happens, never per
/// message. Context: whoever runs the cell, unless it says otherwise.
class system_services {
public:
  /// Context: any thread of this system.
  virtual void dead_letter(const lost_message& lost) noexcept = 0;
  /// A system message found no place with `who`. Context: any thread of this system.
  virtual void system_reserve_used_up(const actor_ref<>& who) noexcept = 0;
  /// A handler, hook or constructor failed; `in` is the message it failed with, or null; `said` is what
  /// becomes of the actor.
  virtual void failed(cell& who, const message_operations* in, const failure& why,
                      const verdict& said) noexcept = 0;
  /// A failure went past the root: the system stops.
  virtual void escalated(cell& who, const message_operations* in, const failure& why) noexcept = 0;
  /// A fresh instance has taken the place of the one that failed.
  virtual void restarted(cell& who) noexcept = 0;
  /// The actor was running, and is suspended.
  virtual void suspended(cell& who) noexcept = 0;
  /// It was suspended, `after` so long, and runs again.
  virtual void resumed(cell& who, std::optional<duration> after) noexcept = 0;
  /// Something was asked of the runtime that it cannot do; `advice` says what to do.
  virtual void misused(cell& who, const char* advice) noexcept = 0;
  /// The actor's instance is gone and its mailbox closed; its references are stale from now on.
  virtual void ended(cell& who) noexcept = 0;
  /// Makes an actor; `parent` null: a child of the guardian, from any thread.
  [[nodiscard]] virtual std::expected<actor_ref<>, spawn_error> spawn(const spawn_request& wanted,
                                                                      cell* parent) noexcept = 0;
  /// The last child of a guardian has left it. Context: any thread of this system.
  virtual void last_child_left() noexcept = 0;
  /// Takes the lock of a guardian's children, or gives it back.
  virtual void lock_family() noexcept = 0;
  /// Gives the lock back.
  virtual void unlock_family() noexcept = 0;

  /// The timers of the system.
  [[nodiscard]] virtual scheduler& timers() noexcept = 0;
  /// The stream of events of the system.
  [[nodiscard]] virtual event_stream& events() noexcept = 0;
  /// The system's time in nanoseconds.
  [[nodiscard]] virtual std::uint64_t now_ns() const noexcept = 0;
  /// A number that nobody foresees but the one who knows the seed.
  [[nodiscard]] virtual std::uint64_t next_random() noexcept = 0;

  turn_limits limits;  // constant

protected:
  system_services() = default;
  ~system_services() = default;
};

}  // namespace tactor::inline v0::internal
