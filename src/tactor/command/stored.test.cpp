// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/stored.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
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
  const auto folder = open_file("/", in);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().text, "/: it is a folder");
}

TEST(stored, refuses_json_that_is_nested_deeper_than_a_snapshot) {
  const auto nested = [](std::size_t depth) {
    return R"({"version":1,"part":"warnings","x":)" + std::string(depth, '[') + R"("]]\"[[")" +
           std::string(depth, ']') + "}";
  };
  EXPECT_EQ(opened(nested(50)), "no warnings\n");
  // To write it again would take more stack than there is.
  EXPECT_EQ(opened(nested(1'000'000)), "standard input: neither a snapshot nor a dump");
}

std::string file_text(const char* name) {
  std::ifstream file{name, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// Returns: the bytes that examples/cortex_m/observed sends.
std::string frames_of_a_board() {
  std::string bytes;
  std::string digits;
  for (const char each : file_text(OBSERVED ".hex")) {
    if (each == '\n') continue;
    digits += each;
    if (digits.size() < 2) continue;
    bytes += static_cast<char>(std::stoi(digits, nullptr, 16));
    digits.clear();
  }
  return bytes;
}

TEST(stored, shows_the_newest_snapshot_of_a_board) {
  const std::string all = file_text(OBSERVED ".jsonl");
  const std::string newest = all.substr(all.rfind(R"({"version":1,"part":"system")"));
  const std::string frames = frames_of_a_board();
  ASSERT_FALSE(frames.empty());
  EXPECT_EQ(opened(frames), opened(newest));
  EXPECT_TRUE(opened(frames).contains("/user/meter")) << opened(frames);
  EXPECT_EQ(opened("noise" + frames), opened(newest));
}

TEST(stored, says_that_no_snapshot_of_a_board_is_whole) {
  const std::string frames = frames_of_a_board();
  EXPECT_EQ(opened(frames.substr(0, frames.find('\0') + 1)),
            "standard input: no whole snapshot of a board: 0 damaged, 0 unknown, 0 missing frames");
  EXPECT_EQ(opened(std::string("a\0b\0", 4)),
            "standard input: no whole snapshot of a board: 2 damaged, 0 unknown, 0 missing frames");
}

}  // namespace
}  // namespace command
