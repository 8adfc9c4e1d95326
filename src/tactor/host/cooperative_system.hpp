// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/core/system/system_interface.hpp"
#include "tactor/host/start_error.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>

namespace tactor::inline v0 {

/// An actor system on the thread that owns it: real time, and actors run when it is told to run. For a
/// program that has a loop of its own; others take `actor_system`, which runs by itself.
///
///     tactor::cooperative_system system;
///     auto greeter = system.spawn("greeter", [](tactor::context&, const greet& g) { ... });
///     greeter.tell(greet{"world"});
///     // the destructor handles what is queued, then stops
///
/// Context: one thread; messages may be sent, and timers scheduled, from that thread only.
class cooperative_system : public system_interface {
public:
  /// How long the destructor lets actors handle what is queued, and stop.
  static constexpr std::chrono::seconds default_deadline{5};

  /// Returns: the first setting that cannot work.
  [[nodiscard]] static std::expected<cooperative_system, start_error>
  start(const system_config& config = {});

  /// As `start`; settings that cannot work end the program with a text that says which.
  explicit cooperative_system(const system_config& config = {});
  cooperative_system(cooperative_system&& other) noexcept;
  cooperative_system& operator=(cooperative_system&& other) noexcept;
  cooperative_system(const cooperative_system&) = delete;
  cooperative_system& operator=(const cooperative_system&) = delete;
  /// Runs until nothing is ready, then stops all actors; within the default deadline.
  ~cooperative_system();

  // Running.

  /// One turn of one actor. Returns: false if none is ready.
  bool run_one();
  /// Fires the timers that are due and runs until nothing is ready. Returns: how many turns. For a
  /// loop of one's own; it sleeps, if at all, until `next_deadline`.
  std::size_t poll();
  /// When `poll` has something to do again, in nanoseconds from now; nothing: not before a message
  /// comes.
  [[nodiscard]] std::optional<duration> next_deadline();
  /// Runs and sleeps for so long.
  void run_for(duration length);
  /// Runs, and sleeps while nothing is due, until `done()`, looked at after every turn. Returns:
  /// false if `within` has passed, or if nothing is left that could run.
  template <class Done>
  bool run_until(Done done, duration within = std::chrono::hours{24}) {
    const std::uint64_t end = internal::later(now_ns(), within);
    while (!done()) {
      if (!run_one() && !wait_for_timers(end)) return false;
    }
    return true;
  }

  /// Stops all actors and takes no new ones. Returns: whether all ended within `deadline`.
  bool shutdown(duration deadline = default_deadline);

private:
  // NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is final
  struct parts;
  explicit cooperative_system(parts& made) noexcept;

  bool wait_for_timers(std::uint64_t end_ns);
  void end() noexcept;

  parts* parts_ = nullptr;  // null: moved from
};

}  // namespace tactor::inline v0
