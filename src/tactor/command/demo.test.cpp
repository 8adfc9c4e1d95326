// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/demo.hpp"

#include "tactor/command/fake_console.test.hpp"
#include "tactor/command/run_with.test.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>

namespace command {
namespace {

using namespace std::chrono_literals;

/// The words of the line that begins so.
std::string after(const std::string& text, const std::string& beginning) {
  const std::size_t at = text.find(beginning);
  if (at == text.npos) return {};
  const std::size_t begin = at + beginning.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(demo, shows_a_program_that_fails_and_drops_until_it_is_ended) {
  const test_folder folder;
  std::istringstream in;
  std::ostringstream out, errors;
  std::chrono::seconds asked{};
  const auto look = [&](std::chrono::seconds length) {
    asked = length;
    const std::string token = after(out.str(), "token:   ");
    const auto command = [&](std::vector<const char*> arguments) {
      return run_with(folder.path(), std::move(arguments), token);
    };
    EXPECT_TRUE(command({"tree"}).out.contains("/user/door")) << command({"tree"}).errors;
    EXPECT_TRUE(command({"run"}).out.contains("a hundred orders at once"));
    while (!command({"ps"}).out.contains("/user/door/oven")) {
    }
    while (!command({"failures"}).out.contains("burnt") ||
           !command({"deadletters"}).out.contains("dropped_oldest"))
      EXPECT_EQ(command({"run", "rush"}).out, "done: rush\n");
    EXPECT_EQ(command({"run", "nothing"}).status, 1);
    const std::string page = after(out.str(), "page:    http://");
    EXPECT_EQ(command({"--to", page.substr(0, page.find('/')).c_str(), "ps"}).status, 0) << page;
  };
  EXPECT_EQ(demo({.in = in,
                  .out = out,
                  .errors = errors,
                  .folder = folder.path(),
                  .token = "",
                  .wait = {},
                  .rest = look},
                 7s),
            0);
  EXPECT_EQ(asked, 7s);
  EXPECT_TRUE(out.str().contains("ends after 7 s")) << out.str();
  EXPECT_EQ(errors.str(), "");
  EXPECT_TRUE(run_with(folder.path(), {"ps"}).errors.contains("no program has a console"));
}

TEST(demo, says_why_it_has_no_console) {
  std::istringstream in;
  std::ostringstream out, errors;
  EXPECT_EQ(demo({.in = in,
                  .out = out,
                  .errors = errors,
                  .folder = "/dev/null",
                  .token = "",
                  .wait = {},
                  .rest = {}},
                 0s),
            2);
  EXPECT_TRUE(errors.str().starts_with("tactor: the demo has no console: ")) << errors.str();
}

}  // namespace
}  // namespace command
