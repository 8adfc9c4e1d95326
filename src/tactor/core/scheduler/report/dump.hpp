// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/text_sink.hpp"

#include <cstddef>
#include <cstdint>

namespace tactor::inline v0 {

class scheduler;

/// How a dump is written: a line for each thing, `name: key=value …`, or one JSON object of the
/// same names.
enum class dump_format : std::uint8_t { text, json };

/// How many one-shots a dump shows; of the others it says how many they are. Periodic jobs are
/// shown all.
inline constexpr std::size_t one_shots_in_a_dump = 100;

/// Writes what a scheduler holds at this moment: where its wheel stands, each periodic job with its
/// mode, backlog, last fire and next tick, one-shots, commands under way, and its metrics. Others
/// may schedule and cancel meanwhile. An id is that of `cancellable::id`, as text: it uses all of
/// 64 bits.
///
/// Context: the owner of `of`; the host takes the driver's lock.
void dump(scheduler& of, dump_format format, text_sink& to,
          std::size_t one_shots = one_shots_in_a_dump) noexcept;

}  // namespace tactor::inline v0
