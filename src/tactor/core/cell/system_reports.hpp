// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/cell/actor_ref_base.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tactor::inline v0 {
class failure;
enum class drop_reason : std::uint8_t;
enum class log_level : std::uint8_t;
enum class spawn_error : std::uint8_t;
struct name_changed;
}  // namespace tactor::inline v0

namespace tactor::inline v0::internal {

class cell;
struct lost_message;
struct message_operations;
struct spawn_request;
struct verdict;
struct stuck_wait;
struct wait_cycle;

/// Is told what happens to the actors of a system, for its log and for subscribers of its events.
/// A program without reports has none: see `system_services::reports`.
/// Context: any thread of the system.
class system_reports {
public:
  /// A message was not handled whose type does not suppress that.
  virtual void lost(const lost_message& what, drop_reason why) noexcept = 0;
  /// The mailbox of `who` has reached its `pressure_at`.
  virtual void pressure(const actor_ref<>& who, std::uint32_t waiting) noexcept = 0;
  /// A message was refused because actors would wait for each other for ever.
  virtual void cycle(const wait_cycle& found) noexcept = 0;
  /// Actors have waited for each other, or for a signal, for long.
  virtual void stuck(const stuck_wait& found) noexcept = 0;
  /// The system reserve of `who` is full.
  virtual void reserve_used_up(const actor_ref<>& who) noexcept = 0;

  /// A handler, hook or constructor failed; `in` is the message it failed with, or null; `said` is
  /// what happens to the actor.
  virtual void failed(cell& who, const message_operations* in, const failure& why,
                      const verdict& said) noexcept = 0;
  /// A failure was escalated past the root: the system stops.
  virtual void system_failed(cell& who, const message_operations* in,
                             const failure& why) noexcept = 0;
  /// A fresh instance has replaced the failed instance.
  virtual void restarted(cell& who) noexcept = 0;
  /// The actor changed from running to suspended.
  virtual void suspended(cell& who) noexcept = 0;
  /// It was suspended for `after`, and runs again.
  virtual void resumed(cell& who, std::optional<duration> after) noexcept = 0;
  /// The actor requested something impossible; `advice` says what to do.
  virtual void misused(cell& who, const char* advice) noexcept = 0;
  /// Logs a text of the actor.
  virtual void log(const cell& who, log_level level, std::string_view text) noexcept = 0;

  /// No actor was spawned.
  virtual void refused_spawn(const spawn_request& wanted, const cell* parent,
                             spawn_error why) noexcept = 0;
  /// A sibling has the wanted name, so the actor got another one.
  virtual void other_name(const cell& of, const name_changed& what) noexcept = 0;

  /// Logs the timers' warnings and publishes them on the event stream.
  virtual void timer_warnings() noexcept = 0;
  /// Logs how many records were left out, when due.
  virtual void flush() noexcept = 0;

protected:
  ~system_reports() = default;
};

}  // namespace tactor::inline v0::internal
