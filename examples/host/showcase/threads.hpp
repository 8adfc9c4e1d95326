// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace showcase {

/// How busy threads of one kind were lately.
struct thread_load {
  std::string kind;  // "worker", "block", "timer"
  unsigned threads = 0;
  double busy = 0;  // processors: 1 is one thread all the time
};

/// Looks how busy the threads of the runtime are, by their names, as the system shows them.
class thread_watch {
public:
  /// Since the last look; the first one since the start of each thread. Empty where the system does not
  /// show it.
  [[nodiscard]] std::vector<thread_load> look();

private:
  std::map<std::string, std::uint64_t> ran_ns_;  // by thread
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace showcase
