// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/counter_stamp.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>

namespace tactor::internal {
namespace {

/// A clock and a counter of a machine whose time moves by itself, a little at each reading.
struct fake_machine {
  mutable double now_ns = 1e9;
  mutable double count_now = 5e12;
  double counts_per_ns = 2.5;
  double overtakes_ns = 0;  // how much earlier the counter is read than the program says
  bool drives_clock = true;
  mutable int clock_reads = 0;

  void pass(double ns) const {
    now_ns += ns;
    count_now += ns * counts_per_ns;
  }
  std::uint64_t count() const {
    pass(8);
    return static_cast<std::uint64_t>(count_now - overtakes_ns * counts_per_ns);
  }
  std::uint64_t clock_ns() const {
    pass(15);
    ++clock_reads;
    const auto read = static_cast<std::uint64_t>(now_ns);
    pass(15);
    return read;
  }
  bool counter_drives_clock() const { return drives_clock; }
  std::uint64_t exact() const { return static_cast<std::uint64_t>(now_ns); }
};

constexpr std::uint64_t latest_ns = counter_stamp::longest_ns / 4 + counter_stamp::guard_ns;

/// Reads `times` stamps, some 200 ns apart, and expects each of them in time.
void expect_in_time(counter_stamp& stamp, fake_machine& machine, int times,
                    const std::function<void(int)>& meanwhile = {}) {
  std::mt19937 random{3};
  std::uniform_real_distribution<double> gap{50, 400};
  std::uint64_t before = 0;
  for (int n = 0; n < times; ++n) {
    if (meanwhile) meanwhile(n);
    const std::uint64_t earliest = machine.exact();
    const std::uint64_t read = stamp.read(machine);
    ASSERT_GE(read, earliest) << n;
    ASSERT_LE(read, machine.exact() + latest_ns) << n;
    ASSERT_GE(read, before) << n;
    before = read;
    machine.pass(gap(random));
  }
}

TEST(counter_stamp, reads_the_clock_rarely_once_it_knows_the_rate) {
  fake_machine machine;
  counter_stamp stamp;
  expect_in_time(stamp, machine, 20'000);

  machine.clock_reads = 0;
  expect_in_time(stamp, machine, 6'400);
  EXPECT_LE(machine.clock_reads, 200);
}

TEST(counter_stamp, is_the_clock_where_that_does_not_come_from_the_counter) {
  fake_machine machine;
  machine.drives_clock = false;
  counter_stamp stamp;
  expect_in_time(stamp, machine, 20'000);
  EXPECT_EQ(machine.clock_reads, 20'000);
}

// spec: T4
TEST(counter_stamp, is_never_early_while_the_rate_of_the_clock_changes_by_a_tenth) {
  fake_machine machine;
  counter_stamp stamp;
  expect_in_time(stamp, machine, 200'000, [&](int n) {
    // The clock is corrected: it passes as before, and the counter counts less or more of it.
    if (n % 10'000 == 0) machine.counts_per_ns = n % 20'000 == 0 ? 2.5 : 2.5 / 1.1;
  });
  machine.clock_reads = 0;
  expect_in_time(stamp, machine, 6'400);
  EXPECT_LE(machine.clock_reads, 200);  // that was no reason to give up
}

// spec: T4
TEST(counter_stamp, is_never_early_when_the_counter_is_read_before_slow_loads_have_ended) {
  fake_machine machine;
  counter_stamp stamp;
  expect_in_time(stamp, machine, 20'000);
  for (int n = 0; n < 100; ++n) {
    machine.pass(2 * counter_stamp::longest_ns);
    machine.overtakes_ns = 0;
    (void)stamp.read(machine);  // reads the clock
    machine.pass(5'000);
    machine.overtakes_ns = 3'900;
    const std::uint64_t earliest = machine.exact();
    ASSERT_GE(stamp.read(machine), earliest);
  }
}

// A counter that began long before the clock.
TEST(counter_stamp, measures_from_its_own_first_reading) {
  fake_machine machine;
  machine.count_now = 4e9;
  machine.now_ns = 2e6;
  counter_stamp stamp;
  expect_in_time(stamp, machine, 20'000);
}

// spec: T4
TEST(counter_stamp, is_never_early_when_the_counter_jumps_with_the_machine) {
  fake_machine machine;
  counter_stamp stamp;
  expect_in_time(stamp, machine, 100'000, [&](int n) {
    if (n % 9'973 == 1) machine.count_now += 1e12;  // moved to another host
    if (n % 9'973 == 4'000) machine.count_now -= 7e11;
    if (n % 9'973 == 8'000) machine.count_now = 0;
    if (n % 9'973 == 9'000) machine.pass(3e9);  // stopped for a while, and the clock went on
  });
}

TEST(counter_stamp, gives_up_a_counter_that_stands_still) {
  fake_machine machine;
  counter_stamp stamp;
  expect_in_time(stamp, machine, 20'000);

  machine.counts_per_ns = 0;
  for (std::uint32_t n = 0; n <= counter_stamp::most_uses; ++n) {
    (void)stamp.read(machine);
    machine.pass(200);
  }
  machine.counts_per_ns = 2.5;
  machine.clock_reads = 0;
  machine.pass(1e6);
  expect_in_time(stamp, machine, 20'000);
  EXPECT_EQ(machine.clock_reads, 20'000);
}

TEST(counter_stamp, gives_up_a_counter_that_slows_down) {
  fake_machine machine;
  counter_stamp stamp;
  expect_in_time(stamp, machine, 20'000);

  machine.counts_per_ns = 1.8;
  for (std::uint32_t n = 0; n <= 3 * counter_stamp::most_uses; ++n) {
    (void)stamp.read(machine);
    machine.pass(200);
  }
  machine.clock_reads = 0;
  expect_in_time(stamp, machine, 20'000);
  EXPECT_EQ(machine.clock_reads, 20'000);
}

// A thread that is interrupted between the readings of counter and clock would be late for long.
TEST(counter_stamp, does_not_begin_at_a_reading_that_was_interrupted) {
  struct interrupted_machine : fake_machine {
    mutable int calls = 0;
    std::uint64_t clock_ns() const {
      if (++calls % 5 == 0) pass(12e3);
      return fake_machine::clock_ns();
    }
  };
  interrupted_machine machine;
  counter_stamp stamp;
  std::uint64_t before = 0;
  for (int n = 0; n < 100'000; ++n) {
    const std::uint64_t earliest = machine.exact();
    const std::uint64_t read = stamp.read(machine);
    ASSERT_GE(read, earliest) << n;
    ASSERT_LE(read, machine.exact() + latest_ns) << n;
    ASSERT_GE(read, before) << n;
    before = read;
    machine.pass(200);
  }
  EXPECT_LT(machine.clock_reads, 10'000);  // the counter is used all the same
}

}  // namespace
}  // namespace tactor::internal
