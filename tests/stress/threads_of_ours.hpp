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

/// Counts the threads of systems and schedulers in this program; `role`: only those.
inline std::size_t threads_of_ours(std::string_view role = {}) {
  const std::filesystem::path tasks = "/proc/self/task";
  while (true) {
    const std::size_t threads = std::filesystem::hard_link_count(tasks) - 2;  // a link for each
    std::size_t listed = 0;
    std::size_t count = 0;
    for (const auto& task : std::filesystem::directory_iterator{tasks}) {
      ++listed;
      std::string name;
      std::ifstream{task.path() / "comm"} >> name;
      const std::string_view ours = "tactor-";
      if (name.starts_with(ours) && std::string_view{name}.substr(ours.size()).starts_with(role))
        ++count;
    }
    // A thread that ends meanwhile can cut the list short.
    if (listed == threads) return count;
  }
}

/// Returns when there is none. Also behind a shutdown: a thread that the machine keeps from running
/// is left to itself after a tenth of a second, and a joined thread is shown for a moment longer.
inline void wait_for_threads_to_end(std::string_view role = {}) {
  while (threads_of_ours(role) != 0)
    std::this_thread::yield();
}

}  // namespace tactor::stress
