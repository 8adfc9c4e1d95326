// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/actor_control.hpp"
#include "tactor/core/actor/asking.hpp"
#include "tactor/core/actor/behaviour.hpp"  // IWYU pragma: keep (for its users)
#include "tactor/core/actor/cell/spawn_options.hpp"
#include "tactor/core/actor/delivery/actor_ref.hpp"
#include "tactor/core/actor/event_stream.hpp"
#include "tactor/core/actor/lifecycle/reply_slot.hpp"
#include "tactor/core/actor/reply_to.hpp"  // IWYU pragma: keep (for its users)
#include "tactor/core/actor/scheduling.hpp"
#include "tactor/core/actor/spawning.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/observe/metrics_snapshot.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/system/events.hpp"  // IWYU pragma: keep (for its users)
#include "tactor/core/system/system_config.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/core/timing/timer_instant.hpp"
#include "tactor/host/shutdown_report.hpp"
#include "tactor/host/start_error.hpp"
#include "tactor/host/threw.hpp"  // IWYU pragma: keep (for its users)

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

namespace tactor::inline v0 {

/// An actor system: actors that run by themselves, on worker threads, in real time.
///
///     tactor::actor_system system;
///     auto greeter = system.spawn("greeter", [](tactor::context&, const greet& g) { ... });
///     greeter.tell(greet{"world"});
///     // the destructor lets actors handle what is queued, then stops them
///
/// Thread safety: everything from any thread, except moving and destroying it.
class actor_system : public spawning<actor_system>,
                     public scheduling<actor_system>,
                     public asking<actor_system>,
                     public steering<actor_system> {
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

  /// The actor with that path, if it takes these messages; names nobody otherwise.
  template <class... Messages>
  [[nodiscard]] actor_ref<Messages...> find(std::string_view path) {
    const actor_ref<> found = core().find(path, internal::operations_list<Messages...>);
    return {found.slot(), found.generation()};
  }

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

  /// The stream of events.
  [[nodiscard]] event_stream& events() const { return core().events(); }
  [[nodiscard]] metrics_snapshot metrics() const { return core().metrics(); }
  /// How many actors live.
  [[nodiscard]] std::size_t live() const { return core().live(); }
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

  // For the mix-ins.
  /// The time, in nanoseconds of the system's clock.
  [[nodiscard]] std::uint64_t now_ns() const noexcept { return core().now_ns(); }
  [[nodiscard]] scheduler& timers() const noexcept;
  /// In whose name timers send: nobody's.
  [[nodiscard]] static internal::origin as_sender() noexcept { return {}; }
  /// Waits for answers.
  [[nodiscard]] internal::answer_driver& driver() const noexcept;
  /// Opens a question; see `asking`.
  [[nodiscard]] internal::reply_slot open_question() const noexcept;
  /// Makes an actor; see `spawning`.
  [[nodiscard]] std::expected<actor_ref<>, spawn_error>
  spawn_cell(const internal::spawn_request& wanted) const noexcept;
  [[nodiscard]] internal::system_core& core() const noexcept;

private:
  // NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is final
  class running;
  explicit actor_system(running& made) noexcept : running_(&made) {}
  void end() noexcept;

  running* running_;  // null: moved from
};

}  // namespace tactor::inline v0
