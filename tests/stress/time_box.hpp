// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdlib>

namespace tactor::stress {

/// The duration of a stress test: a second, or in `make soak` a minute unless it says otherwise.
class time_box {
public:
  explicit time_box(std::chrono::seconds in_soak = std::chrono::minutes{1})
      : end_(clock::now() +
             (std::getenv("TACTOR_SOAK") != nullptr ? in_soak : std::chrono::seconds{1})) {}

  [[nodiscard]] bool open() const { return clock::now() < end_; }

private:
  using clock = std::chrono::steady_clock;

  clock::time_point end_;
};

}  // namespace tactor::stress
