// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/cell/spawn_options.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/core/system/system_interface.hpp"
#include "tactor/core/timing/timer_instant.hpp"
#include "tactor/host/shutdown_report.hpp"
#include "tactor/host/start_error.hpp"
#include "tactor/host/threw.hpp"  // IWYU pragma: keep (for its users)

#include <chrono>
#include <expected>
#include <optional>

namespace tactor::inline v0 {

/// An actor system: actors that run by themselves, on worker threads, in real time.
///
///     tactor::actor_system system;
///     auto greeter = system.spawn("greeter", [](tactor::context&, const greet& g) { ... });
///     greeter.tell(greet{"world"});
///     // the destructor lets actors handle what is queued, then stops them
///
/// Thread safety: everything from any thread, except moving and destroying it.
class actor_system : public system_interface {
public:
  /// How long a shutdown lets actors handle what is queued, and stop.
  static constexpr std::chrono::seconds default_deadline{5};

  /// Returns: the first setting that cannot work.
  [[nodiscard]] static std::expected<actor_system, start_error>
  start(const system_config& config = {});

  /// As `start`; settings that cannot work end the program with a text that says which.
  explicit actor_system(const system_config& config = {});
  actor_system(actor_system&& other) noexcept;
  actor_system& operator=(actor_system&& other) noexcept;
  actor_system(const actor_system&) = delete;
  actor_system& operator=(const actor_system&) = delete;
  /// As `shutdown`, with the default deadline; who is late is logged.
  ~actor_system();

  /// Takes no new actors; those that live take no new messages, handle what is queued, and stop. When
  /// `deadline` is over the rest is stopped at once, and whoever is in a handler then is left to
  /// itself: its thread ends when the handler returns. Close tasks run, timers end, threads are
  /// joined. Every call returns when it is over, with the same report, at most 400 ms after the
  /// deadline.
  ///
  /// From inside an actor or a callable of this system it begins the shutdown, leaves the rest to a
  /// thread of its own and returns what is known so far: waiting for oneself never ends. The same
  /// goes for the destructor.
  shutdown_report shutdown(duration deadline = default_deadline) const;
  /// Stops all actors now: what is queued becomes dead letters. Also during a `shutdown`, which then
  /// has less to wait for; the threads end with that.
  void force_stop() const noexcept;
  /// Waits for SIGINT or SIGTERM, then shuts down; also if the system stops by itself, because a
  /// failure went past the root. A second signal does what it did before: it ends the program.
  ///
  ///     return system.run_until_interrupted().exit_status();
  shutdown_report run_until_interrupted(duration deadline = default_deadline) const;

  /// Where the callables of timers run, for the options of `timers().schedule_once` and the like:
  /// where actors with that dispatcher do. Not on a thread of one's own.
  [[nodiscard]] job_dispatcher& callables(dispatcher where) const noexcept;

  // For a clock that does not move by itself; see `clock_config::use`, and `testkit::system_drive`,
  // which calls all three.
  /// Lets the timers look.
  void poll_now() const noexcept;
  /// When they want to look next; nothing: not before something is scheduled.
  [[nodiscard]] std::optional<timer_instant> next_poll() const noexcept;
  /// Returns when all actors have handled what they were sent and every thread sleeps. Requires: no
  /// other thread sends meanwhile, and it is none of this system.
  void settle() const noexcept;

private:
  // NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is final
  class running;
  explicit actor_system(running& made) noexcept;
  void end() noexcept;

  running* running_ = nullptr;  // null: moved from
};

}  // namespace tactor::inline v0
