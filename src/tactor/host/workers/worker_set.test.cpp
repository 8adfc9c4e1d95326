// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/worker_set.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

constexpr std::uint32_t nobody = worker_set::most;

TEST(worker_set, gives_the_lowest_number) {
  worker_set set;
  EXPECT_EQ(set.choose(nobody), std::nullopt);
  for (const std::uint32_t number : {255u, 64u, 63u, 130u})
    set.add(number);
  EXPECT_EQ(set.size(), 4u);
  for (const std::uint32_t number : {63u, 64u, 130u, 255u}) {
    EXPECT_EQ(set.choose(nobody), number);
    EXPECT_TRUE(set.contains(number));
    set.remove(number);
    EXPECT_FALSE(set.contains(number));
  }
  EXPECT_EQ(set.size(), 0u);
  EXPECT_EQ(set.choose(0), std::nullopt);
}

TEST(worker_set, gives_the_spared_number_only_if_there_is_no_other) {
  worker_set set;
  set.add(3);
  set.add(200);
  EXPECT_EQ(set.choose(3), 200u);
  EXPECT_EQ(set.choose(200), 3u);
  set.remove(3);
  EXPECT_EQ(set.choose(200), 200u);
  EXPECT_EQ(set.choose(3), 200u);
}

}  // namespace
}  // namespace tactor::inline v0::host
