// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/request/json_fields.hpp"

#include <gtest/gtest.h>

#include <string>

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
