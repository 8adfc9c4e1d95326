// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host/workers/worker_state.hpp"

#include <algorithm>
#include <cstdint>

namespace tactor::inline v0::internal {

/// Holds what was seen of a pool.
struct pool_load {
  std::uint32_t workers = 1;
  std::uint64_t queued = 0;   // cells that wait for a worker
  std::uint64_t wait_ns = 0;  // how long the last of them waits for its turn, at the present rate
  std::uint32_t quiet = 0;    // how many samples in a row have seen nothing queued
};

/// Says how many workers there should be from now on.
struct pool_decision {
  std::uint32_t workers = 1;
  std::uint32_t quiet = 0;  // for the next sample

  friend constexpr bool operator==(const pool_decision&, const pool_decision&) noexcept = default;
};

/// After so many samples without a queue, one worker is too many.
inline constexpr std::uint32_t quiet_samples = 20;

/// Estimates how long the last of `queued` cells waits, if as much was done in `interval_ns` as
/// `turns` says.
[[nodiscard]] constexpr std::uint64_t expected_wait_ns(std::uint64_t queued, std::uint64_t turns,
                                                       std::uint64_t interval_ns) noexcept {
  return queued * interval_ns / std::max<std::uint64_t>(turns, 1);
}

/// The number of workers for what was seen: half as many more when cells wait too long, one less
/// when nothing has been queued for a while. A pure function.
[[nodiscard]] constexpr pool_decision decide_workers(const pool_load& seen,
                                                     const adaptive_workers& how) noexcept {
  const auto long_wait_ns = static_cast<std::uint64_t>(how.long_wait.nanoseconds());
  const std::uint32_t within = std::clamp(seen.workers, how.least, how.most);
  if (seen.queued != 0) {
    const bool late = seen.wait_ns >= long_wait_ns;
    return {.workers = late ? std::min(how.most, within + (within + 1) / 2) : within, .quiet = 0};
  }
  const std::uint32_t quiet = seen.quiet + 1;
  if (quiet < quiet_samples || within == how.least) return {.workers = within, .quiet = quiet};
  return {.workers = within - 1, .quiet = 0};
}

}  // namespace tactor::inline v0::internal
