// SPDX-License-Identifier: BSL-1.0
#include "tactor/testkit/trace_player.hpp"

#include "tactor/base/text_writer.hpp"
#include "tactor/core/scheduler/report/deterministic_log.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"
#include "tactor/testkit/queue_mailbox.hpp"
#include "tactor/testkit/scheduler_checks.hpp"
#include "tactor/testkit/scheduler_harness.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tactor {
namespace {

using namespace std::chrono_literals;
using testkit::trace_player;

constexpr std::size_t most_timers = 64;
using world = testkit::scheduler_harness<16, most_timers>;

class text_of final : public text_sink {
public:
  void write(std::string_view piece) noexcept override { text += piece; }
  std::string text;
};

scheduler_config small() {
  scheduler_config config;
  config.system_quota = most_timers;
  return config;
}

// Records what `act` does with a scheduler. Returns: the trace, as text.
template <class Act>
std::string record(Act act) {
  static static_log_storage<4096, most_timers> storage;
  text_of out;
  world w;
  deterministic_log log{w.timers().events(), storage.view()};
  act(w);
  log.stop();
  log.save(out);
  return out.text;
}

// The trace of `text`, in memory of its own.
struct loaded {
  explicit loaded(std::string_view text) : entries(4096) {
    const auto found = load_trace(text, entries);
    EXPECT_TRUE(found.has_value()) << (found ? "" : found.error().what);
    if (found) trace = *found;
  }
  std::vector<log_entry> entries;
  replay_trace trace;
};

std::string text_about(const std::optional<trace_difference>& difference) {
  text_of shown;
  text_writer out{shown};
  if (difference) out << *difference;
  return shown.text;
}

// spec: X1
TEST(trace_player, gives_a_scheduler_the_recorded_input_and_gets_the_recorded_fires) {
  const std::string text = record([](world& w) {
    auto rate = w.timers().schedule_at_fixed_rate(25ms, 15ms, [] {});
    auto delay = w.timers().schedule_with_fixed_delay(0ms, 30ms, [] {});
    auto never = w.timers().schedule_once(70ms, [] {});
    auto once = w.timers().schedule_once(3s, [] {});  // by way of the overflow
    w.clock().advance(60ms);
    EXPECT_TRUE(never->cancel());
    w.clock().jump(100ms);  // late
    EXPECT_TRUE(rate->cancel());
    w.clock().advance(3s);
    EXPECT_TRUE(delay->cancel());
    EXPECT_TRUE(once->is_completed());
  });
  const loaded earlier{text};
  std::vector<std::uint64_t> runs(5);
  trace_player player{small(), [&](std::uint64_t timer) { ++runs.at(timer); }};
  const auto difference = player.play(earlier.trace);
  EXPECT_FALSE(difference.has_value()) << text_about(difference);
  EXPECT_GE(runs[1], 3u);
  EXPECT_GT(runs[2], 90u);
  EXPECT_EQ(runs[3], 0u) << "it was cancelled";
  EXPECT_EQ(runs[4], 1u);
  EXPECT_TRUE(testkit::check_invariants(player.timers()));
}

// spec: X1
TEST(trace_player, repeats_a_run_in_which_callables_have_failed) {
  using result = std::expected<void, int>;
  const std::string text = record([](world& w) {
    int runs = 0;
    const auto fails = [&runs]() -> result {
      if (++runs < 3) return {};
      return std::unexpected{1};
    };
    (void)w.timers().schedule_at_fixed_rate(10ms, 10ms, fails);
    (void)w.timers().schedule_once(20ms, []() -> result { return std::unexpected{1}; });
    auto other = w.timers().schedule_at_fixed_rate(10ms, 10ms, [] {});
    w.clock().advance(60ms);
    EXPECT_TRUE(other->cancel());
  });
  const loaded earlier{text};
  trace_player player{small()};
  const auto difference = player.play(earlier.trace);
  EXPECT_FALSE(difference.has_value()) << text_about(difference);
  EXPECT_EQ(player.timers().metrics().cancelled_total, 3u);
}

void live_by_chance(world& w, std::uint32_t seed) {
  std::minstd_rand chance{seed};
  std::vector<cancellable> all;
  for (int step = 0; step < 400; ++step) {
    const duration delay = std::chrono::milliseconds{1 + chance() % 400};
    const duration period = std::chrono::milliseconds{1 + chance() % 90};
    switch (chance() % 8) {
    case 0:
      if (auto made = w.timers().schedule_at_fixed_rate(delay, period, [] {})) all.push_back(*made);
      break;
    case 1:
      if (auto made = w.timers().schedule_with_fixed_delay(delay, period, [] {}))
        all.push_back(*made);
      break;
    case 2:
    case 3:
    case 4:
      if (auto made = w.timers().schedule_once(delay, [] {})) all.push_back(*made);
      break;
    case 5:
      if (!all.empty()) (void)all[chance() % all.size()].cancel();
      break;
    case 6:
      w.clock().advance(std::chrono::milliseconds{chance() % 40});
      break;
    default:
      w.clock().jump(std::chrono::milliseconds{chance() % 40});
      break;
    }
  }
  for (cancellable& each : all)
    (void)each.cancel();
  all.clear();
}

// spec: X1
TEST(trace_player, repeats_a_hundred_random_runs) {
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    const loaded earlier{record([&](world& w) { live_by_chance(w, seed); })};
    if (earlier.trace.forgotten > 0) continue;
    trace_player player{small()};
    const auto difference = player.play(earlier.trace);
    ASSERT_FALSE(difference.has_value()) << "seed " << seed << ": " << text_about(difference);
  }
}

// spec: X1
TEST(trace_player, repeats_a_cancel_of_a_one_shot_that_was_due_and_waited) {
  const loaded earlier{record([](world& w) {
    w.hold_jobs();
    auto waits = w.timers().schedule_once(10ms, [] {});
    w.clock().advance(50ms);
    EXPECT_TRUE(waits->cancel());
    w.dispatcher().run_all();
  })};
  int runs = 0;
  trace_player player{small(), [&](std::uint64_t) { ++runs; }};
  const auto difference = player.play(earlier.trace);
  EXPECT_FALSE(difference.has_value()) << text_about(difference);
  EXPECT_EQ(runs, 0);
}

// spec: X1
TEST(trace_player, ends_a_periodic_job_whose_receiver_has_gone) {
  const loaded earlier{record([](world& w) {
    static testkit::queue_mailbox<4> gone;
    gone.close();
    (void)w.timers().schedule_at_fixed_rate(10ms, 10ms, gone, 7);
    (void)w.timers().schedule_with_fixed_delay(10ms, 10ms, gone, 7);
    auto other = w.timers().schedule_at_fixed_rate(10ms, 10ms, [] {});
    w.clock().advance(50ms);
    EXPECT_TRUE(other->cancel());
  })};
  trace_player player{small()};
  const auto difference = player.play(earlier.trace);
  EXPECT_FALSE(difference.has_value()) << text_about(difference);
}

// Callables that schedule, cancel and fail, and wait until they are run.
void live_with_waiting_jobs(world& w, std::uint32_t seed) {
  using result = std::expected<void, int>;
  std::minstd_rand chance{seed};
  std::vector<cancellable> all;
  const auto keep = [&](std::expected<cancellable, scheduler_error> made) {
    if (made) all.push_back(*made);
  };
  const auto act = [&]() -> result {
    if (chance() % 5 == 0 && !all.empty()) (void)all[chance() % all.size()].cancel();
    if (chance() % 7 == 0)
      keep(w.timers().schedule_once(std::chrono::milliseconds{1 + chance() % 200}, [] {}));
    if (chance() % 16 == 0) return std::unexpected{1};
    return {};
  };
  if (seed % 2 == 0) w.hold_jobs();
  for (int step = 0; step < 300; ++step) {
    const duration delay = std::chrono::milliseconds{1 + chance() % 400};
    const duration period = std::chrono::milliseconds{1 + chance() % 90};
    switch (chance() % 8) {
    case 0:
      keep(w.timers().schedule_at_fixed_rate(delay, period, act));
      break;
    case 1:
      keep(w.timers().schedule_with_fixed_delay(delay, period, act));
      break;
    case 2:
    case 3:
      keep(w.timers().schedule_once(delay, act));
      break;
    case 4:
      if (!all.empty()) (void)all[chance() % all.size()].cancel();
      break;
    case 5:
      w.clock().advance(std::chrono::milliseconds{chance() % 40});
      break;
    case 6:
      w.clock().jump(std::chrono::milliseconds{chance() % 40});
      break;
    default:
      (void)w.dispatcher().run_waiting();
      break;
    }
  }
  for (cancellable& each : all)
    (void)each.cancel();
  w.dispatcher().run_all();
}

// spec: X1
TEST(trace_player, repeats_random_runs_whose_jobs_wait_schedule_cancel_and_fail) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    const loaded earlier{record([&](world& w) { live_with_waiting_jobs(w, seed); })};
    ASSERT_EQ(earlier.trace.forgotten, 0u);
    trace_player player{small()};
    const auto difference = player.play(earlier.trace);
    ASSERT_FALSE(difference.has_value()) << "seed " << seed << ": " << text_about(difference);
    ASSERT_TRUE(testkit::check_invariants(player.timers())) << "seed " << seed;
  }
}

// spec: X1
TEST(trace_player, shows_where_a_scheduler_does_something_else) {
  std::string text = record([](world& w) {
    auto once = w.timers().schedule_once(50ms, [] {});
    w.clock().advance(50ms);
  });
  const std::size_t at = text.find("fired");
  ASSERT_NE(at, std::string::npos);
  text.replace(text.find("at=5", at), 4, "at=4");  // as if it had fired early
  const loaded wrong{text};
  trace_player player{small()};
  const auto difference = player.play(wrong.trace);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->position, 1u);
}

// A fuzz run: whatever the trace says, the scheduler keeps its invariants.
// spec: X1
TEST(trace_player, takes_any_trace_as_the_input_of_a_fuzz_run) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    std::minstd_rand chance{seed};
    std::vector<log_entry> entries(100);
    for (log_entry& each : entries) {
      const auto number = [&] { return chance() % 16 == 0 ? ~std::uint64_t{0} : chance() % 300; };
      each = {.kind = static_cast<log_entry_kind>(chance() % 3),
              .timer = chance() % 20,
              .scheduled_at = {number()},
              .deadline = {number()},
              .at = {chance() % 300},
              .executor = static_cast<std::uint32_t>(chance() % 20),
              .mode = static_cast<job_mode>(chance() % 3),
              .period_ns = number() * 1'000'000};
    }
    trace_player player{small()};
    (void)player.play({.entries = entries});
    ASSERT_TRUE(testkit::check_invariants(player.timers())) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tactor
