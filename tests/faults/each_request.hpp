// SPDX-License-Identifier: BSL-1.0
// Runs a scenario once for each of its requests for memory or threads, each time in a process of
// its own, and lets that request fail.
#pragma once

#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/host/os/mapped_pages.hpp"

#include "failing_resources.hpp"
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <thread>

namespace tactor::faults {

inline constexpr unsigned longest_s = 50;  // of one run; a longer one hangs
/// Of an ask or a shutdown that should succeed or fail at once.
inline constexpr std::chrono::seconds timeout{15};

/// One run of a scenario, in a child process, which says by its exit status how it went.
class run {
public:
  enum class result : std::uint8_t { passed, failed, no_request_failed };

  explicit run(std::size_t failing) : failing_(failing) {}

  /// From now on requests count.
  void arm() const { fail_request(failing_); }
  [[nodiscard]] bool has_failed() const { return requests() > failing_; }
  void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "not so: %s\n", what);
    all_hold_ = false;
  }
  [[nodiscard]] result end() const {
    const bool one_failed = has_failed();
    fail_nothing();
    if (!all_hold_) return result::failed;
    return one_failed ? result::passed : result::no_request_failed;
  }

private:
  std::size_t failing_;
  bool all_hold_ = true;
};

/// Pages of actors and messages, which fail, too: the program maps them in large chunks.
class failing_pages final : public internal::page_source {
public:
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    if (request_fails()) return nullptr;
    return internal::mapped_pages::of_program().allocate(bytes, alignment);
  }
};
inline constinit failing_pages pages;

/// Counts the threads. Allocates nothing.
inline std::size_t thread_count() {
  struct stat folder{};
  (void)::stat("/proc/self/task", &folder);
  return folder.st_nlink;
}

template <class Scenario>
[[noreturn]] void run_as_child(std::size_t failing, Scenario scenario) noexcept {
  (void)::alarm(longest_s);
  internal::program_memory.pages.provide(pages);
  const std::size_t before = thread_count();
  run now{failing};
  scenario(now);
  while (thread_count() > before)  // a thread that stays is a hang
    std::this_thread::yield();
  ::_exit(static_cast<int>(now.end()));
}

template <class Scenario>
int status_of(std::size_t failing, Scenario scenario) {
  const ::pid_t child = ::fork();
  if (child == 0) run_as_child(failing, scenario);
  int status = 0;
  (void)::waitpid(child, &status, 0);
  return status;
}

/// Runs `scenario(run&)` with each of its requests failing once. Returns: how many there are.
template <class Scenario>
std::size_t fail_each(Scenario scenario) {
  constexpr int enough = 3;  // threads race: one run may make fewer requests than another
  std::size_t number = 0;
  for (int without = 0; without < enough; ++number) {
    const int status = status_of(number, scenario);
    if (WIFSIGNALED(status)) {
      ADD_FAILURE() << "request " << number << " ends the program: signal " << WTERMSIG(status)
                    << (WTERMSIG(status) == SIGALRM ? ", it hangs" : "");
      continue;
    }
    const auto said = static_cast<run::result>(WEXITSTATUS(status));
    EXPECT_NE(said, run::result::failed) << "request " << number;
    without = said == run::result::no_request_failed ? without + 1 : 0;
  }
  return number - enough;
}

inline void say_nothing(const log_record& /*what*/) noexcept {}

}  // namespace tactor::faults
