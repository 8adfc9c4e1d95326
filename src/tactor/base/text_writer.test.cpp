// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/text_writer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace tactor {
namespace {

struct buffer final : text_sink {
  void write(std::string_view piece) noexcept override {
    for (const char each : piece)
      storage[size++] = each;
  }
  [[nodiscard]] std::string_view text() const { return {storage.data(), size}; }

  std::array<char, 64> storage{};
  std::size_t size = 0;
};

TEST(text_writer, writes_words_and_numbers_one_after_the_other) {
  buffer to;
  text_writer{to} << "ticks=" << 1230u << " left=" << std::uint8_t{0};
  EXPECT_TRUE(to.text() == "ticks=1230 left=0");
}

TEST(text_writer, writes_the_largest_number) {
  buffer to;
  text_writer{to} << std::numeric_limits<std::uint64_t>::max();
  EXPECT_TRUE(to.text() == "18446744073709551615");
}

}  // namespace
}  // namespace tactor
