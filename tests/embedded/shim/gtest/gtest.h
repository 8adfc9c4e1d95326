// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "embedded/semihosting.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// The part of GoogleTest that unit tests use, for images without heap, exceptions and streams:
/// each
/// `*.test.cpp` compiles against either. Impossible here: death tests, EXPECT_THROW, typed and
/// parameterised tests, matchers.
///
/// Prints the operand of `<<` if it is text, a number, a truth value or a pointer, and ignored
/// otherwise.
namespace testing {

/// Base class of TEST_F fixtures.
class Test {
public:
  Test() = default;
  Test(const Test&) = delete;
  Test& operator=(const Test&) = delete;
  virtual ~Test() = default;
  virtual void SetUp() {}
  virtual void TearDown() {}

  /// A virtual destructor refers to a deallocation function: this one, never called, not the
  /// heap's.
  static void operator delete(void* /*unused*/) noexcept {}
};

namespace internal {

/// One TEST; all of them are consecutive in the section `.test_table`.
struct table_entry {
  const char* suite;
  const char* name;
  void (*run)();
};

/// The outcome of the running test.
enum class outcome : std::uint8_t { passed, skipped, failed };
extern outcome current_outcome;

void report_failure(const char* file, int line) noexcept;

template <class T>
void print(const T& value) noexcept {
  if constexpr (std::same_as<T, bool>) {
    embedded::write(value ? "true" : "false");
  } else if constexpr (std::is_enum_v<T>) {
    print(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::signed_integral<T>) {
    embedded::write_number(static_cast<std::int64_t>(value));
  } else if constexpr (std::unsigned_integral<T>) {
    embedded::write_number(static_cast<std::uint64_t>(value));
  } else if constexpr (std::is_null_pointer_v<T>) {
    embedded::write("nullptr");
  } else if constexpr (std::is_pointer_v<T>) {
    embedded::write_hex(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(value)));
  } else if constexpr (requires {
                         { value.has_value() } -> std::same_as<bool>;
                         *value;
                       }) {
    if (value.has_value())
      print(*value);
    else
      embedded::write("(empty)");
  } else {
    embedded::write("(object)");
  }
}

// The comparisons, as values that `compare` can take.
inline constexpr auto equal = [](const auto& a, const auto& b) -> bool { return a == b; };
inline constexpr auto unequal = [](const auto& a, const auto& b) -> bool { return a != b; };
inline constexpr auto less = [](const auto& a, const auto& b) -> bool { return a < b; };
inline constexpr auto less_or_equal = [](const auto& a, const auto& b) -> bool { return a <= b; };
inline constexpr auto greater = [](const auto& a, const auto& b) -> bool { return a > b; };
inline constexpr auto greater_or_equal = [](const auto& a, const auto& b) -> bool {
  return a >= b;
};

/// An expectation in the source.
struct place {
  const char* expected;
  const char* file;
  int line;
};

/// Returns: whether the comparison holds; if not, both sides were printed.
template <class Compare, class Left, class Right>
[[nodiscard]] bool holds(Compare compare, const Left& left, const Right& right,
                         place where) noexcept {
  if (compare(left, right)) return true;
  report_failure(where.file, where.line);
  embedded::write("Expected: ");
  embedded::write(where.expected);
  embedded::write(", actual: ");
  print(left);
  embedded::write(" vs ");
  print(right);
  embedded::write("\n");
  return false;
}

}  // namespace internal

/// Prints what a test adds with `<<` at once: the location of the failure is already printed.
class Message {
public:
  const Message& operator<<(const char* text) const noexcept {
    embedded::write(text);
    return *this;
  }
  template <class T>
  const Message& operator<<(const T& value) const noexcept {
    if constexpr (std::integral<T> || std::is_enum_v<T> || std::is_pointer_v<T>)
      internal::print(value);
    return *this;
  }
  template <std::size_t Size>
  const Message& operator<<(const char (&text)[Size]) const noexcept {
    return *this << static_cast<const char*>(text);
  }
};

namespace internal {

/// The end of a macro: `conclusion{...} = Message{} << ...`, as `=` binds weaker than `<<`. Returns
/// nothing, so that `return conclusion{} = Message{}` leaves a test.
struct conclusion {
  outcome result;
  void operator=(const Message& /*printed*/) const noexcept {
    embedded::write("\n");
    if (result > current_outcome) current_outcome = result;
  }
};

/// Result of SUCCEED(), which prints nothing.
struct ignored {
  template <class T>
  const ignored& operator<<(const T& /*value*/) const noexcept {
    return *this;
  }
};

}  // namespace internal
}  // namespace testing

// `switch` keeps the macro safe as the branch of an `if` without braces.
#define TACTOR_SHIM_CHECK(condition, reaction)                                                     \
  switch (0)                                                                                       \
  case 0:                                                                                          \
  default:                                                                                         \
    if (condition)                                                                                 \
      ;                                                                                            \
    else                                                                                           \
      reaction ::testing::internal::conclusion{::testing::internal::outcome::failed} =             \
          ::testing::Message {}

#define TACTOR_SHIM_COMPARE(compare, symbol, left, right, reaction)                                \
  TACTOR_SHIM_CHECK(                                                                               \
      ::testing::internal::holds(::testing::internal::compare, left, right,                        \
                                 {"(" #left ") " symbol " (" #right ")", __FILE__, __LINE__}),     \
      reaction)

#define TACTOR_SHIM_TRUTH(condition, wanted, reaction)                                             \
  TACTOR_SHIM_CHECK(                                                                               \
      ::testing::internal::holds(::testing::internal::equal, static_cast<bool>(condition), wanted, \
                                 {"(" #condition ") is " #wanted, __FILE__, __LINE__}),            \
      reaction)

#define TACTOR_SHIM_FAIL(reaction)                                                                 \
  TACTOR_SHIM_CHECK((::testing::internal::report_failure(__FILE__, __LINE__), false), reaction)

#define EXPECT_TRUE(condition) TACTOR_SHIM_TRUTH(condition, true, )
#define EXPECT_FALSE(condition) TACTOR_SHIM_TRUTH(condition, false, )
#define EXPECT_EQ(left, right) TACTOR_SHIM_COMPARE(equal, "==", left, right, )
#define EXPECT_NE(left, right) TACTOR_SHIM_COMPARE(unequal, "!=", left, right, )
#define EXPECT_LT(left, right) TACTOR_SHIM_COMPARE(less, "<", left, right, )
#define EXPECT_LE(left, right) TACTOR_SHIM_COMPARE(less_or_equal, "<=", left, right, )
#define EXPECT_GT(left, right) TACTOR_SHIM_COMPARE(greater, ">", left, right, )
#define EXPECT_GE(left, right) TACTOR_SHIM_COMPARE(greater_or_equal, ">=", left, right, )

#define ASSERT_TRUE(condition) TACTOR_SHIM_TRUTH(condition, true, return)
#define ASSERT_FALSE(condition) TACTOR_SHIM_TRUTH(condition, false, return)
#define ASSERT_EQ(left, right) TACTOR_SHIM_COMPARE(equal, "==", left, right, return)
#define ASSERT_NE(left, right) TACTOR_SHIM_COMPARE(unequal, "!=", left, right, return)
#define ASSERT_LT(left, right) TACTOR_SHIM_COMPARE(less, "<", left, right, return)
#define ASSERT_LE(left, right) TACTOR_SHIM_COMPARE(less_or_equal, "<=", left, right, return)
#define ASSERT_GT(left, right) TACTOR_SHIM_COMPARE(greater, ">", left, right, return)
#define ASSERT_GE(left, right) TACTOR_SHIM_COMPARE(greater_or_equal, ">=", left, right, return)

#define ADD_FAILURE() TACTOR_SHIM_FAIL()
#define FAIL() TACTOR_SHIM_FAIL(return)
#define SUCCEED()                                                                                  \
  ::testing::internal::ignored {}
#define GTEST_SKIP()                                                                               \
  return ::testing::internal::conclusion{::testing::internal::outcome::skipped} =                  \
             ::testing::Message {}

#define TACTOR_SHIM_TEST(suite, name, fixture)                                                     \
  class suite##_##name##_Test : public fixture {                                                   \
  public:                                                                                          \
    void TestBody();                                                                               \
    static void run() {                                                                            \
      suite##_##name##_Test shim_test;                                                             \
      shim_test.SetUp();                                                                           \
      if (::testing::internal::current_outcome == ::testing::internal::outcome::passed)            \
        shim_test.TestBody();                                                                      \
      shim_test.TearDown();                                                                        \
    }                                                                                              \
  };                                                                                               \
  [[gnu::used, gnu::no_reorder, gnu::section(".test_table")]]                                      \
  constexpr ::testing::internal::table_entry suite##_##name##_entry{#suite, #name,                 \
                                                                    suite##_##name##_Test::run};   \
  void suite##_##name##_Test::TestBody()

#define TEST(suite, name) TACTOR_SHIM_TEST(suite, name, ::testing::Test)
#define TEST_F(fixture, name) TACTOR_SHIM_TEST(fixture, name, fixture)
