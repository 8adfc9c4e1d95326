// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <source_location>
#include <string>
#include <string_view>

// Declared here because a scenario may include the port alone.
namespace tactor::inline v0::internal {}

/// Writes and explores scenarios; see README.md beside this file.
namespace tactor::model {

using namespace tactor::internal;

/// Relacy is compiled once for each number of threads, in scenario.cpp.
inline constexpr unsigned most_threads = 4;

/// A few threads on shared objects. The objects are members; each schedule gets a new scenario.
///
///     static constexpr unsigned threads = 2;
///     void thread(unsigned index);   // what thread `index` does
///     void before();                 // optional: in one thread, before all others start
///     void after();                  // optional: in one thread, after all have ended
///     void invariant();              // optional: between any two steps; reads only
template <class S>
concept scenario = std::default_initializable<S> && requires(S s, unsigned index) {
  requires S::threads >= 1 && S::threads <= most_threads;
  s.thread(index);
};

/// Which schedules to try. A search that has not ended after `limit` schedules fails, so a test
/// covers what it says.
struct search {
  rl::scheduler_type_e kind;
  unsigned preemptions;
  std::uint64_t limit;

  [[nodiscard]] constexpr search at_most(std::uint64_t schedules) const noexcept {
    return {kind, preemptions, schedules};
  }
};

/// All schedules, each with all the values a load may return (as far as Relacy goes).
inline constexpr search every_schedule{rl::sched_full, 0, 30'000'000};

/// Returns: true in `make soak`, in which the longest searches run, too.
[[nodiscard]] bool soaking();

/// All schedules in which a thread that could continue is interrupted at most `bound` times; one
/// more in `make soak`.
[[nodiscard]] search preemptions(unsigned bound);

/// `count` random schedules, equal in every run; ten times as many in `make soak`. Only in addition
/// to one of the above: here a load may lag two values behind instead of one.
[[nodiscard]] search random_schedules(std::uint64_t count);

/// The result of a search.
struct [[nodiscard]] verdict {
  bool ok = false;               ///< The search came to its end and no schedule failed.
  std::uint64_t iterations = 0;  ///< Schedules tried, the failed one included.
  std::string what;              ///< Why it failed; empty if ok.
  std::string trace;             ///< The failed schedule, step by step; empty if ok.
  double seconds = 0;

  friend std::ostream& operator<<(std::ostream& out, const verdict& v);
};

/// Fails the scenario unless `condition` holds. In scenarios instead of EXPECT_…, which would go
/// on, and would allocate within the simulation.
inline void require(bool condition, const char* otherwise,
                    const std::source_location& where = std::source_location::current()) noexcept {
  if (!condition) port::internal::fail(rl::test_result_user_assert_failed, otherwise, where);
}

namespace internal {

// A scenario as a few functions. It lives in static storage: Relacy's own allocation knows no
// alignment above 16, and equal addresses in every schedule keep a scenario deterministic that
// depends on them.
struct script {
  unsigned threads;
  void (*construct)();
  void (*destroy)();
  void (*before)();
  void (*thread)(unsigned index);
  void (*after)();
  void (*invariant)();
};

template <scenario S>
struct stage {
  alignas(S) static inline std::byte storage[sizeof(S)];
  static inline S* subject = nullptr;

  static void construct() { subject = std::construct_at(reinterpret_cast<S*>(storage)); }
  static void destroy() { std::destroy_at(subject); }
  static void thread(unsigned index) { subject->thread(index); }
  static void before() {
    if constexpr (requires(S s) { s.before(); }) subject->before();
  }
  static void after() {
    if constexpr (requires(S s) { s.after(); }) subject->after();
  }
  static void invariant() {
    if constexpr (requires(S s) { s.invariant(); }) subject->invariant();
  }
  static constexpr script functions{S::threads, construct, destroy,  before,
                                    thread,     after,     invariant};
};

verdict explore(const script& play, search how);

}  // namespace internal

/// Runs `S` under all the schedules of `how`, up to the first that fails, and prints the result in
/// one line.
template <scenario S>
verdict explore(search how = every_schedule) {
  return internal::explore(internal::stage<S>::functions, how);
}

/// For EXPECT_TRUE: the scenario holds; otherwise the failed schedule is shown.
testing::AssertionResult passes(const verdict& v);

/// For EXPECT_TRUE: the scenario was refuted, for a reason that contains `reason`.
testing::AssertionResult fails(const verdict& v, std::string_view reason);

}  // namespace tactor::model
