// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/options.hpp"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace command {
namespace {

std::string contents_of(const char* name) {
  std::ifstream file{std::string{TACTOR_COMMAND_FOLDER "/"} + name};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// Calls `call` with the name of each command and each option: "ps", "--limit".
template <class Call>
void for_each_name(const CLI::App& app, Call call) {
  for (const CLI::Option* each : app.get_options())
    for (const std::string& name : each->get_lnames())
      if (name != "help") call("--" + name);
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    call(each->get_name());
    for_each_name(*each, call);
  }
}

TEST(options, are_all_in_the_manual_page_and_in_the_completion) {
  options unused;
  const auto app = make_options(unused);
  const std::string page = contents_of("tactor.1"), completion = contents_of("tactor.bash");
  int names = 0;
  for_each_name(*app, [&](const std::string& name) {
    ++names;
    std::string in_page = name;  // "-" is written "\-"
    for (std::size_t at = in_page.find('-'); at != in_page.npos; at = in_page.find('-', at + 2))
      in_page.insert(at, "\\");
    EXPECT_TRUE(page.contains(".B " + in_page) || page.contains("\\fB" + in_page + "\\fR")) << name;
    EXPECT_TRUE(completion.contains(" " + name + " ")) << name;
  });
  EXPECT_GT(names, 30);
}

/// Returns: the words that bash offers for the last one.
std::string completed(const std::string& words) {
  const std::string script =
      "source '" TACTOR_COMMAND_FOLDER "/tactor.bash'; COMP_WORDS=(tactor " + words +
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tactor; echo \"${COMPREPLY[*]}\"";
  ::setenv("TACTOR_TEST_SCRIPT", script.c_str(), 1);
  std::FILE* const bash = ::popen("bash -c \"$TACTOR_TEST_SCRIPT\"", "r");
  std::string said;
  for (int letter = std::fgetc(bash); letter != EOF && letter != '\n'; letter = std::fgetc(bash))
    said += static_cast<char>(letter);
  EXPECT_EQ(::pclose(bash), 0);
  return said;
}

TEST(options, are_completed_by_bash) {
  EXPECT_EQ(completed("d"), "deadletters diagnose dump demo");
  EXPECT_EQ(completed("--to x.sock tr"), "tree trace");
  EXPECT_EQ(completed("--token secret ps --l"), "--limit");
  EXPECT_EQ(completed("ps --order r"), "restarts");
  EXPECT_EQ(completed("top --o"), "--order --once");
}

TEST(options, of_all_commands_may_follow_the_command) {
  options read;
  const auto app = make_options(read);
  app->parse("ps --to x --json --token y desk");
  EXPECT_EQ(read.to, "x");
  EXPECT_EQ(read.token, "y");
  EXPECT_EQ(read.path, "desk");
  EXPECT_TRUE(read.json);
}

}  // namespace
}  // namespace command
