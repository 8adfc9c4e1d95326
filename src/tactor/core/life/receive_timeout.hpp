// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"

#include <cstdint>
#include <expected>
#include <optional>

namespace tactor::inline v0 {

/// No message came within the receive timeout. An actor that has set one gets this in its handler
/// `receive(context&, const tactor::receive_timeout&)`. It is not in the actor's list of messages,
/// and cannot be sent.
struct receive_timeout {
  static constexpr const char* type_name = "tactor::receive_timeout";
  duration after;
};

namespace internal {

class system_services;
struct thread_record;

/// The times of a receive timeout. Context: the worker that runs the cell.
struct receive_timeout_times {
  std::uint64_t timeout_ns = 0;
  std::uint64_t active_ns = 0;  // the last activity
};

/// Sets the timeout of the actor that runs; see `context::set_receive_timeout`.
[[nodiscard]] std::expected<void, scheduler_error> set_receive_timeout(thread_record& here, cell& c,
                                                                       duration timeout) noexcept;
/// Cancels the timeout.
void cancel_receive_timeout(cell& c) noexcept;

/// Records the time if the actor was active in this turn: one clock read. Requires: it has a
/// timeout.
void note_activity(system_services& services, cell& c) noexcept;

/// The deadline was reached. Returns: the timeout, if the actor was idle for that long. Otherwise
/// nothing, and the deadline is set for the rest.
[[nodiscard]] std::optional<duration> check_receive_timeout(system_services& services, cell& c,
                                                            std::uint64_t now_ns) noexcept;
/// The actor has handled its timeout: the time starts again, unless the handler has cancelled,
/// paused or set the timeout. After the handler, so that a slow one is not told again at once.
void repeat_receive_timeout(system_services& services, cell& c) noexcept;
/// The deadline was reached while the actor is suspended by its failure: checked again when it
/// resumes.
void defer_receive_timeout(cell& c) noexcept;
/// A suspension begins that is not the actor's own failure: the timeout is paused.
void pause_receive_timeout(cell& c) noexcept;
/// The actor runs again: its timeout continues. Requires: it has one.
void restart_receive_timeout(system_services& services, cell& c) noexcept;

}  // namespace internal
}  // namespace tactor::inline v0
