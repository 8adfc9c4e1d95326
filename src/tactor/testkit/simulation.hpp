// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/system/shutdown_report.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/core/system/system_interface.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/seed.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string_view>

namespace tactor::inline v0::testkit {

template <class... Messages>
class probe;

/// A whole actor system on one thread and in virtual time, in which a seed decides which of the
/// ready actors runs next. Equal seeds give equal runs. Time passes only when told to, and then at
/// once: an hour costs as much as what happens in it.
///
///     simulation world{seed{42}};
///     auto prices = world.spawn_probe<quote>("pricing");
///     auto desk = world.spawn<shop>("shop", prices.ref());
///     world.run_for(200ms);
///
/// Time passes only while nothing is ready. An actor that is always ready, or actors that keep each
/// other busy for ever, would stop it: a call that handles more messages than `set_message_limit`
/// allows while no time passes ends the program with a message that names such an actor. So does an
/// actor that is restarted again and again while no time passes.
///
/// Context: one thread, which is not inside an actor.
class simulation : public system_interface {
public:
  /// Starts a system. Panics if a setting is invalid; `check(config)` names it.
  explicit simulation(seed from = {}, const system_config& config = {});
  simulation(const simulation&) = delete;
  simulation& operator=(const simulation&) = delete;
  /// Stops all actors at once; call `shutdown` to let them handle what is queued.
  ~simulation();

  // Running.

  /// Runs one turn of one actor. Returns: false if none is ready.
  bool run_one();
  /// Runs until nothing is ready; no time passes. Returns: the number of turns.
  std::size_t run_to_idle();
  /// Runs like the other form; panics after `most` turns, and not because of the number of
  /// messages.
  std::size_t run_to_idle(std::size_t most);
  /// Lets `length` pass, from deadline to deadline, running everything that becomes ready.
  void run_for(duration length);
  /// Runs until `done()`, checked after every turn; with nothing ready, time passes to the next
  /// deadline. Returns: false if `within` has passed, or if nothing is left to run.
  template <class Done>
  bool run_until(Done done, duration within = std::chrono::hours{1}) {
    begin_run();
    const std::uint64_t end = internal::later(now_ns(), within);
    while (!done()) {
      if (!step(end)) return done();
    }
    return true;
  }
  /// Sets the number of messages that a call may handle while no time passes; a turn without a
  /// message, and a callable of a timer, count as one. Requires: `most` is not 0.
  void set_message_limit(std::size_t most) noexcept;
  static constexpr std::size_t default_message_limit = 10'000'000;
  /// Returns: the clock, for pauses (`jump`) and single steps.
  [[nodiscard]] manual_clock& clock() noexcept;
  [[nodiscard]] seed seeded_with() const noexcept;

  /// Spawns an actor that records its messages; see `probe`.
  template <class... Messages>
  [[nodiscard]] probe<Messages...> spawn_probe(std::string_view name);

  // Ending.

  /// The time in which `shutdown` lets actors handle queued messages and stop.
  static constexpr std::chrono::seconds default_deadline{5};

  /// Ends the system like `actor_system::shutdown`, in virtual time. It accepts no new actors; live
  /// actors accept no new messages, handle the queued ones, and stop. When `deadline` has passed,
  /// the remaining actors, which are suspended, are stopped at once. Then the timers are closed,
  /// and the close tasks run. Every call returns the report of the first. Requires: no actor calls
  /// it.
  shutdown_report shutdown(duration deadline = default_deadline);
  /// Asks all actors to handle queued messages and stop, and accepts no new ones; `run_to_idle` or
  /// `run_for` then ends them.
  void begin_drain() { core().begin_drain(); }
  /// Asks all actors to stop and accepts no new ones; `run_to_idle` then ends them.
  void begin_stop() { core().begin_stop(); }

private:
  // NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is final
  struct parts;

  void begin_run() noexcept;
  bool step(std::uint64_t end_ns);

  std::unique_ptr<parts> parts_;
};

}  // namespace tactor::inline v0::testkit
