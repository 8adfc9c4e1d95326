// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/system/shutdown_report.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/core/system/system_interface.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>

namespace tactor::inline v0 {

/// An actor system on the thread that owns it: in real time, actors run when the program calls
/// `poll` or `run_*`. For a program with a loop of its own; other programs use `actor_system`.
///
///     tactor::cooperative_system system;
///     auto greeter = system.spawn("greeter", [](tactor::context&, const greet& g) { ... });
///     greeter.tell(greet{"world"});
///     // the destructor handles queued messages, then stops
///
/// With a manual clock (`clock_use::test`) no time passes in `run_for`, `run_until`, `shutdown` and
/// `get`: they run what is ready and due, and return. If an actor is always ready, they return
/// after ten million messages, turns and callables.
///
/// Context: one thread at a time; messages may be sent, and timers scheduled, from that thread
/// only. A thread that runs the system or makes one of its actors ready while another thread uses
/// it ends the program with a message that says so.
class cooperative_system : public system_interface {
public:
  /// The time in which the destructor lets actors handle queued messages and stop.
  static constexpr std::chrono::seconds default_deadline{5};

  /// Starts a system. Returns: the system, or the first invalid setting.
  [[nodiscard]] static std::expected<cooperative_system, start_error>
  start(const system_config& config = {});

  /// Starts a system; an invalid setting ends the program with a message that names it.
  explicit cooperative_system(const system_config& config = {});
  cooperative_system(cooperative_system&& other) noexcept;
  cooperative_system& operator=(cooperative_system&& other) noexcept;
  cooperative_system(const cooperative_system&) = delete;
  cooperative_system& operator=(const cooperative_system&) = delete;
  /// Shuts down with the default deadline, and logs late actors.
  ~cooperative_system() { end(); }

  // Running.

  /// Runs one turn of one actor. Returns: false if none is ready.
  bool run_one();
  /// Fires the timers that are due and runs until nothing is ready, or for `most` turns. A
  /// program's own loop calls it, and may sleep until `next_deadline` after less than `most` turns.
  /// Returns: the number of turns.
  std::size_t poll(std::size_t most = static_cast<std::size_t>(-1));
  /// Returns: the time from now until `poll` has work again, 0 if a callable of a timer waits;
  /// nothing if it has none before a message arrives.
  [[nodiscard]] std::optional<duration> next_deadline();
  /// Runs and sleeps for `length`.
  void run_for(duration length);
  /// Runs, and sleeps while nothing is due, until `done()`, checked after every turn. Returns:
  /// false if `within` has passed, or if nothing is left that could run.
  template <class Done>
  bool run_until(Done done, duration within = std::chrono::hours{24}) {
    const std::uint64_t end = begin_run(within);
    while (!done()) {
      if (!step(end)) return done();
    }
    return true;
  }

  /// Ends the system. It accepts no new actors; live actors accept no new messages, handle the
  /// queued ones, and stop. When `deadline` has passed, or nothing is left that could run, the
  /// remaining actors are stopped at once. Then close tasks run, on this thread, and timers end.
  /// Every call returns the same report. From inside an actor or a callable of this system it only
  /// begins the shutdown.
  shutdown_report shutdown(duration deadline = default_deadline);

private:
  // NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is final
  struct parts;
  explicit cooperative_system(parts& owned) noexcept;
  void end() noexcept;

  std::uint64_t begin_run(duration within);
  bool step(std::uint64_t end_ns);

  parts* parts_ = nullptr;  // null: moved from. <memory> takes long to compile
};

}  // namespace tactor::inline v0
