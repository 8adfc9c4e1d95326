// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/observe/log_record.hpp"

#include "tactor/base/text_writer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace tactor {
namespace {

struct page final : text_sink {
  void write(std::string_view piece) noexcept override {
    for (const char each : piece)
      if (size < storage.size()) storage[size++] = each;
  }
  [[nodiscard]] std::string_view text() const { return {storage.data(), size}; }

  std::array<char, 128> storage{};
  std::size_t size = 0;
};

// spec: O6
TEST(log_record, is_one_line_with_time_level_actor_text_and_fields) {
  page to;
  const log_field fields[] = {{"reason", "stopped"}, {"waiting", 3u}};
  write_line(to, {.level = log_level::warning,
                  .kind = log_kind::dead_letter,
                  .time_ns = 12'000'345'678,
                  .actor = "/user/shop",
                  .text = "message not handled",
                  .fields = fields});
  EXPECT_TRUE(to.text() ==
              "12.000345 warning /user/shop: message not handled reason=stopped waiting=3\n");
}

// spec: O6
TEST(log_record, needs_no_actor_and_no_fields) {
  page to;
  write_line(to, {.level = log_level::error,
                  .kind = log_kind::system,
                  .time_ns = 0,
                  .actor = {},
                  .text = "no memory",
                  .fields = {}});
  EXPECT_TRUE(to.text() == "0.000000 error no memory\n");
}

// spec: O6
TEST(log_record, stays_one_line_whatever_is_in_it) {
  page to;
  const log_field fields[] = {{"what", "two\nlines"}, {"said", "a \"b\" \\"}};
  write_line(to, {.level = log_level::info,
                  .kind = log_kind::general,
                  .time_ns = 999'999'999,
                  .actor = "/a\n",
                  .text = "x\n\ty\x1b[0m",
                  .fields = fields});
  EXPECT_TRUE(to.text() == "0.999999 info /a\\n: x\\n\\ty?[0m what=\"two\\nlines\" "
                           "said=\"a \\\"b\\\" \\\\\"\n");
}

// spec: O6
TEST(log_record, names_its_system_if_that_has_a_name) {
  page to;
  write_line(to,
             {.level = log_level::warning, .actor = "/user/shop", .text = "x", .system = "market"});
  EXPECT_TRUE(to.text() == "0.000000 warning market /user/shop: x\n");
}

// spec: O6
TEST(log_record, leaves_out_a_field_that_has_nothing_to_say) {
  page to;
  const log_field fields[] = {{"thrown", ""}, {"restarts", 0u}, {"because", ""}};
  write_line(to, {.level = log_level::error,
                  .kind = log_kind::failure,
                  .time_ns = 0,
                  .actor = "/user/shop",
                  .text = "sold out",
                  .fields = fields});
  EXPECT_TRUE(to.text() == "0.000000 error /user/shop: sold out restarts=0\n");
}

TEST(log_field, is_a_text_or_a_number) {
  const log_field text{"a", "1"};
  const log_field number{"a", std::numeric_limits<std::uint64_t>::max()};
  EXPECT_FALSE(text.is_number());
  EXPECT_TRUE(text.text() == "1");
  EXPECT_TRUE(number.is_number());
  EXPECT_EQ(number.number(), std::numeric_limits<std::uint64_t>::max());
}

}  // namespace
}  // namespace tactor
