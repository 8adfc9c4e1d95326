// SPDX-License-Identifier: BSL-1.0

// The port against interrupts at any instruction: the emulator runs with -icount; otherwise
// interrupts would occur only between basic blocks and all of these tests would pass by luck. The
// last tests do not use the port and must lose something: they show that the others could.
#include "tactor/port/port.hpp"

#include "embedded/board.hpp"
#include "embedded/semihosting.hpp"
#include <gtest/gtest.h>

#include <cstdint>

namespace tactor {
namespace {

using word = volatile std::uint32_t;  // read and written by an interrupt, or after the last one

constexpr std::uint32_t interrupts_per_test = 6'000;

word interrupts;
word random_state;
void (*volatile interrupt_work)();

std::uint32_t next_random() noexcept {
  std::uint32_t x = random_state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  random_state = x;
  return x;
}

// Long compared to an interrupt, so that the loop makes progress; varied, so that the phase drifts.
std::uint32_t next_period() noexcept {
  return 384 + (next_random() & 255);
}

void print(const char* label, std::uint32_t number) noexcept {
  embedded::write(label);
  embedded::write_number(std::uint64_t{number});
}

/// Repeats `step` until `work` has interrupted it often enough.
/// Returns: how often `step` ran.
template <class Step>
std::uint32_t race(void (*work)(), Step step) noexcept {
  interrupts = 0;
  random_state = 0x2545'F491;
  interrupt_work = work;
  std::uint32_t steps = 0;
  embedded::sys_tick::start(next_period());
  while (interrupts < interrupts_per_test) {
    step();
    ++steps;
  }
  embedded::sys_tick::stop();
  // Not a result: the number depends on every phase, so that it shows whether two runs are equal.
  print("interrupts ", interrupts);
  print(", steps ", steps);
  embedded::write("\n");
  return steps;
}

void increment(word& number) noexcept {
  number = number + 1;
}

constexpr bool halves_agree(std::uint64_t value) noexcept {
  return static_cast<std::uint32_t>(value >> 32) == static_cast<std::uint32_t>(value);
}
constexpr std::uint64_t one_in_each_half = 0x1'0000'0001;

constinit port::atomic<std::uint32_t> shared;
constinit port::counter count;
word torn;

}  // namespace
}  // namespace tactor

extern "C" void sys_tick_handler() {
  using namespace tactor;
  embedded::sys_tick::set_next_period(next_period());
  increment(interrupts);
  interrupt_work();
}

namespace tactor {
namespace {

TEST(races, additions_and_subtractions_all_count) {
  shared.store(0, relaxed);

  const std::uint32_t steps =
      race([] { shared.fetch_add(3, relaxed); }, [] { shared.fetch_sub(1, relaxed); });

  EXPECT_EQ(shared.load(relaxed), 3 * interrupts - steps);
}

word put_in;
word taken_out;

TEST(races, what_is_exchanged_is_taken_out_exactly_once) {
  shared.store(0, relaxed);
  put_in = 0;
  taken_out = 0;
  std::uint32_t put_by_loop = 0;
  std::uint32_t taken_by_loop = 0;

  race(
      [] {
        const std::uint32_t value = next_random();
        put_in = put_in + value;
        taken_out = taken_out + shared.exchange(value, acq_rel);
      },
      [&] {
        put_by_loop += 7;
        taken_by_loop += shared.exchange(7, acq_rel);
      });

  EXPECT_EQ(put_in + put_by_loop, taken_out + taken_by_loop + shared.load(relaxed));
}

TEST(races, a_compare_exchange_that_succeeds_saw_the_latest_value) {
  shared.store(0, relaxed);
  std::uint32_t retries = 0;

  const std::uint32_t steps = race(
      [] {
        std::uint32_t seen = shared.load(relaxed);
        while (!shared.compare_exchange(seen, seen + 1, acq_rel)) {
        }
      },
      [&] {
        std::uint32_t seen = shared.load(relaxed);
        while (!shared.compare_exchange(seen, seen + 1, acq_rel))
          ++retries;
      });

  EXPECT_EQ(shared.load(relaxed), interrupts + steps);
  EXPECT_GT(retries, 0u) << "no interrupt fell between the load and the exchange";
}

word set_by_interrupt;

TEST(races, every_bit_that_is_set_is_cleared_once) {
  shared.store(0, relaxed);
  set_by_interrupt = 0;
  std::uint32_t cleared = 0;

  race(
      [] {
        const std::uint32_t bit = 1u << (next_random() & 31);
        if ((shared.fetch_or(bit, relaxed) & bit) == 0) increment(set_by_interrupt);
      },
      [&, bit = 1u]() mutable {
        bit = bit << 1 | bit >> 31;
        if ((shared.fetch_and(~bit, relaxed) & bit) != 0) ++cleared;
      });

  const auto still_set = static_cast<std::uint32_t>(__builtin_popcount(shared.load(relaxed)));
  EXPECT_EQ(set_by_interrupt, cleared + still_set);
}

// Without the mask the emulator tears only values stored word by word, on the M0: it never splits
// ldm, ldrd and strd, which a processor may do.
TEST(races, an_interrupt_never_reads_half_of_a_counter) {
  const std::uint64_t before = count.value();
  torn = 0;

  const std::uint32_t steps = race(
      [] {
        if (!halves_agree(count.value())) increment(torn);
      },
      [] { count.add(one_in_each_half); });

  EXPECT_EQ(torn, 0u);
  EXPECT_EQ(count.value() - before, steps * one_in_each_half);
}

TEST(races, the_loop_never_reads_half_of_a_counter_that_an_interrupt_writes) {
  const std::uint64_t before = count.value();
  torn = 0;

  race([] { count.add(one_in_each_half); },
       [] {
         if (!halves_agree(count.value())) increment(torn);
       });

  EXPECT_EQ(torn, 0u);
  EXPECT_EQ(count.value() - before, interrupts * one_in_each_half);
}

constinit port::interrupt_mutex section;
word plain;

TEST(races, plain_data_is_safe_in_a_critical_section) {
  plain = 0;

  const auto add_one = [] {
    section.lock();
    increment(plain);
    section.unlock();
  };
  const std::uint32_t steps = race(add_one, add_one);

  EXPECT_EQ(plain, interrupts + steps);
}

// Mutants: the tests above without the port.

TEST(races_without_the_port, additions_are_lost) {
  plain = 0;

  const std::uint32_t steps = race([] { increment(plain); }, [] { increment(plain); });
  const std::uint32_t lost = interrupts + steps - plain;

  print("lost ", lost);
  embedded::write("\n");
  EXPECT_GT(lost, 0u);
}

std::uint32_t exchange(std::uint32_t value) noexcept {
  const std::uint32_t before = plain;
  plain = value;
  return before;
}

TEST(races_without_the_port, exchanged_values_are_lost) {
  plain = 0;
  put_in = 0;
  taken_out = 0;
  std::uint32_t put_by_loop = 0;
  std::uint32_t taken_by_loop = 0;

  race(
      [] {
        const std::uint32_t value = next_random();
        put_in = put_in + value;
        taken_out = taken_out + exchange(value);
      },
      [&] {
        put_by_loop += 7;
        taken_by_loop += exchange(7);
      });

  EXPECT_NE(put_in + put_by_loop, taken_out + taken_by_loop + plain);
}

// The compiler may treat a plain 64-bit number like this.
word plain_low;
word plain_high;

TEST(races_without_the_port, a_64_bit_number_is_read_in_halves) {
  plain_low = 0;
  plain_high = 0;
  torn = 0;

  race(
      [] {
        if (plain_low != plain_high) increment(torn);
      },
      [] {
        increment(plain_low);
        increment(plain_high);
      });

  print("torn ", torn);
  embedded::write("\n");
  EXPECT_GT(torn, 0u);
}

}  // namespace
}  // namespace tactor
