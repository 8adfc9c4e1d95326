// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdlib>

namespace tactor::stress {

/// How long a stress test goes on: a second, a minute in `make soak`.
class time_box {
public:
  [[nodiscard]] bool open() const { return clock::now() < end_; }

private:
  using clock = std::chrono::steady_clock;

  clock::time_point end_ =
      clock::now() + std::chrono::seconds{std::getenv("TACTOR_SOAK") != nullptr ? 60 : 1};
};

}  // namespace tactor::stress
