// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/request/action_token.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tactor::internal {
namespace {

TEST(action_token, is_long_and_another_one_each_time) {
  const std::string first = random_token();
  const std::string second = random_token();

  EXPECT_EQ(first.size(), 32U);
  EXPECT_NE(first, second);
}

TEST(action_token, is_presented_only_as_a_whole_and_as_a_bearer) {
  EXPECT_TRUE(presents_token("Bearer secret", "secret"));

  for (const char* wrong : {"", "secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secret1",
                            "Bearer Secret", "Basic secret", "Bearer  secret"})
    EXPECT_FALSE(presents_token(wrong, "secret")) << wrong;
}

}  // namespace
}  // namespace tactor::internal
