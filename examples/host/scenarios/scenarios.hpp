// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// Whole programs on worker threads that know how many messages they send: a count that differs is
/// an error.
namespace scenarios {

/// A number, as it should be and as it is.
struct count {
  const char* what = "";
  std::uint64_t expected = 0;
  std::uint64_t counted = 0;
};

/// The result of a scenario.
struct outcome {
  std::vector<count> counts;
  std::chrono::nanoseconds took{};
  std::chrono::nanoseconds
      without_a_core{};  // of it, the threads together, because the machine was busy

  /// True if each count is exact, and the scenario was quick enough.
  [[nodiscard]] bool sound() const noexcept;
};

/// A program with a name.
struct scenario {
  const char* name;
  const char* what;
  void (*run)(outcome& to);
};

/// All of them.
[[nodiscard]] std::span<const scenario> all() noexcept;

/// Runs one, or `all`, and prints how it went. Returns: the program's status: 1 if a count is
/// wrong, 2 if there is no such scenario.
[[nodiscard]] int run(std::string_view name);

}  // namespace scenarios
