// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/request/json_fields.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tactor::internal {
namespace {

TEST(json_fields, are_the_members_of_a_flat_object) {
  const auto found = json_fields::parse(
      " {\"path\" : "
      "\"\\/user\\u002Fa\\\"\\u00e9\\ud83d\\ude00\\n\",\n\"seconds\":2.5e1,\"on\":true} ");

  ASSERT_TRUE(found);
  ASSERT_EQ(found->all.size(), 3U);
  EXPECT_EQ(*found->find("path"), "/user/a\"\xC3\xA9\xF0\x9F\x98\x80\n");
  EXPECT_EQ(*found->find("seconds"), "2.5e1");
  EXPECT_EQ(*found->find("on"), "true");
  EXPECT_EQ(found->find("off"), nullptr);
  EXPECT_TRUE(json_fields::parse("{}")->all.empty());
}

// The grammar of RFC 8259, section 6: [ minus ] int [ frac ] [ exp ].
TEST(json_fields, keep_every_number_that_json_has_as_it_was_written) {
  for (const std::string number :
       {"0",        "-0",    "7",        "10",       "-10",
        "0.0",      "0.5",   "-0.25",    "1.50",     "1e5",
        "1E5",      "1e+5",  "1e-5",     "0e0",      "0.0e-0",
        "1.25E+02", "1e400", "-1e99999", "1e-99999", "12345678901234567890123"}) {
    const auto found = json_fields::parse("{\"a\":" + number + "}");
    ASSERT_TRUE(found) << number;
    EXPECT_EQ(*found->find("a"), number);
  }
}

TEST(json_fields, are_nothing_if_a_number_is_none_of_json) {
  for (const std::string wrong :
       {"00",   "01",    "-01",   "007",  "01.5", "00e1", "-",     "--1",       "+1",   "-+1",
        ".5",   "-.5",   "1.",    "-1.",  "1.e5", "1e",   "1E",    "1e+",       "1e-",  "1e5.",
        "1e.5", "1e1e1", "1.2.3", "1-2",  "1+2",  "0x10", "0b1",   "1_000",     "1,5",  "1 2",
        "e5",   "E",     "nan",   "NaN",  "-nan", "inf",  "-inf",  "Infinity",  "1f",   "1l",
        "1u",   "true1", "1true", "True", "TRUE", "nul",  "nulll", "truefalse", "-true"})
    EXPECT_FALSE(json_fields::parse("{\"a\":" + wrong + "}")) << wrong;
}

TEST(json_fields, keep_every_text_that_json_has) {
  const std::pair<std::string, std::string> texts[] = {
      {"", ""},
      {R"(\"\\\/\b\f\n\r\t)", "\"\\/\b\f\n\r\t"},
      {"\x7f", "\x7f"},
      {R"(\u0000)", std::string(1, '\0')},
      {R"(\u001f\u0041\u00E9\u20aC)", "\x1f"
                                      "A\xC3\xA9\xE2\x82\xAC"},
      {R"(\uD7FF\uE000\uFFFF)", "\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"},
      {R"(\uD800\uDC00\uDBFF\uDFFF)", "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"},
      {"\xC3\xA9", "\xC3\xA9"},
      {R"({\"a\":[1]})", "{\"a\":[1]}"}};
  for (const auto& [written, text] : texts) {
    const auto found = json_fields::parse("{\"a\":\"" + written + "\"}");
    ASSERT_TRUE(found) << written;
    EXPECT_EQ(*found->find("a"), text) << written;
  }
}

TEST(json_fields, are_nothing_if_a_text_is_none_of_json) {
  for (const std::string& wrong : {std::string{"\t"},
                                   std::string{"\r"},
                                   std::string(1, '\0'),
                                   std::string{"\x1f"},
                                   std::string{R"(\)"},
                                   std::string{R"(\a)"},
                                   std::string{R"(\x41)"},
                                   std::string{R"(\U0041)"},
                                   std::string{R"(\')"},
                                   std::string{R"(\u)"},
                                   std::string{R"(\u004)"},
                                   std::string{R"(\u004g)"},
                                   std::string{R"(\u+041)"},
                                   std::string{R"(\u-041)"},
                                   std::string{R"(\u 041)"},
                                   std::string{R"(\u0x41)"},
                                   std::string{R"(\uDC00\uD800)"},
                                   std::string{R"(\uD800\uD800)"},
                                   std::string{R"(\uD800x)"},
                                   std::string{R"(\uD800\n)"},
                                   std::string{R"(\uD800\uE000)"},
                                   std::string{R"(\uDBFF)"},
                                   std::string{R"(\uD800\u)"}})
    EXPECT_FALSE(json_fields::parse("{\"a\":\"" + wrong + "\"}")) << wrong;
}

TEST(json_fields, are_nothing_if_an_object_is_none_of_json_or_not_flat) {
  for (const std::string& wrong : {std::string{"{\"a\":1,\"\\u0061\":2}"},
                                   std::string{"{\"a\":1}{}"},
                                   std::string{"{\"a\":1},"},
                                   std::string{"{\"a\":1}}"},
                                   std::string{"{,}"},
                                   std::string{"{,\"a\":1}"},
                                   std::string{"{\"a\":1,,\"b\":2}"},
                                   std::string{"{\"a\" 1}"},
                                   std::string{"{\"a\"::1}"},
                                   std::string{"{1:1}"},
                                   std::string{"{null:1}"},
                                   std::string{"{'a':1}"},
                                   std::string{"{\"a\":'b'}"},
                                   std::string{"{\"a\":1}//"},
                                   std::string{"/**/{}"},
                                   std::string{"\xEF\xBB\xBF{}"},
                                   std::string{"\v{}"},
                                   std::string{"\f{}"},
                                   std::string{"\xC2\xA0{}"},
                                   std::string{"{}\0", 3},
                                   std::string(100'000, '{'),
                                   "{\"a\":" + std::string(100'000, '[')})
    EXPECT_FALSE(json_fields::parse(wrong)) << wrong.substr(0, 40);
}

TEST(json_fields, are_nothing_if_the_text_is_something_else) {
  for (const char* wrong :
       {"",
        "[]",
        "1",
        "{",
        "}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1",
        "{\"a\":1,}",
        "{\"a\":1}x",
        "{\"a\":1 \"b\":2}",
        "{a:1}",
        "{\"a\":nan}",
        "{\"a\":-}",
        "{\"a\":.5}",
        "{\"a\":1.2.3}",
        "{\"a\":tru}",
        "{\"a\":{}}",
        "{\"a\":[1]}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":\"b}",
        "{\"a\":\"\\q1\"}",
        "{\"a\":\"\\q1}",
        "{\"a\":\"\\u12\"}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\udc00\"}",
        "{\"a\":\"\\ud800\\u0041\"}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\\",
        "{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"9\":1,\"10\":1,"
        "\"11\":1,\"12\":1,\"13\":1,\"14\":1,\"15\":1,\"16\":1,\"17\":1}"})
    EXPECT_FALSE(json_fields::parse(wrong)) << wrong;
}

}  // namespace
}  // namespace tactor::internal
