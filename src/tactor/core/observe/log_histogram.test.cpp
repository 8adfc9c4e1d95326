// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/observe/log_histogram.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace tactor {

using namespace tactor::internal;

namespace {

// spec: O2
TEST(log_histogram, every_value_is_in_the_bucket_that_ends_above_it) {
  std::size_t before = 0;
  for (std::uint64_t value = 0; value < histogram_buckets::limit; value += value / 7 + 1) {
    const std::size_t bucket = histogram_buckets::of(value);
    ASSERT_TRUE(bucket < histogram_buckets::count);
    EXPECT_TRUE(value < histogram_buckets::end_of(bucket));
    EXPECT_TRUE(bucket == 0 || value >= histogram_buckets::end_of(bucket - 1));
    EXPECT_TRUE(bucket >= before);
    before = bucket;
  }
}

// spec: O2
TEST(log_histogram, a_bucket_is_at_most_a_quarter_as_wide_as_its_values_are_large) {
  for (std::size_t i = 4; i < histogram_buckets::count; ++i) {
    const std::uint64_t begin = histogram_buckets::end_of(i - 1);
    EXPECT_TRUE((histogram_buckets::end_of(i) - begin) * 4 <= begin);
  }
}

TEST(log_histogram, values_that_are_too_large_are_in_the_last_bucket) {
  EXPECT_EQ(histogram_buckets::of(histogram_buckets::limit), histogram_buckets::count - 1);
  EXPECT_EQ(histogram_buckets::of(~std::uint64_t{0}), histogram_buckets::count - 1);
}

// spec: O2
TEST(log_histogram, counts_and_adds_up_what_was_recorded) {
  static log_histogram first, second;
  first.record(10);
  first.record(1'000);
  second.record(1'000'000);
  static histogram_counts sums;
  first.add_to(sums);
  second.add_to(sums);

  EXPECT_EQ(sums.size(), 3u);
  EXPECT_EQ(sums.sum, 1'001'010u);
  EXPECT_EQ(sums.below(8), 0u);
  EXPECT_EQ(sums.below(16), 1u);
  EXPECT_EQ(sums.below(1'024), 2u);
  EXPECT_EQ(sums.below(histogram_buckets::limit / 2), 3u);

  sums += sums;
  EXPECT_EQ(sums.size(), 6u);
  EXPECT_EQ(sums.sum, 2'002'020u);
}

// spec: O2
TEST(log_histogram, knows_which_value_a_share_of_the_values_is_less_than) {
  static log_histogram values;
  for (int i = 0; i < 990; ++i)
    values.record(100);
  for (int i = 0; i < 10; ++i)
    values.record(5'000);
  static histogram_counts counts;
  EXPECT_EQ(counts.quantile(500), 0u);
  values.add_to(counts);
  EXPECT_EQ(counts.quantile(500), 112u);
  EXPECT_EQ(counts.quantile(990), 112u);
  EXPECT_EQ(counts.quantile(991), 5'120u);
  EXPECT_EQ(counts.quantile(1'000), 5'120u);
}

}  // namespace
}  // namespace tactor
