// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/cancellable.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace tactor::inline v0::internal {

class system_services;
class cell;

/// The purposes of an actor's deadlines: the keys of `actor_deadlines`.
enum class deadline_of : std::uint8_t {
  asks,             // the pending ask that times out first
  receive_timeout,  // its receive timeout
  long_wait,        // the next look at what it waits to send
  restart,          // the end of its back-off
  await_external,   // these suspensions end by themselves
  rate_limit,
  user_defined,
};

/// The deadlines of one actor on a single timer: set, moved and cancelled without touching the
/// wheel unless one is earlier than all others. The timer fires as a system message to the actor,
/// which then polls. If no deadline has been reached, the timer is armed again.
///
/// The interface of `deadline_timer` for actors: stable keys, insert and re-arm (`set`), `cancel`,
/// `poll_expired`; the timer is the scheduler's. Context: the worker that runs the cell. All-zero
/// is the valid initial state.
class actor_deadlines {
public:
  /// Sets or moves a deadline. Returns: false, and nothing has changed, if there is no memory for a
  /// timer. A time that has passed, also 0, falls due on the next tick.
  [[nodiscard]] bool set(system_services& services, cell& of, deadline_of what,
                         std::uint64_t when_ns, std::uint64_t now_ns) noexcept;
  /// Sets a deadline for `when_ns` unless it is set for an earlier time. Returns: as `set`.
  [[nodiscard]] bool set_no_later(system_services& services, cell& of, deadline_of what,
                                  std::uint64_t when_ns, std::uint64_t now_ns) noexcept {
    return covers(what, when_ns) || set(services, of, what, when_ns, now_ns);
  }
  /// Forgets a deadline. The timer stays, because it may be needed again.
  void cancel(deadline_of what) noexcept { when(what) = 0; }
  /// Forgets a deadline; the timer ends if no other deadline is set.
  void cancel_with_timer(deadline_of what) noexcept {
    cancel(what);
    if (earliest() == 0) end_timer();
  }
  /// Forgets all of them.
  void cancel_all() noexcept {
    when_ = {};
    end_timer();
  }

  /// Tells whether the deadline `what` is set.
  [[nodiscard]] bool is_set(deadline_of what) const noexcept {
    return when_[std::to_underlying(what)] != 0;
  }
  /// Tells whether the deadline `what` is set for `when_ns` or earlier.
  [[nodiscard]] bool covers(deadline_of what, std::uint64_t when_ns) const noexcept {
    const std::uint64_t set_for = when_[std::to_underlying(what)];
    return set_for != 0 && set_for <= when_ns;
  }

  /// The timer has fired. The next one can have its record.
  void timer_fired() noexcept {
    timer_ = {};
    armed_for_ns_ = 0;
  }
  /// Removes and returns a deadline that has been reached, in the order of the keys.
  [[nodiscard]] std::optional<deadline_of> poll_expired(std::uint64_t now_ns) noexcept;
  /// Sets the timer for the next deadline, if there is one. Returns: false if there is no memory.
  [[nodiscard]] bool rearm(system_services& services, cell& of, std::uint64_t now_ns) noexcept;

private:
  static constexpr std::size_t keys = 7;

  [[nodiscard]] std::uint64_t& when(deadline_of what) noexcept {
    return when_[std::to_underlying(what)];
  }
  [[nodiscard]] std::uint64_t earliest() const noexcept;  // 0: none is set
  void end_timer() noexcept {
    timer_.cancel();
    timer_ = {};
    armed_for_ns_ = 0;
  }

  std::array<std::uint64_t, keys> when_{};  // 0: not set
  std::uint64_t armed_for_ns_ = 0;          // when the timer fires; 0: it is not set
  cancellable timer_;
};

}  // namespace tactor::inline v0::internal
