// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0 {

/// What kind of job a run belongs to.
enum class job_mode : std::uint8_t { once, fixed_rate, fixed_delay };

/// What becomes of the runs of a fixed-rate job that nobody had time for.
enum class missed : std::uint8_t {
  fold,   // one execution that stands for all of them, and says how many
  burst,  // all of them, one after the other
  skip,   // one, then back on the grid
};

/// How many runs one execution stands for.
struct execution_batch {
  std::uint64_t runs = 1;
  job_mode mode = job_mode::once;

  /// Runs that had no execution of their own.
  [[nodiscard]] constexpr std::uint64_t missed() const noexcept { return runs - 1; }
  friend constexpr bool operator==(execution_batch, execution_batch) noexcept = default;
};

}  // namespace tactor::inline v0
