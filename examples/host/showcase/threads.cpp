// SPDX-License-Identifier: BSL-1.0
#include "showcase/threads.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace showcase {
namespace {

constexpr std::string_view ours = "tactor-";

thread_load& entry_for(std::vector<thread_load>& all, std::string_view kind) {
  const auto entry = std::ranges::find(all, kind, &thread_load::kind);
  return entry != all.end() ? *entry : all.emplace_back(thread_load{.kind = std::string{kind}});
}

}  // namespace

std::vector<thread_load> thread_watch::sample() {
  const auto now = std::chrono::steady_clock::now();
  const double passed_ns = std::max(
      1.0, std::chrono::duration<double, std::nano>{now - std::exchange(last_, now)}.count());
  std::vector<thread_load> all;
  std::error_code failed;
  for (const auto& task : std::filesystem::directory_iterator{"/proc/self/task", failed}) {
    std::string name;
    std::uint64_t ran_ns = 0;
    std::ifstream{task.path() / "comm"} >> name;
    if (!name.starts_with(ours) || !(std::ifstream{task.path() / "schedstat"} >> ran_ns)) continue;
    const std::string_view role = std::string_view{name}.substr(ours.size());
    thread_load& load = entry_for(all, role.substr(0, role.find('-')));
    ++load.threads;
    const std::uint64_t before = std::exchange(ran_ns_[task.path().filename()], ran_ns);
    load.busy += static_cast<double>(ran_ns - std::min(before, ran_ns)) / passed_ns;
  }
  std::ranges::sort(all, {}, &thread_load::kind);
  return all;
}

std::chrono::nanoseconds waited_for_a_core() {
  std::chrono::nanoseconds sum{};
  std::error_code failed;
  for (const auto& task : std::filesystem::directory_iterator{"/proc/self/task", failed}) {
    std::int64_t ran = 0;
    std::int64_t waited = 0;
    if (std::ifstream{task.path() / "schedstat"} >> ran >> waited)
      sum += std::chrono::nanoseconds{waited};
  }
  return sum;
}

}  // namespace showcase
