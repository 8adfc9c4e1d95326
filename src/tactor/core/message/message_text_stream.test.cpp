// SPDX-License-Identifier: BSL-1.0
// Not on targets: streams do not fit there.
#include "tactor/core/message/message_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace cargo {

struct streamed {
  int item;
  const char* label;
  friend std::ostream& operator<<(std::ostream& to, const streamed& message) {
    return to << message.item << " x " << message.label << '!';
  }
};

enum class shade : std::uint8_t { dark };
static std::ostream& operator<<(std::ostream& to, shade /*message*/) {
  return to << "dark";
}

struct interrupted {
  friend std::ostream& operator<<(std::ostream& to, interrupted /*message*/) {
    to << "half";
    throw 1;
  }
};

struct both {
  friend std::ostream& operator<<(std::ostream& to, both /*message*/) { return to; }
  friend std::string to_string(both /*message*/) {
    return "text of its own, longer than a small string";
  }
};

struct counted {
  int number;
  operator int() const { return number; }
};
enum old_style : std::uint8_t { first };

}  // namespace cargo

namespace tactor::test {

using namespace tactor::internal;

namespace {

struct page final : text_sink {
  void write(std::string_view piece) noexcept override { text += piece; }
  std::string text;
};

template <class Message>
std::string text_of(const Message& message) {
  page to;
  write_message(to, message);
  return to.text;
}

// Whether these are printed by contents must not depend on the headers a unit includes.
static_assert(!streamable<cargo::counted>);
static_assert(!streamable<cargo::old_style>);
static_assert(!streamable<char>);
static_assert(!streamable<std::shared_ptr<int>>);

// spec: A6
TEST(message_text, is_what_the_message_streams) {
  EXPECT_EQ(text_of(cargo::streamed{.item = 3, .label = "tea"}), "cargo::streamed: 3 x tea!");
  EXPECT_EQ(text_of(cargo::shade::dark), "cargo::shade: dark");
}

// spec: A6
TEST(message_text, says_so_when_streaming_throws_in_the_middle) {
  EXPECT_EQ(text_of(cargo::interrupted{}),
            "cargo::interrupted: half(printing it threw an exception)");
}

// spec: A6
TEST(message_text, prefers_to_string_to_a_stream) {
  EXPECT_EQ(text_of(cargo::both{}), "cargo::both: text of its own, longer than a small string");
}

// spec: A6
TEST(message_text, of_a_string_is_the_string) {
  EXPECT_TRUE(text_of(std::string{"tea"}).ends_with("string<char>: tea"));
}

}  // namespace
}  // namespace tactor::test
