// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/observe/logger.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/scheduler/scheduler_config.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/timing/timing_config.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>

namespace tactor::inline v0 {

struct middleware_chain;
class spawn_middleware;

/// The limits of one turn, after which an actor yields.
struct dispatch_config {
  /// User messages handled in one turn, at least 1.
  std::uint32_t throughput = 1024;
  /// Messages sent in one turn, at least 1, so that an actor that only sends does not run ahead of
  /// its receivers.
  std::uint32_t sends = 128;
  /// Time in one turn, more than 0, checked after each message. Nothing: the clock is not read for
  /// it.
  std::optional<duration> throughput_deadline = {};
  /// Time in one turn, more than 0, checked from time to time, at almost no cost. Needs a real-time
  /// clock. Nothing: the clock is not read for it.
  std::optional<duration> slice = std::chrono::microseconds{200};
  /// The log names a handler that keeps a worker of the pool for longer than this time, which is
  /// more than 0. Needs threads and a real-time clock. Nothing: no thread watches.
  std::optional<duration> blocked_after = std::chrono::seconds{1};
};

/// The threads of a system besides its pool.
struct dispatchers_config {
  /// The threads of the blocking dispatcher, 1 to 256. They start with its first actor.
  std::uint32_t blocking_threads = 16;
  /// Binds each worker to one processor.
  bool pin_workers = false;
  /// Runs the actors of every dispatcher on the pool: for simulations and cooperative loops.
  bool all_on_pool = false;
};

/// The amount of measuring.
struct metrics_config {
  metrics_level level = metrics_level::system;
};

/// The source of time.
struct clock_config {
  /// Null: the platform's own. Any other clock outlives everything that was scheduled.
  const monotonic_clock* source = nullptr;
  /// A manual clock is refused in production: it would never move.
  clock_use use = clock_use::production;
};

/// Settings of an actor system: `actor_system system{{.name = "market", .max_actors = 100}};`
struct system_config {
  /// Part of each log line. Outlives the system; empty: no name.
  std::string_view name = {};
  /// The maximum number of live actors without the guardian, at least 1.
  std::size_t max_actors = 100'000'000;
  /// The number of threads that run actors, at most 256. 0: one for each processor that the process
  /// may use.
  std::uint32_t workers = 0;
  /// Seed of the random numbers of `ctx.random()`, and of the jitter of restarts. 0 with a
  /// real-time clock: a different seed each time.
  std::uint64_t seed = 0;
  scheduler_config scheduler = {};
  clock_config clock = {};
  dispatch_config dispatch = {};
  dispatchers_config dispatchers = {};
  metrics_config metrics = {};
  log_config log = {};
  /// Called before and after each message of every actor; outlives the system. Null: none.
  const middleware_chain* middleware = nullptr;
  /// See what is spawned, in this order; they and the list outlive the system.
  std::span<tactor::spawn_middleware* const> spawn_middleware = {};
};

/// Returns: the first invalid setting; nothing if all are valid.
[[nodiscard]] std::expected<void, config_error> check(const system_config& config) noexcept;

/// The reason why a system cannot start: a setting, its value, and the values that are allowed.
using start_error = config_error;

namespace internal {

/// The names that errors use for the scheduler's settings in a `system_config`.
inline constexpr scheduler_sections scheduler_in_system{.own = "scheduler.",
                                                        .timing = "scheduler.timing."};

}  // namespace internal

}  // namespace tactor::inline v0
