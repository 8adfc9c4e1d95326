// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/printable.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace command {
namespace {

TEST(printable, escapes_what_a_terminal_would_obey) {
  EXPECT_EQ(printable("a\x1b[2J\x07\r\n\t\x7f"), R"(a\x1b[2J\x07\x0d\x0a\x09\x7f)");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            R"(\x9b31m)");  // the same as ESC [ in one character
  EXPECT_EQ(printable("\xE2\x80\xAEtxt"), R"(\u202etxt)");
  EXPECT_EQ(printable("\xFF\xC3"), R"(\xff\xc3)");
  EXPECT_EQ(printable("\xED\xA0\x80"), R"(\xed\xa0\x80)");
  EXPECT_EQ(printable("\xE0\x80\x9B"), R"(\xe0\x80\x9b)");  // ESC [ written too long
}

TEST(printable, keeps_letters_of_all_languages) {
  const std::string text = "K\xC3\xA4se \xE2\x82\xAC \xF0\x9F\x98\x80 \xE4\xB8\xAD";
  EXPECT_EQ(printable(text), text);
}

TEST(printable, keeps_only_the_ends_of_lines) {
  EXPECT_EQ(printable_lines("a\nb\x1b\n\n"), "a\nb\\x1b\n\n");
  EXPECT_EQ(printable_lines("a\rb"), "a\\x0db");
}

TEST(printable, cuts_between_letters) {
  EXPECT_EQ(cut_to("K\xC3\xA4se", 4), "K\xC3\xA4se");
  EXPECT_EQ(cut_to("K\xC3\xA4se", 3), "K\xC3\xA4\xE2\x80\xA6");
  EXPECT_EQ(cut_to("abc", 0), "");
}

TEST(printable, writes_numbers_as_people_read_them) {
  EXPECT_EQ(duration_text(950), "950ns");
  EXPECT_EQ(duration_text(1'500), "1.5us");
  EXPECT_EQ(duration_text(12'000'000), "12ms");
  EXPECT_EQ(duration_text(59'900'000'000), "60s");
  EXPECT_EQ(duration_text(250'000'000'000), "4m 10s");
  EXPECT_EQ(duration_text(7'500'000'000'000), "2h 5m");
  EXPECT_EQ(duration_text(273'600'000'000'000), "3d 4h");
  EXPECT_EQ(duration_text(std::nullopt), "-");
  EXPECT_EQ(short_number(9'999), "9999");
  EXPECT_EQ(short_number(12'345), "12k");
  EXPECT_EQ(short_number(4'600'000), "4.6M");
  EXPECT_EQ(short_number(999'999), "1.0M");
  EXPECT_EQ(short_number(~0ULL), "18E");
  EXPECT_EQ(short_number(std::nullopt), "-");
}

TEST(printable, aligns_columns_by_letters_and_escapes_cells) {
  table made{{{"N", table::align::right}, {"NAME", table::align::left}}};
  made.add({"7", "K\xC3\xA4se"});
  made.add({"123", "\x1b"});
  made.add({"1"});
  EXPECT_EQ(made.lines(),
            (std::vector<std::string>{"  N  NAME", "  7  K\xC3\xA4se", "123  \\x1b", "  1"}));
}

}  // namespace
}  // namespace command
