// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/metrics/actor_series.hpp"

#include "tactor/host/metrics/actor_figures.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

std::string folded(std::string_view path) {
  return std::string{actor_label{path}.view()};
}

// spec: O2
TEST(actor_series, folds_the_parts_of_a_path_that_the_runtime_generates) {
  EXPECT_EQ(folded("/user/shop/desk"), "/user/shop/desk");
  EXPECT_EQ(folded("/user/$17.3"), "/user/$");
  EXPECT_EQ(folded("/user/$17.3/desk"), "/user/$/desk");
  EXPECT_EQ(folded("/user/desk-2"), "/user/desk-*");
  EXPECT_EQ(folded("/user/desk-123/till"), "/user/desk-*/till");
  EXPECT_EQ(folded("/user/desk2"), "/user/desk2");
  EXPECT_EQ(folded("/user/2"), "/user/2");
  EXPECT_EQ(folded("/user/-2"), "/user/-2");
  EXPECT_EQ(folded("/user/desk-"), "/user/desk-");
  EXPECT_EQ(folded(""), "");
}

TEST(actor_series, cuts_a_label_that_is_too_long) {
  const std::string longest(actor_label::longest, 'a');
  EXPECT_EQ(folded(longest), longest);
  EXPECT_EQ(folded(longest + "bc"), longest);
  EXPECT_EQ(folded(longest.substr(1) + "/b"), longest.substr(1) + "/");
}

// spec: O2
TEST(actor_series, gives_each_label_one_number_and_lists_them) {
  actor_series series;
  const std::uint32_t desk = series.number_of("/user/desk");
  const std::uint32_t others = series.number_of("/user/desk-2");
  EXPECT_NE(desk, 0u);
  EXPECT_NE(others, desk);
  EXPECT_EQ(series.number_of("/user/desk"), desk);
  EXPECT_EQ(series.number_of("/user/desk-77"), others);

  std::set<std::string> labels;
  series.for_each([&](std::uint32_t, std::string_view label) { labels.emplace(label); });
  EXPECT_EQ(labels, (std::set<std::string>{"/user/desk", "/user/desk-*", "_other"}));
}

// spec: O2
TEST(actor_series, counts_what_comes_after_the_last_label_under_other) {
  actor_series series;
  for (std::size_t i = 0; i < actor_series::most; ++i)
    ASSERT_NE(series.number_of("/user/a" + std::to_string(i)), 0u);
  EXPECT_EQ(series.left_out(), 0u);
  EXPECT_EQ(series.number_of("/user/one_more"), 0u);
  EXPECT_EQ(series.number_of("/user/and_another"), 0u);
  EXPECT_EQ(series.left_out(), 2u);
  EXPECT_NE(series.number_of("/user/a999"), 0u) << "known labels stay";
  EXPECT_EQ(series.left_out(), 2u);
  std::size_t listed = 0;
  series.for_each([&](std::uint32_t, std::string_view) { ++listed; });
  EXPECT_EQ(listed, actor_series::most + 1);
}

// spec: O2
TEST(actor_series, gives_threads_that_ask_at_once_the_same_numbers) {
  actor_series series;
  constexpr std::size_t labels = 300;
  std::array<std::array<std::uint32_t, labels>, 4> numbers{};
  std::vector<std::jthread> threads;
  for (auto& mine : numbers)
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < labels; ++i)
        mine[i] = series.number_of("/user/a" + std::to_string(i) + "x");
    });
  threads.clear();
  for (const auto& each : numbers)
    EXPECT_EQ(each, numbers[0]);
  EXPECT_EQ((std::set<std::uint32_t>{numbers[0].begin(), numbers[0].end()}).size(), labels);
}

TEST(label_of_slot, knows_the_label_of_a_tenant_and_not_of_the_next_one) {
  label_of_slot labels;
  EXPECT_EQ(labels.find(5, 1), std::nullopt);
  labels.set(5, 1, 77);
  labels.set(5'000'000, 3, 0);
  EXPECT_EQ(labels.find(5, 1), 77u);
  EXPECT_EQ(labels.find(5, 3), std::nullopt);
  EXPECT_EQ(labels.find(6, 1), std::nullopt);
  EXPECT_EQ(labels.find(5'000'000, 3), 0u);
}

}  // namespace
}  // namespace tactor
