// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/fake_console.test.hpp"
#include "tactor/command/real_system.test.hpp"
#include "tactor/command/run_with.test.hpp"
#include "tactor/console/console.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace command {
namespace {

/// A real system with a real console on a Unix socket of its own folder.
class looked_at {
public:
  explicit looked_at(tactor::console_options options = {}) {
    if (options.address.empty()) options.address = folder_.path() + "/17.sock";
    auto started = tactor::start_console(real.system(), options);
    EXPECT_TRUE(started) << started.error().text;
    console_.emplace(std::move(*started));
  }
  [[nodiscard]] outcome run(const std::vector<const char*>& arguments,
                            const std::string& token = {}) const {
    return run_with(folder_.path(), arguments, token);
  }
  [[nodiscard]] const tactor::console& console() const { return *console_; }
  [[nodiscard]] const std::string& folder() const { return folder_.path(); }

  real_system real;

private:
  test_folder folder_;
  std::optional<tactor::console> console_;
};

TEST(real_console, shows_every_part) {
  const looked_at program;
  const outcome ps = program.run({"ps", "desk"});
  EXPECT_EQ(ps.status, 0) << ps.errors;
  EXPECT_TRUE(ps.out.contains("/user/desk")) << ps.out;
  EXPECT_FALSE(ps.out.contains("child")) << ps.out;
  for (const char* const order :
       {"path", "waiting", "suspended", "restarts", "handled", "busy", "oldest"})
    EXPECT_EQ(program.run({"ps", "--order", order}).status, 0) << order;
  const outcome tree = program.run({"tree", "parent"});
  EXPECT_EQ(tree.out, "/user/parent\n├─ child-a\n└─ child-b\n") << tree.errors;
  const outcome none = program.run({"tree", "none"});
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.errors, "tactor: there is no actor /user/none\n");
  const std::string all = program.run({"ps", "--json"}).out;
  const std::size_t id = all.rfind("\"id\":\"", all.find("\"/user/parent\"")) + 6;
  const std::string number = all.substr(id, all.find('"', id) - id);
  const outcome by_id = program.run({"show", number.c_str()});
  EXPECT_TRUE(by_id.out.starts_with("path      /user/parent\n")) << number << by_id.errors;
  EXPECT_EQ(program.run({"tree", "/user", "--limit", "0"}).status, 0);
  const outcome top = program.run({"tree", "--depth", "1"});
  EXPECT_TRUE(top.out.contains("/user/parent\n")) << top.out;
  EXPECT_FALSE(top.out.contains("child")) << top.out;
  EXPECT_TRUE(program.run({"show", "parent"}).out.contains("\nchildren  2\n"));
  EXPECT_EQ(program.run({"show", "none"}).status, 1);
  EXPECT_TRUE(program.run({"deadletters"}).out.contains("/user/frail"));
  EXPECT_TRUE(program.run({"failures"}).out.contains("no paper"));
  EXPECT_TRUE(program.run({"timers"}).out.starts_with("active 1 of "));
  EXPECT_TRUE(program.run({"workers"}).out.starts_with("workers 1,"));
  EXPECT_TRUE(program.run({"shutdown"}).out.starts_with("phase running"));
  EXPECT_TRUE(program.run({"level"}).out.starts_with("metrics system, log "));
  EXPECT_TRUE(program.run({"top", "--once"}).out.starts_with("shop  running  actors 4 "));
  EXPECT_TRUE(program.run({"dump"}).out.starts_with("system: name=\"shop\""));
  const outcome healthy = program.run({"diagnose"});
  EXPECT_EQ(healthy.status, 0) << healthy.out << healthy.errors;
  const std::string file = program.folder() + "/dump.jsonl";
  EXPECT_EQ(program.run({"dump", "--json", "-o", file.c_str()}).status, 0);
  EXPECT_TRUE(
      run_with("/none", {"open", file.c_str()}).out.contains("\n== dead_letters\n1 dead letters"));
}

TEST(real_console, suspends_and_resumes_and_stops_an_actor) {
  const looked_at program{{.capabilities = {.control = true, .lifecycle = true}}};
  const std::string token = program.console().token();
  const outcome without = program.run({"suspend", "parent"});
  EXPECT_EQ(without.status, 1);
  EXPECT_TRUE(without.errors.contains("TACTOR_TOKEN")) << without.errors;
  const outcome suspended = program.run({"suspend", "parent"}, token);
  EXPECT_EQ(suspended.status, 0) << suspended.errors;
  EXPECT_TRUE(suspended.out.starts_with("done: suspend /user/parent (")) << suspended.out;
  while (!program.run({"ps", "parent", "--state", "suspended"}).out.contains("/user/parent"))
    std::this_thread::yield();
  EXPECT_EQ(program.run({"resume", "parent"}, token).status, 0);
  while (program.run({"ps", "parent", "--state", "suspended"}).out.contains("/user/parent"))
    std::this_thread::yield();
  EXPECT_EQ(program.run({"stop", "parent/child-a"}, token).status, 0);
  while (program.run({"tree", "parent"}).out != "/user/parent\n└─ child-b\n")
    std::this_thread::yield();
  EXPECT_EQ(program.run({"stop", "none"}, token).status, 1);
  const outcome level = program.run({"level", "--metrics", "actor"}, token);
  EXPECT_TRUE(level.out.starts_with("metrics actor, log ")) << level.errors;
}

TEST(real_console, refuses_what_the_program_did_not_grant) {
  const looked_at program;
  const std::string token = program.console().token();
  const std::string file = program.folder() + "/trace.json";
  for (const std::vector<const char*>& action :
       std::vector<std::vector<const char*>>{{"suspend", "desk"},
                                             {"stop", "desk"},
                                             {"level", "--log", "info"},
                                             {"trace", "-o", file.c_str()}}) {
    const outcome refused = program.run(action, token);
    EXPECT_EQ(refused.status, 1) << action[0];
    EXPECT_TRUE(refused.errors.contains("grant")) << refused.errors;
  }
}

TEST(real_console, records_as_much_as_the_command_allows) {
  const looked_at program{{.capabilities = {.trace = true}}};
  const std::string token = program.console().token();
  const std::string file = program.folder() + "/trace.json";
  const outcome most = program.run(
      {"trace", "-o", file.c_str(), "--seconds", "60", "--most", "100000", "--every", "1000000"},
      token);
  EXPECT_EQ(most.status, 0) << most.errors;
  const outcome more = program.run({"trace", "-o", file.c_str(), "--most", "100001"}, token);
  EXPECT_EQ(more.status, 2) << more.errors;
  EXPECT_TRUE(more.errors.contains("--most")) << more.errors;
}

TEST(real_console, is_reached_by_a_port) {
  const looked_at program{{.address = "127.0.0.1:0"}};
  const std::string to = program.console().address();
  const outcome done = program.run({"ps", "--to", to.c_str()});
  EXPECT_EQ(done.status, 0) << done.errors;
  EXPECT_TRUE(done.out.contains("/user/desk")) << done.out;
}

}  // namespace
}  // namespace command
