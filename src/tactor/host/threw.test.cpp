// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/threw.hpp"

#include "tactor/core/actor/definition/guard.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <gtest/gtest.h>

#include <exception>
#include <stdexcept>

namespace tactor {

using namespace tactor::internal;

namespace {

template <class Exception>
failure failure_of(const Exception& what) {
  failure why;
  EXPECT_EQ(guarded(why, [&]() -> call_result { throw Exception(what); }), call_result::failed);
  return why;
}

struct broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct left_part {
  int number = 0;
};
struct shared_part {};
struct left_half : virtual shared_part {};
struct right_half : virtual shared_part {};
struct whole : broken, left_part, left_half, right_half {
  using broken::broken;
};

// spec: V1
TEST(threw, finds_the_type_and_its_bases) {
  const failure why = failure_of(whole{"x"});
  EXPECT_TRUE(threw<whole>(why));
  EXPECT_TRUE(threw<broken>(why));
  EXPECT_TRUE(threw<std::runtime_error>(why));
  EXPECT_TRUE(threw<std::exception>(why));
  EXPECT_TRUE(threw<left_part>(why));
  EXPECT_TRUE(threw<shared_part>(why)) << "a virtual base, inherited twice, is one";
}

// spec: V1
TEST(threw, does_not_find_what_a_catch_would_not_take) {
  struct secret : private std::runtime_error {
    secret() : std::runtime_error("x") {}
  };
  struct one : left_part {};
  struct two : left_part {};
  struct twice : one, two {};
  EXPECT_FALSE(threw<std::logic_error>(failure_of(broken{"x"})));
  EXPECT_FALSE(threw<whole>(failure_of(broken{"x"}))) << "a base is no derived one";
  EXPECT_FALSE(threw<std::runtime_error>(failure_of(secret{}))) << "private";
  EXPECT_FALSE(threw<left_part>(failure_of(twice{}))) << "ambiguous";
  EXPECT_TRUE(threw<one>(failure_of(twice{})));
}

// spec: V1
TEST(threw, finds_what_is_no_class_by_its_type) {
  EXPECT_TRUE(threw<int>(failure_of(7)));
  EXPECT_FALSE(threw<long>(failure_of(7)));
  EXPECT_FALSE(threw<std::exception>(failure_of(7)));
  EXPECT_TRUE(threw<const char*>(failure_of<const char*>("text")));
}

// spec: V1
TEST(threw, finds_nothing_in_a_failure_that_was_returned) {
  EXPECT_FALSE(threw<std::exception>(failure{"returned"}));
}

}  // namespace
}  // namespace tactor
