// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"
#include "tactor/core/system/shutdown_report.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/core/system/system_interface.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/host/threw.hpp"  // IWYU pragma: keep (for its users)
#include "tactor/host/workers/worker_state.hpp"

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>

namespace tactor::inline v0 {

struct metrics_report;
struct snapshot_query;
struct trace_options;
struct recorded_metrics;
class metrics_sink;
enum class trace_format : std::uint8_t;

namespace testkit {
struct system_steps;
}

/// An actor system whose actors run on worker threads, in real time.
///
///     tactor::actor_system system;
///     auto greeter = system.spawn("greeter", [](tactor::context&, const greet& g) { ... });
///     greeter.tell(greet{"world"});
///     // the destructor lets actors handle queued messages, then stops them
///
/// Thread safety: everything from any thread, except moving and destroying it.
class actor_system : public system_interface {
public:
  /// The time in which a shutdown lets actors handle queued messages and stop.
  static constexpr std::chrono::seconds default_deadline{5};

  /// Starts a system. Returns: the system, or the first invalid setting.
  [[nodiscard]] static std::expected<actor_system, start_error>
  start(const system_config& config = {});

  /// Starts a system; an invalid setting ends the program with a message that names it.
  explicit actor_system(const system_config& config = {});
  actor_system(actor_system&& other) noexcept;
  actor_system& operator=(actor_system&& other) noexcept;
  actor_system(const actor_system&) = delete;
  actor_system& operator=(const actor_system&) = delete;
  /// Shuts down with the default deadline, logs late actors, and waits for late close tasks.
  ~actor_system() { end(); }

  /// Ends the system in three phases. First it stops accepting: see `stop_accepting`. Then it
  /// finishes: actors handle queued messages, and stop. When `deadline` has passed it stops the
  /// remaining actors at once; a thread that is in a handler then is detached and ends when the
  /// handler returns. Close tasks run, timers end, threads are joined. Every call returns after the
  /// shutdown, with equal reports, at most half a second after the earliest deadline of all calls.
  ///
  /// From inside an actor or a callable of this system it begins the shutdown, leaves the rest to
  /// another thread and returns the report so far: a thread must not wait for itself. This holds
  /// for the destructor, too. If the shutdown has begun, its deadline stays.
  ///
  /// In a process that was forked, which has none of the system's threads, it only counts the
  /// actors that are left.
  shutdown_report shutdown(duration deadline = default_deadline) const;
  /// Begins the first phase of a shutdown, and returns at once. The system accepts no new actors;
  /// live actors accept no new messages, handle the queued ones, and stop, each before its
  /// children. `shutdown` waits for them and does the rest.
  void stop_accepting() const noexcept;
  /// Returns: the phase that the system is in.
  [[nodiscard]] system_phase phase() const noexcept { return core().now_in(); }
  /// Stops all actors now: queued messages become dead letters. It may be called during a
  /// `shutdown`, which then has less to wait for; the shutdown ends the threads.
  void force_stop() const noexcept;
  /// Waits for SIGINT or SIGTERM, or until the system stops by itself because a top-level actor
  /// escalated a failure; then shuts down. A second signal has its previous effect: it ends the
  /// program.
  ///
  ///     return system.run_until_interrupted().exit_status();
  shutdown_report run_until_interrupted(duration deadline = default_deadline) const;
  /// Waits like `run_until_interrupted`, but does not shut down.
  /// Returns: the signal; 0: the system has stopped by itself.
  [[nodiscard]] int wait_for_interrupt() const;

  /// Returns: all figures, with times, and with figures of workers and actors; include
  /// `tactor/observe.hpp` for it. No worker waits for it. Throws: std::bad_alloc.
  [[nodiscard]] metrics_report full_metrics() const;

  /// Writes one part of what can be seen of the system, as one JSON object in one line; include
  /// `tactor/observe.hpp` for it. It sends no message, no worker waits for it, and it writes no
  /// more than the window that `wanted` names. Requires: `to` does not block. Throws:
  /// std::bad_alloc.
  ///
  ///     system.write_snapshot({.part = tactor::snapshot_part::actors, .limit = 20}, out);
  void write_snapshot(const snapshot_query& wanted, text_sink& to) const;

  /// Starts to record messages: sender, receiver, when and where each was handled, and what its
  /// handler sent; include `tactor/observe.hpp` for it. While no trace runs, nothing is recorded,
  /// at no cost. Returns: false if a trace runs already, or there is no memory.
  ///
  ///     system.start_trace({.longest = 2s, .path = "/user/desk"});
  [[nodiscard]] bool start_trace(const trace_options& options) const noexcept;
  /// Ends the running trace, if any, before it ends by itself. The recorded messages stay until the
  /// next trace.
  void stop_trace() const noexcept;
  /// Returns: true while a trace runs.
  [[nodiscard]] bool is_tracing() const noexcept;
  /// Writes the messages that the last trace has recorded so far. No worker waits for it. Returns:
  /// false if there was none. Requires: `to` does not block. Throws: std::bad_alloc.
  bool write_trace(trace_format format, text_sink& to) const;

  /// Gives all figures to `to`, about once per second while actors run. Null ends this: when the
  /// call has returned, the sink is not called any more. It has no effect without a real-time clock
  /// and `dispatch.blocked_after`. Requires: the sink does not call this; the sink outlives the
  /// system, or this is called with null before.
  void send_metrics_to(metrics_sink* to) const noexcept;
  /// Returns: the figures of the last quarter of an hour, the oldest first, one point for each
  /// second in which actors ran. They are recorded as `send_metrics_to` sends them. Throws:
  /// std::bad_alloc.
  [[nodiscard]] recorded_metrics metrics_history() const;

  /// Returns: a dispatcher, for the options of `timers().schedule_once` and the like, that runs
  /// callables of timers where actors with `where` run. `pinned`: each run has a new thread.
  [[nodiscard]] job_dispatcher& callables(dispatcher where) const noexcept;

  /// Changes the number of threads that run actors of the dispatcher `pool`, from 1 to 256. New
  /// threads start at once; a surplus thread finishes its turn, leaves its ready actors to the
  /// others, and ends. The call returns as soon as the threads know; `workers` shows their
  /// progress. An actor may call it.
  ///
  ///     if (const auto done = system.resize(8); !done) std::puts(to_text(done.error()));
  std::expected<void, resize_error> resize(std::uint32_t workers) const;
  /// Lets the number of workers change by itself from now on, within these limits: it rises while
  /// actors wait for a worker for long, and falls when for a while a worker had nothing to do.
  /// `resize` ends that. It has no effect without a real-time clock.
  ///
  ///     system.adapt({.least = 2, .most = 16});
  std::expected<void, resize_error> adapt(const adaptive_workers& how) const;
  /// Returns: the numbers of workers of the pool in each state, at about this moment.
  [[nodiscard]] worker_counts workers() const noexcept;

private:
  friend struct testkit::system_steps;
  void poll_now() const noexcept;
  [[nodiscard]] std::optional<timer_instant> next_poll() const noexcept;
  void settle(std::uint64_t most_messages) const noexcept;

  // NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is final
  class running;
  explicit actor_system(running& owned) noexcept;
  void end() noexcept;

  running* running_ = nullptr;  // null: moved from. <memory> takes long to compile
};

}  // namespace tactor::inline v0
