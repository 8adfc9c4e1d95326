// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/fake_console.test.hpp"
#include "tactor/command/real_system.test.hpp"
#include "tactor/command/run_with.test.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <functional>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace command {
namespace {

/// A console of a real system; actions and other pages are answered by a function.
class console_of_real_system {
public:
  explicit console_of_real_system(fake_console::reaction others = {})
      : others_(std::move(others)) {}

  outcome run(std::vector<const char*> arguments, const std::string& token = {}) const {
    return run_with(folder_.path(), std::move(arguments), token);
  }
  [[nodiscard]] std::string last() {
    const std::scoped_lock lock{mutex_};
    return last_;
  }
  [[nodiscard]] const std::string& folder() const { return folder_.path(); }

private:
  std::string react(const std::string& request) {
    {
      const std::scoped_lock lock{mutex_};
      last_ = request;
    }
    const std::string before = "GET /api/v1/";
    const std::string line = request.substr(0, request.find(" HTTP"));
    std::string name = line.substr(std::min(before.size(), line.size()));
    std::string path;
    if (const std::size_t at = name.find("path="); at != name.npos)
      path = name.substr(at + 5, name.find('&', at) - at - 5);
    name = name.substr(0, name.find('?'));
    const std::string part = line.starts_with(before) ? system_.part(name, path) : "";
    if (!part.empty()) return fake_console::with_status("200 OK", part);
    return others_ ? others_(request) : fake_console::with_status("404 Not Found", "");
  }

  fake_console::reaction others_;
  real_system system_;
  std::mutex mutex_;
  std::string last_;  // protected by mutex_
  test_folder folder_;
  fake_console console_{folder_.path() + "/17.sock",
                        [this](const std::string& request) { return react(request); }};
};

TEST(run, shows_the_only_console_of_the_folder) {
  const console_of_real_system console;
  const outcome ps = console.run({"ps"});
  EXPECT_EQ(ps.status, 0) << ps.errors;
  EXPECT_TRUE(ps.out.contains("/user/parent/child-a")) << ps.out;
  const outcome tree = console.run({"tree"});
  EXPECT_TRUE(tree.out.contains("└─ child-b")) << tree.out;
  const outcome show = console.run({"show", "parent"});
  EXPECT_TRUE(show.out.starts_with("path      /user/parent\n")) << show.out;
  const outcome none = console.run({"show", "none"});
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.errors, "tactor: there is no actor /user/none\n");
  for (const char* const name : {"workers", "timers", "deadletters", "failures", "shutdown"}) {
    const outcome done = console.run({name});
    EXPECT_EQ(done.status, 0) << name << done.errors;
    EXPECT_FALSE(done.out.empty()) << name;
  }
  const outcome once = console.run({"top", "--once"});
  EXPECT_EQ(once.status, 0) << once.errors;
  EXPECT_TRUE(once.out.starts_with("shop  running  actors 4 ")) << once.out;
  EXPECT_EQ(console.run({"top"}).status, 2);  // no terminal
  const outcome parts = console.run({"--json", "top", "--once"});
  EXPECT_EQ(parts.status, 0) << parts.errors;
  std::istringstream rows{parts.out};
  int objects = 0;
  for (std::string row; std::getline(rows, row); ++objects)
    EXPECT_TRUE(nlohmann::json::accept(row)) << row;
  EXPECT_EQ(objects, 4) << parts.out;
  EXPECT_EQ(console.run({"--json", "top"}).errors,
            "tactor: top shows pictures: --json needs --once\n");
  const outcome unknown = console.run({"nonsense", "--json"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.errors, "tactor: there is no command 'nonsense'; --help lists them\n");
}

TEST(run, asks_for_what_the_arguments_say) {
  console_of_real_system console;
  (void)console.run({"ps", "a b", "--state", "suspended", "--order", "waiting", "--offset", "20",
                     "--limit", "5"});
  EXPECT_TRUE(console.last().starts_with(
      "GET /api/v1/actors?path=a%20b&state=suspended&order=waiting&offset=20&limit=5 HTTP/1.1\r\n"))
      << console.last();
}

TEST(run, prints_json_with_everything_but_ascii_escaped) {
  const test_folder folder;
  const fake_console console{
      folder.path() + "/s", [](const std::string&) {
        return fake_console::with_status(
            "200 OK", "{\"version\":1,\"part\":\"actors\",\"x\":\"\xC2\x9B\xC3\xA4\"}");
      }};
  const outcome done = run_with(folder.path(), {"--json", "ps"});
  EXPECT_EQ(done.out, R"({"part":"actors","version":1,"x":"\u009b\u00e4"})"
                      "\n");
  EXPECT_EQ(run_with(folder.path(), {"ps", "--json"}).out, done.out);
}

TEST(run, diagnoses_with_its_exit_status) {
  const console_of_real_system console;
  const outcome healthy = console.run({"diagnose"});
  EXPECT_EQ(healthy.status, 0) << healthy.errors;
  EXPECT_EQ(healthy.out, "healthy: shop, running, 4 actors\n");

  const test_folder folder;
  const fake_console ill{
      folder.path() + "/s", [](const std::string&) {
        return fake_console::with_status(
            "200 OK", R"({"version":1,"part":"warnings","warnings":[{"what":"stuck_handler",
                                          "evidence":"/user/\u001bx waits","advice":"use a blocking thread"}]})");
      }};
  const outcome warned = run_with(folder.path(), {"diagnose"});
  EXPECT_EQ(warned.status, 1);
  EXPECT_EQ(warned.out, "stuck_handler: /user/\\x1bx waits\n  advice: use a blocking thread\n");
  EXPECT_EQ(run_with(folder.path() + "/none", {"diagnose"}).status, 2);
}

TEST(run, acts_with_the_token_and_says_what_was_refused) {
  console_of_real_system console{[](const std::string& request) {
    if (!request.contains("Authorization: Bearer secret\r\n"))
      return fake_console::with_status("401 Unauthorized",
                                       R"({"error":"no token","advice":"send it"})");
    if (request.starts_with("POST /api/v1/stop "))
      return fake_console::with_status("403 Forbidden", R"({"error":"lifecycle is not granted"})");
    return fake_console::with_status(
        "200 OK", R"({"version":1,"done":"suspend","path":"/user/desk","id":"1.1"})");
  }};
  const outcome done = console.run({"suspend", "desk"}, "secret");
  EXPECT_EQ(done.status, 0) << done.errors;
  EXPECT_EQ(done.out, "done: suspend /user/desk (1.1)\n");
  EXPECT_TRUE(console.last().ends_with("\r\n\r\n{\"path\":\"/user/desk\"}")) << console.last();
  (void)console.run({"resume", "1.1", "--token", "secret"});
  EXPECT_TRUE(console.last().starts_with("POST /api/v1/resume ")) << console.last();
  EXPECT_TRUE(console.last().ends_with("{\"id\":\"1.1\"}")) << console.last();

  const outcome stopped = console.run({"stop", "desk"}, "secret");
  EXPECT_EQ(stopped.status, 1);
  EXPECT_TRUE(stopped.errors.starts_with("tactor: lifecycle is not granted (")) << stopped.errors;
  const outcome unknown = console.run({"restart", "desk"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_TRUE(unknown.errors.contains("--token or TACTOR_TOKEN")) << unknown.errors;
  const outcome broken = console.run({"restart", "desk"}, "a\r\nHost: x");
  EXPECT_EQ(broken.status, 2) << broken.errors;
}

TEST(run, records_a_trace_or_says_that_the_program_cannot) {
  const console_of_real_system without{[](const std::string&) {
    return fake_console::with_status("501 Not Implemented",
                                     R"({"error":"tracing is not there yet"})");
  }};
  const std::string file = without.folder() + "/trace.json";
  const outcome refused = without.run({"trace", "-o", file.c_str()});
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(refused.errors.starts_with("tactor: tracing is not there yet")) << refused.errors;
  EXPECT_FALSE(std::ifstream{file}.is_open());

  console_of_real_system with{[](const std::string& request) {
    return fake_console::with_status("200 OK",
                                     request.starts_with("POST") ? R"({"version":1})" : "[]");
  }};
  const outcome done = with.run({"trace", "-o", file.c_str(), "--seconds", "3", "--path", "desk"});
  EXPECT_EQ(done.status, 0) << done.errors;
  EXPECT_EQ(done.waited, std::chrono::seconds{3});
  EXPECT_TRUE(with.last().starts_with("GET /api/v1/trace?format=chrome ")) << with.last();
  std::string written;
  std::getline(std::ifstream{file}, written);
  EXPECT_EQ(written, "[]");
  const outcome nowhere = with.run({"trace", "-o", "/none/trace.json"});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_EQ(nowhere.errors, "tactor: /none/trace.json: No such file or directory\n")
      << "before it records";
  const outcome folder = with.run({"trace", "-o", with.folder().c_str()});
  EXPECT_EQ(folder.status, 2);
  EXPECT_EQ(folder.errors, "tactor: " + with.folder() + ": it is a folder\n")
      << "before it records";
}

TEST(run, says_which_consoles_there_are) {
  const test_folder folder;
  const outcome none = run_with(folder.path(), {"ps"});
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(none.errors.starts_with("tactor: no program has a console in ")) << none.errors;
  const auto said = [](const char* name) {
    return [name](const std::string&) {
      return fake_console::with_status("200 OK",
                                       R"({"version":1,"part":"console","pid":7,"system":")" +
                                           std::string{name} + "\"}");
    };
  };
  const fake_console a{folder.path() + "/a.sock", said("shop")},
      b{folder.path() + "/b.sock", said("plant")};
  const outcome two = run_with(folder.path(), {"ps"});
  EXPECT_EQ(two.status, 2);
  EXPECT_TRUE(two.errors.contains("/a.sock   shop, process 7\n")) << two.errors;
  EXPECT_TRUE(two.errors.contains("/b.sock   plant, process 7\n")) << two.errors;
  const std::string to = a.where().path;
  EXPECT_EQ(run_with(folder.path(), {"ps", "--to", to.c_str()}).status, 0);
}

TEST(run, passes_over_a_socket_that_a_crashed_program_left) {
  const console_of_real_system console;
  {
    const fake_console gone{console.folder() + "/1.sock",
                            [](const std::string&) { return std::string{}; }};
  }
  EXPECT_EQ(console.run({"ps"}).status, 0);
}

TEST(run, says_what_is_not_a_console) {
  const auto error_for = [](const std::string& bytes) {
    const test_folder folder;
    const fake_console other{folder.path() + "/s", [&](const std::string&) { return bytes; }};
    const outcome done = run_with(folder.path(), {"ps"});
    EXPECT_EQ(done.status, 2) << done.errors;
    return done.errors;
  };
  EXPECT_TRUE(
      error_for(fake_console::with_status("200 OK", "<html>")).contains("is not a tactor console"));
  EXPECT_TRUE(error_for(fake_console::with_status("404 Not Found", "<html>"))
                  .contains("is not a tactor console"));
  EXPECT_TRUE(error_for("+OK redis\r\n").contains("is not a tactor console"));
  EXPECT_TRUE(error_for(fake_console::with_status("200 OK", R"({"version":2})"))
                  .contains("speaks version 2"));
  const outcome wrong = run_with("/none", {"ps", "--to", "example.com:80"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(wrong.errors.contains("ssh -L")) << wrong.errors;
}

TEST(run, refuses_wrong_arguments_with_status_2) {
  for (const std::vector<const char*>& wrong :
       std::vector<std::vector<const char*>>{{},
                                             {"sing"},
                                             {"ps", "--order", "size"},
                                             {"ps", "--limit", "1001"},
                                             {"show"},
                                             {"trace"},
                                             {"ps", "--limit", "x"},
                                             {"open"}}) {
    const outcome done = run_with("/none", wrong);
    EXPECT_EQ(done.status, 2);
    EXPECT_FALSE(done.errors.empty());
  }
  EXPECT_EQ(run_with("/none", {"--help"}).status, 0);
  EXPECT_TRUE(run_with("/none", {"--version"}).out.starts_with("tactor 0."));
}

TEST(run, dumps_and_opens_what_it_dumped) {
  const console_of_real_system console{[](const std::string&) {
    return fake_console::with_status("200 OK", "system: name=\"\x1b[2J\" phase=running\n");
  }};
  EXPECT_EQ(console.run({"dump"}).out, "system: name=\"\\x1b[2J\" phase=running\n");
  const std::string file = console.folder() + "/dump.jsonl";
  const outcome done = console.run({"dump", "--json", "-o", file.c_str()});
  EXPECT_EQ(done.status, 0) << done.errors;
  const outcome opened = run_with("/none", {"open", file.c_str()});
  EXPECT_EQ(opened.status, 0) << opened.errors;
  EXPECT_TRUE(opened.out.starts_with("== system\nsystem    shop, running\n")) << opened.out;
  EXPECT_TRUE(opened.out.contains("\n== tree\n")) << opened.out;
  EXPECT_EQ(console.run({"dump", "-o", "/none/x"}).status, 2);
}

}  // namespace
}  // namespace command
