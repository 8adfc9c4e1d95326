// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

namespace tactor::stress {

using namespace tactor::internal;

/// How many threads of systems and schedulers this program has; `role`: only those.
inline std::size_t threads_of_ours(std::string_view role = {}) {
  std::size_t count = 0;
  for (const auto& task : std::filesystem::directory_iterator{"/proc/self/task"}) {
    std::string name;
    std::ifstream{task.path() / "comm"} >> name;
    const std::string_view ours = "tactor-";
    if (name.starts_with(ours) && std::string_view{name}.substr(ours.size()).starts_with(role))
      ++count;
  }
  return count;
}

/// Returns when there is none. Also behind a shutdown: a thread that the machine keeps from running is
/// left to itself after a tenth of a second, and a joined thread is shown for a moment longer.
inline void wait_for_threads_to_end(std::string_view role = {}) {
  while (threads_of_ours(role) != 0)
    std::this_thread::yield();
}

}  // namespace tactor::stress
