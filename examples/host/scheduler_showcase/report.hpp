// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/timers.hpp"

#include "scheduler_showcase/snapshot.hpp"
#include "scheduler_showcase/warnings.hpp"

#include <cstddef>
#include <string>

namespace showcase {

/// The outcome of a run, taken after the shutdown.
struct outcome {
  std::string dump;  // from just before
  snapshot last;
  const warnings& heard;
  tactor::host::close_summary closed;

  [[nodiscard]] bool sound() const {
    return balances(last.metrics) && agree(last.metrics, last.sums.own) && last.sums.own.early == 0;
  }
};

/// Returns: the dump of the scheduler, with only a few one-shots.
[[nodiscard]] std::string dump_of(const tactor::host::realtime_scheduler& timers,
                                  tactor::dump_format format);

/// Returns: a dump with only a few lines of each sort, cut at `width`.
[[nodiscard]] std::string abridged(const std::string& dump, std::size_t width);

/// Returns: text for people, with the accounts, the shutdown, and the warnings by kind.
[[nodiscard]] std::string in_words(const outcome& run);

/// Returns: the same for programs, as one JSON object on one line.
[[nodiscard]] std::string in_json(const outcome& run);

}  // namespace showcase
