// SPDX-License-Identifier: BSL-1.0

// Tests that fail, to check the reports of the shim: check_failing.cmake reads the output.
#include "embedded/semihosting.hpp"
#include <gtest/gtest.h>

#include <optional>

namespace {

int one() {
  return 1;
}

TEST(failing, an_expectation_goes_on) {
  EXPECT_EQ(one(), 2) << "as expected";
  EXPECT_EQ((std::optional<int>{}), (std::optional<int>{-3}));
}

TEST(failing, an_assertion_leaves_the_test) {
  ASSERT_TRUE(one() == 2);
  embedded::write("unreachable");
}

TEST(failing, a_type_that_cannot_be_printed) {
  struct point {
    int x;
    bool operator==(const point&) const = default;
  };
  EXPECT_EQ(point{1}, point{2});
}

TEST(failing, fails_by_saying_so) {
  if (one() == 1)
    ADD_FAILURE() << "number " << one();
  else
    SUCCEED() << "unreachable";
  FAIL();
  embedded::write("unreachable");
}

TEST(failing, a_skipped_test) {
  if (one() == 1) GTEST_SKIP() << "not today";
  embedded::write("unreachable");
}

class failing_fixture : public testing::Test {
protected:
  void SetUp() override { value_ = 3; }
  int value_ = 0;
};

TEST_F(failing_fixture, is_set_up) {
  EXPECT_EQ(value_, 3);
}

}  // namespace
