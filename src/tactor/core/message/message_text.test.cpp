// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/message/message_text.hpp"

#include "tactor/base/text_writer.hpp"
#include "tactor/core/message/message_operations.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cargo {

struct plain {
  std::uint32_t weight[3];
};
struct empty {};
enum class signal : std::uint8_t { go };

struct labelled {
  const char* label;
  friend std::string_view to_string(const labelled& message) { return message.label; }
};

/// Text in an object of its own, which must live until it is written.
struct own_text {
  std::array<char, 4> letters;
  operator std::string_view() const { return {letters.data(), letters.size()}; }
};
struct computed {
  friend own_text to_string(computed /*message*/) { return {.letters = {'c', 'o', 'm', 'p'}}; }
};

/// A number is not text.
struct numbered {
  friend int to_string(numbered /*message*/) { return 1; }
};

#if defined(__cpp_exceptions)
struct broken {
  friend std::string_view to_string(broken /*message*/) { throw 1; }
};
#endif

}  // namespace cargo

namespace tactor::test {

using namespace tactor::internal;

namespace {

struct page final : text_sink {
  void write(std::string_view piece) noexcept override {
    for (const char each : piece)
      if (size < storage.size()) storage[size++] = each;
  }
  [[nodiscard]] std::string_view text() const { return {storage.data(), size}; }

  std::array<char, 96> storage{};
  std::size_t size = 0;
};

// spec: A6
TEST(message_text, is_the_contents_where_the_type_has_to_string) {
  page to;
  write_message(to, cargo::labelled{.label = "tea"});
  EXPECT_TRUE(to.text() == "cargo::labelled: tea");
}

// spec: A6
TEST(message_text, keeps_what_to_string_returns_until_it_is_written) {
  page to;
  write_message(to, cargo::computed{});
  EXPECT_TRUE(to.text() == "cargo::computed: comp");
}

// spec: A6
TEST(message_text, is_the_text_where_the_message_is_text) {
  page to;
  write_message(to, cargo::own_text{.letters = {'t', 'e', 'x', 't'}});
  EXPECT_TRUE(to.text() == "cargo::own_text: text");
}

// spec: A6
TEST(message_text, is_the_size_where_nothing_else_is_known) {
  page plain, empty, signal, numbered;
  write_message(plain, cargo::plain{});
  write_message(empty, cargo::empty{});
  write_message(signal, cargo::signal::go);
  write_message(numbered, cargo::numbered{});
  EXPECT_TRUE(plain.text() == "cargo::plain (12 bytes)");
  EXPECT_TRUE(empty.text() == "cargo::empty (1 byte)");
  EXPECT_TRUE(signal.text() == "cargo::signal (1 byte)");
  EXPECT_TRUE(numbered.text() == "cargo::numbered (1 byte)");
}

// spec: A6
TEST(message_text, can_be_had_without_knowing_the_type) {
  page to;
  const cargo::labelled message{.label = "tea"};
  const message_operations& operations = operations_of<cargo::labelled>;
  print(operations, &message, to);
  EXPECT_TRUE(to.text() == "cargo::labelled: tea");

  page without;  // a type without a text needs no function of its own
  EXPECT_TRUE(operations_of<cargo::empty>.print == nullptr);
  print(operations_of<cargo::empty>, nullptr, without);
  EXPECT_TRUE(without.text() == "cargo::empty (1 byte)");
}

#if defined(__cpp_exceptions)
// spec: A6
TEST(message_text, says_so_when_to_string_throws) {
  page to;
  write_message(to, cargo::broken{});
  EXPECT_TRUE(to.text() == "cargo::broken: (printing it threw an exception)");
}
#endif

}  // namespace
}  // namespace tactor::test
