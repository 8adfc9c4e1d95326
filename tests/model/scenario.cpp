// SPDX-License-Identifier: BSL-1.0
#include "scenario.hpp"

#include "tactor/port/port.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>

namespace tactor::model {

using namespace tactor::internal;

namespace {

// The search under way.
struct search_state {
  const internal::script* play = nullptr;
  const rl::test_params* params = nullptr;
  std::uint64_t schedules = 0;
  std::uint64_t limit = 0;
  bool limit_exceeded = false;
};
search_state current;

// A scenario in Relacy's form.
template <int Threads>
struct suite : rl::test_suite<suite<Threads>, Threads> {
  suite() { current.play->construct(); }
  ~suite() { current.play->destroy(); }

  void before() {
    // Relacy's systematic searches have no limit on the number of schedules; this is it.
    const bool replay = current.params->collect_history;
    if (!replay && ++current.schedules > current.limit) current.limit_exceeded = true;
    if (current.limit_exceeded) rl::ctx().rl_until("too many schedules", {});
    current.play->before();
  }
  void thread(unsigned index) {
    if (index < current.play->threads) current.play->thread(index);
  }
  void after() { current.play->after(); }
  void invariant() { current.play->invariant(); }
};

bool simulate(unsigned threads, rl::test_params& params) {
  static_assert(most_threads == 4);
  switch (threads) {
  case 3:
    return rl::simulate<suite<3>>(params);
  case 4:
    return rl::simulate<suite<4>>(params);
  default:  // scenarios with one thread get an idle second: Relacy's templates require two
    return rl::simulate<suite<2>>(params);
  }
}

std::string name_of_the_test() {
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  return test ? std::string{test->test_suite_name()} + "." + test->name() : "scenario";
}

// Relacy's report is the name of the suite, a line with the reason, and the trace, twice: in order,
// and thread by thread.
void read_report(std::string_view report, verdict& into) {
  report.remove_prefix(std::min(report.find('\n') + 1, report.size()));
  const auto end_of_reason = std::min(report.find('\n'), report.size());
  into.what = report.substr(0, end_of_reason);
  into.trace = report.substr(end_of_reason, report.find("\n\nthread 0:") - end_of_reason);
}

}  // namespace

bool soaking() {
  return std::getenv("TACTOR_SOAK") != nullptr;  // NOLINT(concurrency-mt-unsafe): one thread
}

search preemptions(unsigned bound) {
  return {.kind = rl::sched_bound,
          .preemptions = soaking() ? bound + 1 : bound,
          .limit = soaking() ? std::numeric_limits<std::uint64_t>::max() : every_schedule.limit};
}

search random_schedules(std::uint64_t count) {
  return {.kind = rl::sched_random, .preemptions = 0, .limit = soaking() ? 10 * count : count};
}

std::ostream& operator<<(std::ostream& out, const verdict& v) {
  return out << v.iterations << " schedules, " << v.seconds
             << " s: " << (v.ok ? "all passed" : v.what.c_str());
}

verdict internal::explore(const script& play, search how) {
  // Allocates past the operator new that Relacy replaces: it grows inside the simulation and is
  // read outside.
  rl::ostringstream report;
  std::ostream nowhere(nullptr);

  rl::test_params params;
  params.search_type = how.kind;
  params.context_bound = how.preemptions;
  params.iteration_count = how.limit;
  params.output_stream = &report;
  params.progress_stream = &nowhere;
  current = {.play = &play, .params = &params, .limit = how.limit};

  verdict found;
  const auto start = std::chrono::steady_clock::now();
  found.ok = simulate(play.threads, params);
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  found.iterations = params.stop_iteration;
  if (current.limit_exceeded)
    found.what = "SEARCH NOT FINISHED (make the scenario smaller or bound its preemptions)";
  else if (!found.ok)
    read_report(report.str(), found);
  std::cout << "model: " << name_of_the_test() << ": " << found << '\n' << std::flush;
  return found;
}

testing::AssertionResult passes(const verdict& v) {
  if (v.ok) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "refuted: " << v.what << '\n' << v.trace;
}

testing::AssertionResult fails(const verdict& v, std::string_view reason) {
  if (!v.ok && v.what.find(reason) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "expected to be refuted by " << reason << ", but: " << v;
}

}  // namespace tactor::model
