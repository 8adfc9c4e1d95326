// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <ostream>
#include <source_location>
#include <string>
#include <string_view>

/// How a scenario is written and explored; README.md beside this file tells it as a story.
namespace tactor::model {

/// A few threads on shared objects. The objects are members; each schedule gets a new scenario.
///
///     static constexpr unsigned threads = 2;
///     void thread(unsigned index);   // what thread `index` does
///     void before();                 // optional: in one thread, before all others start
///     void after();                  // optional: in one thread, after all have ended
///     void invariant();              // optional: between any two steps; reads only
template <class S>
concept scenario = std::default_initializable<S> && requires(S s, unsigned index) {
  { S::threads } -> std::convertible_to<unsigned>;
  s.thread(index);
};

/// Which schedules to try. A search that has not ended after `limit` schedules counts as failed, so what a test
/// says it has covered, it has.
struct search {
  rl::scheduler_type_e kind;
  unsigned preemptions;
  std::uint64_t limit;

  [[nodiscard]] constexpr search at_most(std::uint64_t schedules) const noexcept {
    return {kind, preemptions, schedules};
  }
};

/// All schedules, each with all the values a load may return (as far as Relacy goes).
inline constexpr search every_schedule{rl::sched_full, 0, 3'000'000};

/// All schedules in which at most `bound` times a thread is interrupted that could have gone on.
/// `TACTOR_MODEL_DEEPER=n` in the environment adds n to every bound (`make soak`).
[[nodiscard]] inline search preemptions(unsigned bound) {
  const char* const deeper = std::getenv("TACTOR_MODEL_DEEPER");  // NOLINT(concurrency-mt-unsafe)
  const auto extra = deeper ? static_cast<unsigned>(std::strtoul(deeper, nullptr, 10)) : 0u;
  return {rl::sched_bound, bound + extra, extra == 0 ? 3'000'000u : 1'000'000'000u};
}

/// `count` schedules by chance, the same ones in every run. Only in addition to one of the above: here a load may
/// lag two values behind instead of one.
[[nodiscard]] constexpr search random_schedules(std::uint64_t count) noexcept {
  return {rl::sched_random, 0, count};
}

/// What a search found.
struct [[nodiscard]] verdict {
  bool ok = false;               ///< The search came to its end and no schedule failed.
  std::uint64_t iterations = 0;  ///< Schedules tried, the failed one included.
  std::string what;              ///< Why it failed; empty if ok.
  std::string trace;             ///< The failed schedule, step by step; empty if ok.
  double seconds = 0;

  friend std::ostream& operator<<(std::ostream& out, const verdict& v) {
    return out << v.iterations << " schedules, " << v.seconds << " s: "
               << (v.ok ? std::string{"all passed"} : v.what);
  }
};

/// Fails the scenario unless `condition` holds. In scenarios instead of EXPECT_…, which would go on, and would
/// allocate within the simulation.
inline void require(bool condition, const char* otherwise,
                    const std::source_location& where = std::source_location::current()) noexcept {
  if (!condition) port::internal::fail(rl::test_result_user_assert_failed, otherwise, where);
}

namespace internal {

// A scenario as Relacy wants it. It lives in static storage: Relacy's own allocation knows no alignment above 16,
// and equal addresses in every schedule keep a scenario deterministic that looks at them.
template <scenario S>
struct suite : rl::test_suite<suite<S>, static_cast<int>(S::threads)> {
  // Relacy's tree searches know no limit on the number of schedules; this is it.
  struct budget {
    std::uint64_t used = 0;
    std::uint64_t limit = 0;
    const rl::test_params* params = nullptr;
    bool exceeded = false;
  };
  static inline budget schedules;
  alignas(S) static inline std::byte storage[sizeof(S)];

  suite() : subject_(std::construct_at(reinterpret_cast<S*>(storage))) {}
  ~suite() { std::destroy_at(subject_); }

  void before() {
    const bool replay = schedules.params->collect_history;
    if (!replay && ++schedules.used > schedules.limit) schedules.exceeded = true;
    if (schedules.exceeded) rl::ctx().rl_until("too many schedules", {});
    if constexpr (requires { subject_->before(); }) subject_->before();
  }
  void thread(unsigned index) { subject_->thread(index); }
  void after() {
    if constexpr (requires { subject_->after(); }) subject_->after();
  }
  void invariant() {
    if constexpr (requires { subject_->invariant(); }) subject_->invariant();
  }

private:
  S* subject_;
};

inline std::string name_of_the_test() {
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  return test ? std::string{test->test_suite_name()} + "." + test->name() : "scenario";
}

// Relacy's report is the name of the suite, a line with the reason, and the trace.
inline void read_report(std::string_view report, verdict& into) {
  report.remove_prefix(std::min(report.find('\n') + 1, report.size()));
  const auto end_of_reason = std::min(report.find('\n'), report.size());
  into.what = report.substr(0, end_of_reason);
  into.trace = report.substr(end_of_reason);
}

}  // namespace internal

/// Runs `S` under all the schedules of `how`, up to the first that fails, and says so in one line of output.
template <scenario S>
verdict explore(search how = every_schedule) {
  using suite = internal::suite<S>;
  // Allocated past the operator new that Relacy replaces: it grows inside the simulation and is read outside.
  rl::ostringstream report;
  std::ostream nowhere(nullptr);

  rl::test_params params;
  params.search_type = how.kind;
  params.context_bound = how.preemptions;
  params.iteration_count = how.limit;
  params.output_stream = &report;
  params.progress_stream = &nowhere;
  suite::schedules = {.used = 0, .limit = how.limit, .params = &params, .exceeded = false};

  verdict found;
  const auto start = std::chrono::steady_clock::now();
  found.ok = rl::simulate<suite>(params);
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  found.iterations = params.stop_iteration;
  if (suite::schedules.exceeded)
    found.what = "SEARCH NOT FINISHED (make the scenario smaller or bound its preemptions)";
  else if (!found.ok)
    internal::read_report(report.str(), found);
  std::cout << "model: " << internal::name_of_the_test() << ": " << found << std::endl;
  return found;
}

/// For EXPECT_TRUE: the scenario holds; otherwise the failed schedule is shown.
inline testing::AssertionResult passes(const verdict& v) {
  if (v.ok) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "refuted: " << v.what << '\n' << v.trace;
}

/// For EXPECT_TRUE: the scenario was refuted, for a reason that contains `reason`.
inline testing::AssertionResult fails(const verdict& v, std::string_view reason) {
  if (!v.ok && v.what.find(reason) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "expected to be refuted by " << reason << ", but: " << v;
}

}  // namespace tactor::model
