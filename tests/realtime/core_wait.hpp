// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tactor::realtime {

/// The time in which the main thread and those whose names begin with one of `names` were ready to
/// run and had no core, since they began. On an idle host it does not grow. Tests subtract it from
/// what they measure: a bound on the median of the rest also holds on a busy host.
inline std::chrono::nanoseconds core_wait_of(std::initializer_list<std::string_view> names) {
  const std::string main_thread = std::to_string(::getpid());
  std::chrono::nanoseconds sum{};
  for (const auto& thread : std::filesystem::directory_iterator{"/proc/self/task"}) {
    std::string name;
    std::getline(std::ifstream{thread.path() / "comm"}, name);
    std::int64_t ran = 0;
    std::int64_t waited = 0;
    std::ifstream{thread.path() / "schedstat"} >> ran >> waited;
    bool counts = thread.path().filename() == main_thread;
    for (const std::string_view each : names)
      counts = counts || name.starts_with(each);
    if (counts) sum += std::chrono::nanoseconds{waited};
  }
  return sum;
}

}  // namespace tactor::realtime
