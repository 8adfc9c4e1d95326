// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/observe/logger.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/scheduler/scheduler_config.hpp"
#include "tactor/core/timing/clock_check.hpp"
#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/core/timing/timing_config.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

namespace tactor::inline v0 {

/// How long one actor runs before others come first.
struct dispatch_config {
  /// Messages of users in one turn.
  std::uint32_t throughput = 1024;
  /// Messages that are sent in one turn, or an actor that only sends would run ahead of those who
  /// receive.
  std::uint32_t sends = 128;
  /// Time in one turn, looked at after each message; nothing: no clock is read for it.
  std::optional<duration> throughput_deadline = {};
  /// Time in one turn, looked at now and then, so that it costs next to nothing. Only a clock that
  /// moves by itself has a say. Nothing: no clock is read for it.
  std::optional<duration> slice = std::chrono::microseconds{200};
};

/// The threads of a system besides its workers.
struct dispatchers_config {
  /// How many threads the blocking dispatcher has. They start when its first actor does.
  std::uint32_t blocking_threads = 16;
  /// Whether each worker stays on one processor.
  bool pin_workers = false;
  /// Every dispatcher stands for the pool: for simulations, and for one's own loop.
  bool all_on_pool = false;
};

/// What is measured.
struct metrics_config {
  metrics_level level = metrics_level::system;
};

/// What time is.
struct clock_config {
  /// Null: the platform's own. Any other outlives everything that was scheduled.
  const monotonic_clock* source = nullptr;
  /// A manual clock is refused in production: nobody would move it.
  clock_use use = clock_use::production;
};

/// How an actor system behaves: `actor_system system{{.name = "market", .max_actors = 100}};`
struct system_config {
  /// Stands in each line of its log. Outlives the system; empty: it has none.
  std::string_view name = {};
  /// Actors that may live at a time, guardians not counted.
  std::size_t max_actors = 100'000'000;
  /// How many threads run actors; 0: as many as there are processors.
  std::uint32_t workers = 0;
  /// Where chance comes from that the runtime itself uses: the jitter of restarts. 0 on the machine's
  /// own clock: another one each time.
  std::uint64_t seed = 0;
  scheduler_config scheduler = {};
  clock_config clock = {};
  dispatch_config dispatch = {};
  dispatchers_config dispatchers = {};
  metrics_config metrics = {};
  log_config log = {};
};

/// Returns: the first setting that cannot work; nothing if all can.
[[nodiscard]] std::expected<void, config_error> check(const system_config& config) noexcept;

}  // namespace tactor::inline v0
