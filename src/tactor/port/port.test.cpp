// SPDX-License-Identifier: BSL-1.0
#include "tactor/port/port.hpp"

#include <gtest/gtest.h>

#include <cstdint>

// The contract test of all ports; the model port runs it in tests/model.
namespace tactor {
namespace {

TEST(port, an_atomic_starts_at_zero) {
  const port::atomic<std::uint32_t> number;
  const port::atomic<int*> pointer;

  EXPECT_EQ(number.load(relaxed), 0u);
  EXPECT_EQ(pointer.load(relaxed), nullptr);
}

TEST(port, exchange_and_the_fetch_operations_return_the_value_before) {
  port::atomic<std::uint32_t> number{5};

  EXPECT_EQ(number.exchange(6, acq_rel), 5u);
  EXPECT_EQ(number.fetch_add(10, relaxed), 6u);
  EXPECT_EQ(number.fetch_sub(4, relaxed), 16u);
  EXPECT_EQ(number.fetch_or(3, relaxed), 12u);
  EXPECT_EQ(number.fetch_and(9, relaxed), 15u);
  EXPECT_EQ(number.load(acquire), 9u);
}

TEST(port, compare_exchange_changes_only_what_was_expected_and_reports_what_it_found) {
  port::atomic<std::uint32_t> number{1};
  std::uint32_t expected = 2;

  EXPECT_FALSE(number.compare_exchange(expected, 3, acq_rel));
  EXPECT_EQ(expected, 1u);
  EXPECT_EQ(number.load(relaxed), 1u);

  EXPECT_TRUE(number.compare_exchange(expected, 3, acq_rel));
  EXPECT_EQ(number.load(relaxed), 3u);
}

TEST(port, unsigned_arithmetic_wraps) {
  port::atomic<std::uint32_t> number{0xFFFF'FFFF};

  EXPECT_EQ(number.fetch_add(2, relaxed), 0xFFFF'FFFFu);
  EXPECT_EQ(number.load(relaxed), 1u);
}

TEST(port, a_counter_counts_past_32_bits) {
  port::counter count;

  count.add(0xFFFF'FFFF);
  count.add(2);

  EXPECT_EQ(count.value(), 0x1'0000'0001u);
}

TEST(port, plain_data_keeps_what_was_set) {
  port::plain<int> plain{3};

  EXPECT_EQ(plain.get(), 3);
  plain.set(4);
  EXPECT_EQ(plain.get(), 4);
}

TEST(port, a_critical_section_can_be_entered_again_after_it_was_left) {
  port::mutex section;

  section.lock();
  section.unlock();
  section.lock();
  section.unlock();
}

TEST(port, atomics_are_as_small_as_what_they_hold) {
  if constexpr (port::has_real_layout) {
    EXPECT_EQ(sizeof(port::atomic<std::uint32_t>), 4u);
    EXPECT_EQ(sizeof(port::atomic<void*>), sizeof(void*));
    EXPECT_EQ(sizeof(port::plain<std::uint32_t>), 4u);
  }
}

}  // namespace
}  // namespace tactor
