// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/realtime.hpp"

#include "scheduler_showcase/snapshot.hpp"
#include "scheduler_showcase/warnings.hpp"

#include <cstddef>
#include <string>

namespace showcase {

/// What a run came to. Taken after the shutdown.
struct outcome {
  std::string dump;  // from just before
  snapshot last;
  const warnings& heard;
  tactor::host::close_summary closed;

  [[nodiscard]] bool sound() const {
    return balances(last.metrics) && agree(last.metrics, last.sums.own) && last.sums.own.early == 0;
  }
};

/// The scheduler's own dump; of one-shots only a few.
[[nodiscard]] std::string dump_of(const tactor::host::realtime_scheduler& timers,
                                  tactor::dump_format format);

/// A dump as text with a few lines of each sort only, and those cut at `width`.
[[nodiscard]] std::string abridged(const std::string& dump, std::size_t width);

/// For people: the accounts, what the shutdown did, the warnings by kind.
[[nodiscard]] std::string in_words(const outcome& run);

/// For programs: the same as one JSON object, on one line.
[[nodiscard]] std::string in_json(const outcome& run);

}  // namespace showcase
