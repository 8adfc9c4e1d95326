// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/testkit/manual_clock.hpp"

#include <cstdint>
#include <optional>

namespace tactor::inline v0::testkit {

/// Steps that only tests take with an `actor_system` or a `host::realtime_scheduler`, which has
/// `poll_now` only.
struct system_steps {
  /// Polls the timers.
  template <class System>
  static void poll_now(const System& of) noexcept {
    of.poll_now();
  }
  /// Returns: the time of the next poll that the timers need; nothing: none before a timer is
  /// scheduled.
  template <class System>
  [[nodiscard]] static std::optional<timer_instant> next_poll(const System& of) noexcept {
    return of.next_poll();
  }
  /// Waits until all actors have handled their messages and every thread sleeps. With an actor that
  /// is always ready this would never happen: after `most_messages` messages and turns the program
  /// ends with a message that names the actors that run. Requires: no other thread sends meanwhile,
  /// and the calling thread is none of this system.
  template <class System>
  static void settle(const System& of, std::uint64_t most_messages = 100'000'000) noexcept {
    of.settle(most_messages);
  }
};

/// Connects a system with threads to a manual clock: at each deadline the clock waits until every
/// worker is idle.
///
///     testkit::manual_clock clock;
///     actor_system system{{.clock = {.source = &clock, .use = clock_use::test}}};
///     const testkit::system_drive drive{clock, system};
///     clock.advance(10s);
///
/// A thread that waits for an answer with `get` waits in real time. Context: the test's thread,
/// which runs no actor.
template <class System>
class system_drive final : public clock_driven {
public:
  /// Requires: both outlive the drive; `clock` is the system's.
  system_drive(manual_clock& clock, const System& driven) noexcept
      : clock_(clock), driven_(driven) {
    clock_.attach(*this);
  }
  ~system_drive() { clock_.detach(*this); }
  system_drive(const system_drive&) = delete;
  system_drive& operator=(const system_drive&) = delete;

  [[nodiscard]] std::optional<timer_instant> next_poll() const noexcept override {
    system_steps::settle(driven_);  // queued messages may lead to earlier deadlines
    return system_steps::next_poll(driven_);
  }
  void poll() noexcept override {
    system_steps::poll_now(driven_);
    system_steps::settle(driven_);
  }

private:
  manual_clock& clock_;
  const System& driven_;
};

}  // namespace tactor::inline v0::testkit
