// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace showcase {

/// The recent load of the threads of one kind.
struct thread_load {
  std::string kind;  // "worker", "block", "timer"
  unsigned threads = 0;
  double busy = 0;  // processors: 1 is one thread all the time
};

/// Measures how busy the threads of the runtime are, by their names, as the system reports them.
class thread_watch {
public:
  /// Returns: the load since the last call; the first call returns that since the start of each
  /// thread. It is empty where the system does not show it.
  [[nodiscard]] std::vector<thread_load> sample();

private:
  std::map<std::string, std::uint64_t> ran_ns_;  // by thread
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Returns: the time for which the threads that live now were ready to run and had no core,
/// together. On an idle machine it does not grow.
[[nodiscard]] std::chrono::nanoseconds waited_for_a_core();

}  // namespace showcase
