// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/views.hpp"

#include "tactor/command/real_system.test.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace command {
namespace {

using nlohmann::json;

std::string joined(const lines& of) {
  std::string all;
  for (const std::string& each : of)
    all += each + "\n";
  return all;
}

TEST(views, show_what_a_real_system_says_of_itself) {
  const real_system real;
  const auto view = [&](const char* part, const char* path = "") {
    return joined(view_of(json::parse(real.part(part, path))));
  };
  EXPECT_TRUE(view("system").starts_with("system    shop, running\nactors    4\n"))
      << view("system");
  const std::string actors = view("actors");
  EXPECT_TRUE(actors.starts_with("ID ")) << actors;
  EXPECT_TRUE(actors.contains("suspended (user_defined) for ")) << actors;
  EXPECT_TRUE(actors.contains("  /user/desk  ")) << actors;
  const std::string waits =
      joined(view_of(json::parse(R"({"part":"actor","actor":{"oldest_ns":12000000000}})")));
  EXPECT_TRUE(waits.contains("\noldest    message waits for >=12")) << waits;
  const std::string tree = view("tree");
  EXPECT_TRUE(tree.contains("/user/parent\n├─ child-a\n└─ child-b\n")) << tree;
  EXPECT_TRUE(tree.contains("/user/desk  suspended (user_defined) for ")) << tree;
  const std::string one = view("actor", "/user/parent");
  EXPECT_TRUE(one.starts_with("path      /user/parent\nid        ")) << one;
  EXPECT_TRUE(one.contains("\nwatchers  none\nwatches   none\n")) << one;
  EXPECT_TRUE(one.contains("\nchildren  2\n\nID ")) << one;
  const std::string suspended = view("actor", "/user/desk");
  EXPECT_TRUE(suspended.contains("\nwatchers  none\nwatches   none\nchildren  0\n\nTIMER "))
      << suspended;
  EXPECT_TRUE(suspended.contains("command::job  ")) << suspended;
  EXPECT_EQ(view("actor", "/user/none"), "there is no such actor\n");
  EXPECT_TRUE(view("workers").starts_with("workers 1, draining 0, ready actors 0\n\nWORKER "))
      << view("workers");
  EXPECT_TRUE(view("timers").starts_with("active 1 of ")) << view("timers");
  EXPECT_TRUE(view("timers").contains("\nONE-SHOT ")) << view("timers");
  const std::string dead = view("dead_letters");
  EXPECT_TRUE(dead.starts_with("1 dead letters, 0 of them suppressed\n  stopped 1\n\n")) << dead;
  EXPECT_TRUE(dead.contains("  /user/frail  -\n")) << dead;
  const std::string failures = view("failures");
  EXPECT_TRUE(failures.starts_with("1 failures, 0 restarts\n\n")) << failures;
  EXPECT_TRUE(failures.contains("  no paper\n")) << failures;
  EXPECT_EQ(view("warnings"), "no warnings\n");
  EXPECT_TRUE(view("shutdown").starts_with("phase running, 4 actors, ")) << view("shutdown");
}

TEST(views, of_any_json_are_lines_without_control_characters) {
  for (const char* const part :
       {"system", "actors", "actor", "tree", "workers", "timers", "dead_letters", "failures",
        "warnings", "shutdown", "x\u001b", ""}) {
    for (
        const char* const rest :
        {R"({})",
         R"({"actor":{},"timers":[{"message":"\u001b"},7,{"due_in_ns":-1}],"watchers":["\u001b",7],"watched":{}})",
         R"({"actors":7,"nodes":{},"recent":null,"warnings":"x","workers":[1,"\u001b"]})",
         R"({"actors":[null,{"path":"\u001b[2J","state":7,"reasons":["\u0007"]}],
              "actor":{"path":"\u001b","type":"\u009b"},"children":[{"id":"\n"}],"figures":{"label":"\r"},
              "nodes":[{"id":"a","parent":"b","path":"\n"},{"id":"b","parent":"a"},{"id":"c","parent":"c"}],
              "workers":[{"name":"\u001b"}],"handling":[{"actor":"\u001b","message":"\u0008"}],
              "holding":[{"path":"\u202e"}],"name":"\u001b","phase":"\u001b","metrics_level":"\u001b",
              "by_reason":{"\u001b":1},"recent":[{"message":"\u001b","target":"\u001b","text":"\u001b"}],
              "warnings":[{"what":"\u001b","evidence":"\n","advice":"\u001b"}],
              "cause_of_the_end":{"path":"\u001b"},
              "timers":{"periodic":[{"id":"\u001b"}],"one_shots":[{"mode":"\u001b"}]}})"}) {
      json made = json::parse(rest);
      made["part"] = part;
      for (const std::string& line : view_of(made))
        EXPECT_TRUE(
            std::ranges::none_of(line, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }))
            << part << ": " << line;
    }
  }
}

TEST(views, show_each_actor_of_a_tree_once_however_it_is_linked) {
  const auto tree = [](const char* nodes) {
    return joined(view_of(json{{"part", "tree"}, {"nodes", json::parse(nodes)}}));
  };
  EXPECT_EQ(tree(R"([{"id":"1","path":"/user/a","state":"running"},
                     {"id":"2","parent":"1","path":"/user/a/b","state":"running","waiting":3,"restarts":2},
                     {"id":"3","parent":"2","path":"/user/a/b/c","state":"running"},
                     {"id":"4","parent":"1","path":"/user/a/d","state":"stopping"}])"),
            "/user/a\n├─ b  waiting 3  restarts 2\n│  └─ c\n└─ d  stopping\n");
  // A part of the tree: its parent is not in the list.
  EXPECT_EQ(tree(R"([{"id":"2","parent":"1","path":"/user/a/b","state":"running"}])"),
            "/user/a/b\n");
  std::string deep = "[";
  for (int i = 0; i < 3'000; ++i)
    deep += (i == 0 ? "" : ",") + std::string{R"({"id":")"} + std::to_string(i + 1) +
            R"(","parent":")" + std::to_string(i) + R"(","path":"/x","state":"running"})";
  EXPECT_EQ(view_of(json{{"part", "tree"}, {"nodes", json::parse(deep + "]")}}).size(), 3'000U);
}

TEST(views, say_how_much_of_a_list_is_shown) {
  const json part{{"part", "actors"}, {"matching", 500}, {"actors", json::array({json::object()})}};
  EXPECT_EQ(view_of(part).back(), "1 of 500 actors; --limit and --offset show more");
  const json letters{{"part", "dead_letters"}, {"total", 9}, {"not_recorded", 4}};
  EXPECT_TRUE(view_of(letters).back().starts_with("4 further dead letters"));
}

}  // namespace
}  // namespace command
