// SPDX-License-Identifier: BSL-1.0
#include "command/stored.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace command {
namespace {

std::string opened(const std::string& text) {
  std::istringstream in{text};
  const auto what = open_file("-", in);
  if (!what) return what.error().text;
  std::string all;
  for (const std::string& each : stored_view(*what))
    all += each + "\n";
  return all;
}

TEST(stored, shows_parts_and_dumps_without_control_characters) {
  EXPECT_EQ(opened(R"({"version":1,"part":"warnings","warnings":[]})"), "no warnings\n");
  EXPECT_EQ(opened("{\"version\":1,\"part\":\"warnings\"}\n\n{\"version\":1,\"part\":\"tree\"}\n"),
            "== warnings\nno warnings\n\n== tree\nno actors\n");
  EXPECT_EQ(opened("system: name=\"\x1b\"\nx\ty"), "system: name=\"\\x1b\"\nx\\x09y\n");
}

TEST(stored, says_what_a_file_is_not) {
  EXPECT_EQ(opened(""), "standard input: neither a snapshot nor a dump");
  EXPECT_EQ(opened("hello"), "standard input: neither a snapshot nor a dump");
  EXPECT_EQ(opened("[1]"), "standard input: neither a snapshot nor a dump");
  EXPECT_EQ(opened("{}"), "standard input: JSON, but no snapshot: it has no version");
  EXPECT_EQ(opened(R"({"version":9})"), "standard input: version 9; this command reads version 1");
  std::istringstream in;
  const auto none = open_file("/none/\x1b", in);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text, "/none/\\x1b: No such file or directory");
}

}  // namespace
}  // namespace command
