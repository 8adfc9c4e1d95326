// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/supervision/failure.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string_view>
#include <utility>

namespace tactor {
namespace {

// spec: V4
TEST(failure, carries_what_was_returned) {
  const failure why{"no item", 7};
  EXPECT_EQ(why.text(), std::string_view{"no item"});
  EXPECT_EQ(why.code(), 7);
  EXPECT_TRUE(why.from() == failure::origin::returned);
}

// spec: V4
TEST(failure, says_whether_it_was_thrown) {
  const failure why = failure::of_thrown("bad", nullptr);
  EXPECT_TRUE(why.from() == failure::origin::thrown);
}

// spec: V4
TEST(failure, cuts_a_long_text_and_keeps_its_beginning) {
  std::array<char, 300> letters{};
  for (std::size_t i = 0; i < letters.size(); ++i)
    letters[i] = static_cast<char>('a' + i % 26);
  const std::string_view whole{letters.data(), letters.size()};
  const failure why{whole};
  EXPECT_GE(why.text().size(), 40u);
  EXPECT_LT(why.text().size(), whole.size());
  EXPECT_TRUE(whole.starts_with(why.text()));
}

// spec: V4
TEST(failure, is_copied_with_its_text_and_empty_without_one) {
  failure kept;
  EXPECT_TRUE(kept.text().empty());
  EXPECT_EQ(kept.code(), 0);
  {
    const failure why{"short lived", -3};
    kept = why;
  }
  EXPECT_EQ(kept.text(), std::string_view{"short lived"});
  EXPECT_EQ(kept.code(), -3);
}

// spec: V4
TEST(failure, knows_where_it_was_made) {
  const failure why{"here"};
  EXPECT_TRUE(why.file().ends_with("failure.test.cpp"));
  EXPECT_EQ(why.line(), __LINE__ - 2U);
  EXPECT_TRUE(why.thrown_type() == nullptr);
}

// spec: V4
TEST(failure, of_something_thrown_has_a_type_and_no_place) {
  static const int type = 0;
  const failure why = failure::of_thrown("bad", &type);
  EXPECT_EQ(why.text(), std::string_view{"bad"});
  EXPECT_TRUE(why.thrown_type() == &type);
  EXPECT_EQ(why.code(), 0);
  EXPECT_TRUE(why.file().empty());
  EXPECT_EQ(why.line(), 0u);
}

// spec: V4
TEST(failure, that_has_not_happened_says_nothing) {
  const failure none = failure::nothing_yet();
  EXPECT_TRUE(none.text().empty());
  EXPECT_EQ(none.code(), 0);
  EXPECT_TRUE(none.file().empty());
  EXPECT_TRUE(none.from() == failure::origin::returned);
}

}  // namespace
}  // namespace tactor
