// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/report/deterministic_log.hpp"

#include "tactor/base/text_writer.hpp"
#include "tactor/testkit/scheduler_harness.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

template <std::size_t Size>
struct buffer final : text_sink {
  void write(std::string_view piece) noexcept override {
    for (const char each : piece) {
      if (size < Size) storage[size++] = each;
    }
  }
  [[nodiscard]] std::string_view text() const { return {storage.data(), size}; }

  std::array<char, Size> storage{};
  std::size_t size = 0;
};

constexpr std::size_t timers = 8;
using world = testkit::scheduler_harness<8, timers>;

// A generator with equal numbers on every platform.
struct dice {
  std::uint64_t state;
  std::uint32_t below(std::uint32_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state >> 33) % limit;
  }
};

// spec: X1
TEST(deterministic_log, has_an_entry_for_every_schedule_fire_and_cancel) {
  world w;
  static_log_storage<8, timers> storage;
  const deterministic_log log{w.timers().events(), storage.view()};

  auto once = w.timers().schedule_once(20ms, [] {});
  auto never = w.timers().schedule_once(50ms, [] {});
  w.clock().advance(30ms);
  EXPECT_TRUE(never->cancel());

  ASSERT_EQ(log.size(), 4u);
  EXPECT_TRUE((log[0] == log_entry{log_entry_kind::scheduled, 1, {0}, {2}, {0}, 1, {}, 0}));
  EXPECT_TRUE((log[1] == log_entry{log_entry_kind::scheduled, 2, {0}, {5}, {0}, 1, {}, 0}));
  EXPECT_TRUE((log[2] == log_entry{log_entry_kind::fired, 1, {0}, {2}, {2}, 1, {}, 0}));
  EXPECT_TRUE((log[3] == log_entry{log_entry_kind::cancelled, 2, {0}, {5}, {3}, 1, {}, 0}));
}

// spec: X1
TEST(deterministic_log, distinguishes_executors_and_later_tenants_of_a_record) {
  testkit::queue_dispatcher other;  // first: it outlives the world
  world w;
  static_log_storage<8, timers> storage;
  const deterministic_log log{w.timers().events(), storage.view()};
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(w.timers().schedule_once(10ms, [] {}).has_value());
    w.clock().advance(10ms);
  }
  ASSERT_TRUE(w.timers().schedule_once(10ms, [] {}, {.dispatcher = &other}).has_value());

  ASSERT_EQ(log.size(), 5u);
  EXPECT_EQ(log[0].timer, 1u);
  EXPECT_EQ(log[2].timer, 2u);
  EXPECT_EQ(log[4].timer, 3u);
  EXPECT_EQ(log[2].executor, 1u);
  EXPECT_EQ(log[4].executor, 2u);
}

// spec: X1
TEST(deterministic_log, drops_the_oldest_and_counts_them) {
  world w;
  static_log_storage<3, timers> storage;
  deterministic_log log{w.timers().events(), storage.view()};
  for (int i = 0; i < 4; ++i)
    ASSERT_TRUE(w.timers().schedule_once(10ms, [] {}).has_value());

  EXPECT_EQ(log.size(), 3u);
  EXPECT_EQ(log.forgotten(), 1u);
  EXPECT_EQ(log[0].timer, 2u);

  log.stop();
  ASSERT_TRUE(w.timers().schedule_once(10ms, [] {}).has_value());
  EXPECT_EQ(log.forgotten(), 1u);
}

// spec: X1
TEST(deterministic_log, needs_no_storage_for_timers_to_log_events) {
  world w;
  std::array<log_entry, 4> entries{};
  const deterministic_log log{w.timers().events(), {.entries = entries, .timers = {}}};
  ASSERT_TRUE(w.timers().schedule_once(10ms, [] {}).has_value());

  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].timer, 0u);
  EXPECT_EQ(log[0].deadline.count, 1u);
}

// spec: X1
TEST(replay_trace, is_written_and_read_again) {
  world w;
  static_log_storage<4, timers> storage;
  const deterministic_log log{w.timers().events(), storage.view()};
  ASSERT_TRUE(w.timers().schedule_once(10ms, [] {}).has_value());
  w.clock().advance(10ms);

  buffer<256> saved;
  log.save(saved);
  EXPECT_TRUE(saved.text() == "tactor-trace 1 forgotten=0\n"
                              "scheduled timer=1 scheduled_at=0 deadline=1 at=0 executor=1\n"
                              "fired timer=1 scheduled_at=0 deadline=1 at=1 executor=1\n");

  std::array<log_entry, 4> loaded_room{};
  const auto loaded = load_trace(saved.text(), loaded_room);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->entries.size(), 2u);
  EXPECT_FALSE(log.first_difference(*loaded).has_value());
}

// spec: X1
TEST(replay_trace, shows_where_two_runs_differ) {
  std::array<log_entry, 4> loaded_room{};
  const auto earlier = load_trace("tactor-trace 1 forgotten=0\n"
                                  "scheduled timer=1 scheduled_at=0 deadline=1 at=0 executor=1\n"
                                  "fired timer=1 scheduled_at=0 deadline=1 at=2 executor=1\n",
                                  loaded_room);
  ASSERT_TRUE(earlier.has_value());
  world w;
  static_log_storage<4, timers> storage;
  const deterministic_log log{w.timers().events(), storage.view()};
  ASSERT_TRUE(w.timers().schedule_once(10ms, [] {}).has_value());

  auto difference = log.first_difference(*earlier);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->position, 1u);
  EXPECT_FALSE(difference->actual.has_value());

  w.clock().advance(10ms);
  difference = log.first_difference(*earlier);
  ASSERT_TRUE(difference.has_value());
  buffer<256> told;
  text_writer out{told};
  out << *difference;
  EXPECT_TRUE(told.text() ==
              "entry 1 differs\n"
              "  expected: fired timer=1 scheduled_at=0 deadline=1 at=2 executor=1\n"
              "  actual:   fired timer=1 scheduled_at=0 deadline=1 at=1 executor=1\n");
}

// spec: X1
TEST(replay_trace, compares_as_far_back_as_both_logs_reach) {
  world w;
  static_log_storage<2, timers> storage;
  const deterministic_log log{w.timers().events(), storage.view()};
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(w.timers().schedule_once(10ms, [] {}).has_value());

  std::array<log_entry, 3> whole{};
  for (std::size_t i = 0; i < whole.size(); ++i)
    whole[i] = {log_entry_kind::scheduled, i + 1, {0}, {1}, {0}, 1};
  EXPECT_FALSE(log.first_difference({.entries = whole}).has_value());
  whole[2].timer = 7;
  EXPECT_TRUE(log.first_difference({.entries = whole}).has_value());
}

// spec: X1
TEST(replay_trace, reports_what_is_wrong_with_a_text_and_in_which_line) {
  struct bad {
    std::string_view text;
    std::size_t line;
    std::string_view what;
  };
  const std::array<bad, 8> texts{{
      {"", 1, "a trace begins with `tactor-trace 1 forgotten=`"},
      {"tactor-trace 2 forgotten=0\n", 1, "a trace begins with `tactor-trace 1 forgotten=`"},
      {"tactor-trace 1 forgotten=\n", 1, "a number is missing"},
      {"tactor-trace 1 forgotten=0\nslept timer=1\n", 2,
       "a line begins with `scheduled`, `fired` or `cancelled`"},
      {"tactor-trace 1 forgotten=0\n"
       "fired timer=1 scheduled_at=0 deadline=1 at=1 executor=1\n"
       "fired timer=1 deadline=1 at=1 executor=1\n",
       3, "` scheduled_at=` is missing"},
      {"tactor-trace 1 forgotten=99999999999999999999\n", 1, "a number does not fit 64 bits"},
      {"tactor-trace 1 forgotten=0\n"
       "fired timer=1 scheduled_at=0 deadline=1 at=1 executor=1 x\n",
       2, "more text than a line holds"},
      {"tactor-trace 1 forgotten=0\n"
       "fired timer=1 scheduled_at=0 deadline=1 at=1 executor=1\n"
       "fired timer=1 scheduled_at=0 deadline=1 at=1 executor=1\n",
       3, "more entries than the storage holds"},
  }};
  for (const bad& each : texts) {
    std::array<log_entry, 1> storage{};
    const auto loaded = load_trace(each.text, storage);
    ASSERT_FALSE(loaded.has_value());
    EXPECT_EQ(loaded.error().line, each.line);
    EXPECT_TRUE(std::string_view{loaded.error().what} == each.what) << loaded.error().what;
  }
}

// The log of a seeded run: sleeps of random length, some of them cancelled.
template <class Room, class Judge>
void run_by_chance(std::uint64_t seed, unsigned sleeps, Room& storage, Judge judge) {
  world w;
  deterministic_log log{w.timers().events(), storage.view()};
  dice chance{seed};
  for (unsigned i = 0; i < sleeps; ++i) {
    auto timer = w.timers().schedule_once(std::chrono::milliseconds{1 + chance.below(200)}, [] {});
    if (timer && chance.below(4) == 0) {
      w.clock().advance(std::chrono::milliseconds{chance.below(100)});
      timer->cancel();
    }
    if (!timer || chance.below(3) == 0) (void)w.clock().advance_to_next();
  }
  w.clock().advance(1s);
  judge(std::as_const(log));
}

// The whole log on a machine with enough memory, otherwise its end.
constexpr std::size_t long_log = sizeof(void*) == 8 ? 32'768 : 64;
static_log_storage<long_log, timers> long_storage;

// spec: X1
// case: SM-08
TEST(deterministic_log, two_runs_of_ten_thousand_random_sleeps_from_one_seed_are_equal) {
  static std::array<log_entry, long_log> kept;
  replay_trace first;
  run_by_chance(1, 10'000, long_storage, [&](const deterministic_log& log) {
    for (std::size_t i = 0; i < log.size(); ++i)
      kept[i] = log[i];
    first = {.entries = std::span{kept}.first(log.size()), .forgotten = log.forgotten()};
  });
  EXPECT_GT(first.forgotten + first.entries.size(), 15'000u);
  run_by_chance(1, 10'000, long_storage, [&](const deterministic_log& log) {
    EXPECT_FALSE(log.first_difference(first).has_value());
  });
  run_by_chance(2, 10'000, long_storage, [&](const deterministic_log& log) {
    EXPECT_TRUE(log.first_difference(first).has_value());
  });
}

// spec: X1
// case: SM-10
TEST(deterministic_log, nothing_fires_before_its_time_or_after_its_cancel) {
  constexpr unsigned sleeps = long_log / 2;
  run_by_chance(3, sleeps, long_storage, [&](const deterministic_log& log) {
    ASSERT_EQ(log.forgotten(), 0u);
    static std::array<bool, sleeps + 1> scheduled;
    static std::array<bool, sleeps + 1> cancelled;
    tick last;
    unsigned cancels = 0;
    for (std::size_t i = 0; i < log.size(); ++i) {
      const log_entry& entry = log[i];
      const auto timer = static_cast<std::size_t>(entry.timer);
      EXPECT_GE(entry.at.count, last.count) << "time went back";
      last = entry.at;
      EXPECT_EQ(scheduled[timer], entry.kind != log_entry_kind::scheduled);
      scheduled[timer] = true;
      EXPECT_FALSE(cancelled[timer]) << "something happened to a cancelled timer";
      const bool early = entry.kind == log_entry_kind::fired && entry.at < entry.deadline;
      EXPECT_FALSE(early);
      if (entry.kind != log_entry_kind::cancelled) continue;
      cancelled[timer] = true;
      ++cancels;
    }
    EXPECT_GT(cancels, sleeps / 16);
  });
}

}  // namespace
}  // namespace tactor
