// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/scheduler/report/job_kind.hpp"  // IWYU pragma: export

#include <cstdint>

namespace tactor::inline v0 {

/// What a fixed-rate job does about runs that could not be executed in time.
enum class missed : std::uint8_t {
  fold,   // one execution for all of them, with their number
  burst,  // all of them, one after the other
  skip,   // one execution, then back on the grid
};

/// What happens to a timer that is still waiting when the scheduler shuts down.
enum class on_shutdown : std::uint8_t { cancel, run };

/// How many runs one execution represents.
struct execution_batch {
  std::uint64_t runs = 1;
  job_mode mode = job_mode::once;

  /// Runs without an execution of their own.
  [[nodiscard]] constexpr std::uint64_t missed() const noexcept { return runs - 1; }
  friend constexpr bool operator==(execution_batch, execution_batch) noexcept = default;
};

}  // namespace tactor::inline v0
