// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/text_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tactor::inline v0 {

class scheduler;
struct scheduler_metrics;

/// The format of a dump: lines of `name: key=value …`, or one JSON object with the same names.
enum class dump_format : std::uint8_t { text, json };

/// Says how many jobs a dump shows; its metrics and `left_out` count all.
struct dump_limits {
  std::size_t one_shots = 100;
  std::size_t periodic = std::numeric_limits<std::size_t>::max();
};

namespace internal {
class dump_writer;
/// Writes the groups of a dump.
void write_dump(dump_writer& out, scheduler& of, const dump_limits& limits) noexcept;
/// Writes the group `metrics` of a dump.
void write_metrics(dump_writer& out, const scheduler_metrics& now) noexcept;
}  // namespace internal

/// The dump of a system shows so many actors; the others are counted.
inline constexpr std::size_t actors_in_a_dump = 1000;

/// Writes the current state of a scheduler: the position of its wheel, each periodic job with its
/// mode, backlog, last fire and next tick, one-shots, pending commands, and its metrics. Other
/// threads may schedule and cancel meanwhile. An id is that of `cancellable::id`, as text: it uses
/// all 64 bits.
///
/// Context: any thread; on the host it takes the driver's lock for a few jobs at a time, and does
/// not wait for a driver that sleeps. `to` is called without a lock.
void dump(scheduler& of, dump_format format, text_sink& to, dump_limits limits = {}) noexcept;

}  // namespace tactor::inline v0
