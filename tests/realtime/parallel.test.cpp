// SPDX-License-Identifier: BSL-1.0
// A second worker pays, and turns are fair, as times on real threads. Other programs, and
// processors of a virtual machine that are far from each other, can only make the figures worse: a
// bound holds if one of several attempts meets it, and is missed if several attempts on a calm
// machine do not.
#include "parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <ostream>
#include <sstream>
#include <string>
#include <thread>

namespace tactor::realtime {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;

constexpr int most_attempts = 40;
constexpr int enough_attempts = 30;
/// For all tests together, from here on one attempt for each bound: on a busy machine each attempt
/// takes long.
const auto no_further_attempts_after = std::chrono::steady_clock::now() + 60s;

/// Returns: true if two threads that compute at the same time take as long as one: the machine has
/// two processors for us now.
bool has_two_processors() {
  const bench::work work{2ms};
  bench::gate start{2};
  double both_ns[2] = {};
  const auto run = [&](double& ns) {
    start.arrive();
    start.wait();
    const std::int64_t began = bench::now_ns();
    work.run();
    ns = static_cast<double>(bench::now_ns() - began);
  };
  std::jthread one{run, std::ref(both_ns[0])};
  std::jthread two{run, std::ref(both_ns[1])};
  one.join();
  two.join();
  return std::max(both_ns[0], both_ns[1]) < 2.3e6;
}

enum class verdict : std::uint8_t { met, missed, unknown };

/// Attempts until `meets` returns true. Attempts during which the machine gave us less than two
/// processors say nothing.
template <class Meets>
verdict meets_once(Meets meets) {
  int missed = 0;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const bool calm_before = has_two_processors();
    if (meets()) return verdict::met;
    if (calm_before && has_two_processors() && ++missed == enough_attempts) return verdict::missed;
    if (std::chrono::steady_clock::now() > no_further_attempts_after) return verdict::unknown;
  }
  return verdict::unknown;
}

/// `what`, with the figures of all attempts, if the bound was missed. A bound of time is only
/// judged where the environment says that the machine is quiet (TACTOR_QUIET_MACHINE): one binary
/// meets and misses these within a minute on a shared machine.
void expect_met(verdict found, const std::string& what) {
  const bool is_quiet = std::getenv("TACTOR_QUIET_MACHINE") != nullptr;
  EXPECT_FALSE(is_quiet && found == verdict::missed) << what;
  if (found != verdict::met) GTEST_SKIP() << "the machine is busy; " << what;
}

/// By how much a message between two workers may take longer because the processors are far from
/// each other now, in nanoseconds.
double allowance() {
  return std::max(0.0, (bench::line_transfer_ns() - bench::line_ns_near) / 2);
}
/// Waits, not for ever, until they are near.
void wait_for_near_processors() {
  static int waits_left = 100;  // for all tests together: 10 s
  for (; waits_left > 0 && allowance() > 0; --waits_left)
    bench::pass(bench::gap::sleeps, 100ms);
}

class parallel : public testing::Test {
protected:
  void SetUp() override {
    if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two processors";
  }
};

/// Nanoseconds per message that costs `each`, sent between 1 000 actors.
double independent_work(std::uint32_t workers, std::chrono::nanoseconds each) {
  constexpr std::size_t actors = 1000;
  constexpr std::uint64_t count = 500'000;
  const bench::task what{.workload = "", .count = count, .workers = workers};
  return bench::nanoseconds<bench::random_sends>(what, actors, actors, bench::work{each}) / count;
}

/// Returns: true if two workers are `goal` times as fast as one.
bool speeds_up(std::chrono::nanoseconds each, double goal, std::ostream& figures) {
  wait_for_near_processors();
  const double one = independent_work(1, each);
  const double before = allowance();
  const double two = independent_work(2, each);
  const double more = std::max(before, allowance());
  figures << " " << one << "/" << two;
  return two <= one / goal + more;
}

// spec: Q6a
TEST_F(parallel, independent_work_is_faster_on_two_workers) {
  struct row {
    std::chrono::nanoseconds each;
    double goal;
  };
  for (const row& r : {row{0ns, 1.0}, row{50ns, 1.5}, row{100ns, 1.5}, row{200ns, 1.8}}) {
    std::ostringstream figures;
    figures << r.each.count() << " ns of work, one/two workers in ns:";
    const verdict found = meets_once([&] { return speeds_up(r.each, r.goal, figures); });
    expect_met(found, figures.str());
  }
}

struct jobs_row {
  std::size_t jobs;
  microseconds each;
  std::uint64_t rounds;
};

/// The median of the time of a round.
microseconds round_time(std::uint32_t workers, const jobs_row& row, microseconds pause,
                        bool pin_workers = false) {
  bench::samples times{row.rounds};
  const bench::task what{
      .workload = "", .count = row.rounds, .workers = workers, .pin_workers = pin_workers};
  (void)bench::nanoseconds<bench::foreman>(what, 1, row.jobs, bench::work{row.each}, &times, pause);
  return microseconds{static_cast<std::int64_t>(times.quantile(0.5) / 1e3)};
}

microseconds ideal(const jobs_row& row) {
  return row.each * static_cast<std::int64_t>((row.jobs + 1) / 2);
}

// spec: Q6b
TEST_F(parallel, few_jobs_are_shared_by_two_workers) {
  struct bound {
    jobs_row row;
    double of_ideal;
  };
  for (const bound& b : {bound{{2, 100us, 300}, 1.2}, bound{{4, 100us, 300}, 1.2},
                         bound{{8, 100us, 200}, 1.2}, bound{{8, 10us, 2000}, 1.4}}) {
    std::ostringstream figures;
    figures << b.row.jobs << " jobs of " << b.row.each.count() << " us, one/two workers in us:";
    const auto is_met = [&] {
      const microseconds one = round_time(1, b.row, 0us);
      const microseconds two = round_time(2, b.row, 0us);
      figures << " " << one.count() << "/" << two.count();
      return static_cast<double>(two.count()) <=
                 b.of_ideal * static_cast<double>(ideal(b.row).count()) &&
             two <= one;
    };
    expect_met(meets_once(is_met), figures.str());
  }
}

/// The median of the time from a notification to the thread of another processor that waits for it,
/// over pauses of `pause`.
microseconds raw_wake_up(microseconds pause) {
  constexpr int times = 40;
  bench::samples waits{times};
  std::jthread{[&] {
    const bench::processors_apart places;
    bench::parked_thread thread{waits};
    places.sender_is_here();
    for (int i = 0; i < times; ++i) {
      bench::pass(bench::gap::sleeps, pause);
      thread.tell(bench::now_ns());
    }
  }}.join();
  return microseconds{static_cast<std::int64_t>(waits.quantile(0.5) / 1e3)};
}

// Also where the system, left alone, wakes the second worker on the processor of the first.
// spec: Q6b
TEST_F(parallel, few_jobs_wake_the_second_worker) {
  constexpr jobs_row row{8, 100us, 40};
  for (const bool pin_workers : {false, true}) {
    std::ostringstream figures;
    figures << "us per round, raw wake-up" << (pin_workers ? ", pinned:" : ":");
    const verdict found = meets_once([&] {
      const microseconds raw = raw_wake_up(5ms);
      const microseconds two = round_time(2, row, 5ms, pin_workers);
      figures << " " << two.count() << " with " << raw.count();
      return two <= (ideal(row) + raw) * 11 / 10;
    });
    expect_met(found, figures.str());
  }
}

// spec: Q7
TEST_F(parallel, a_thousand_ready_actors_have_fair_turns) {
  constexpr std::size_t actors = 1000;
  constexpr std::uint64_t count = 4'000'000;
  for (const std::uint32_t workers : {1U, 2U}) {
    std::ostringstream figures;
    figures << workers << " workers, mean/p99 in us:";
    const verdict found = meets_once([&] {
      bench::samples times{count / 16 + actors};
      const bench::task what{.workload = "", .count = count, .workers = workers};
      (void)bench::nanoseconds<bench::busy_ring>(what, actors, actors, &times);
      const double mean = times.mean();
      const double p99 = times.quantile(0.99);
      figures << " " << mean / 1e3 << "/" << p99 / 1e3;
      return p99 <= 3 * mean;
    });
    expect_met(found, figures.str());
  }
}

}  // namespace
}  // namespace tactor::realtime
