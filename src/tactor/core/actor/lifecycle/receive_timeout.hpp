// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"

#include <cstdint>
#include <expected>
#include <optional>

namespace tactor::inline v0 {

/// No message came for so long. An actor that has set a receive timeout gets it in its handler
/// `receive(context&, const tactor::receive_timeout&)`, which is not in its list: nobody can send it.
struct receive_timeout {
  static constexpr const char* type_name = "tactor::receive_timeout";
  duration after;
};

namespace internal {

class system_services;
struct thread_record;

/// What an actor with a receive timeout remembers. Context: whoever runs the cell.
struct idle_watch {
  std::uint64_t timeout_ns = 0;
  std::uint64_t active_ns = 0;  // when it was active last
};

/// Sets the timeout of the actor that runs; see `context::set_receive_timeout`.
[[nodiscard]] std::expected<void, scheduler_error> set_receive_timeout(thread_record& here, cell& c,
                                                                       duration timeout) noexcept;
/// Takes it back.
void cancel_receive_timeout(cell& c) noexcept;

/// Writes down that the actor was active in this turn, if it was: one look at the clock.
/// Requires: it has a timeout.
void note_activity(system_services& services, cell& c) noexcept;

/// The deadline was reached. Returns: the timeout, if the actor was idle for so long: it is to be
/// told, and the time starts anew. Otherwise nothing, and the deadline is set for the rest.
[[nodiscard]] std::optional<duration> look_at_idling(system_services& services, cell& c,
                                                     std::uint64_t now_ns) noexcept;
/// The deadline was reached, but the actor does not run because it failed: it is looked at again when
/// it goes on.
void defer_idling(cell& c) noexcept;
/// A suspension begins that is not a failure: the time stands still.
void pause_idling(cell& c) noexcept;
/// The actor runs again.
void go_on_idling(system_services& services, cell& c) noexcept;

}  // namespace internal
}  // namespace tactor::inline v0
