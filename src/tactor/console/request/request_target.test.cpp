// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/request/request_target.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tactor::internal {
namespace {

TEST(request_target, has_a_path_and_decoded_parameters) {
  const auto target = request_target::parse("/api/v1/actor?path=%2Fuser%2fa+b%25&&limit=&flag");

  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/api/v1/actor");
  ASSERT_EQ(target->parameters.size(), 3U);
  EXPECT_EQ(target->parameters[0], (std::pair<std::string, std::string>{"path", "/user/a b%"}));
  EXPECT_EQ(target->parameters[1].second, "");
  EXPECT_EQ(target->parameters[2].first, "flag");
}

TEST(request_target, that_is_not_well_formed_is_nothing) {
  for (const char* wrong : {"", "*", "api", "/?a=%", "/?a=%4", "/?a=%zz", "/?%=1", "/?a=%+1",
                            "/?1&2&3&4&5&6&7&8&9&10&11&12&13&14&15&16&17"})
    EXPECT_FALSE(request_target::parse(wrong)) << wrong;
}

TEST(request_target, names_a_window_of_a_snapshot) {
  const auto target = request_target::parse(
      "/api/v1/actors?path=desk&state=suspended&order=waiting&offset=20&limit=1000");
  const auto wanted = query_of(snapshot_part::actors, *target);

  ASSERT_TRUE(wanted);
  EXPECT_EQ(wanted->part, snapshot_part::actors);
  EXPECT_EQ(wanted->path, "desk");
  EXPECT_EQ(wanted->state, "suspended");
  EXPECT_EQ(wanted->order, actor_order::waiting);
  EXPECT_EQ(wanted->offset, 20U);
  EXPECT_EQ(wanted->limit, 1000U);
}

TEST(request_target, names_every_order_and_how_deep_a_tree_is) {
  const auto query = [](const char* text) {
    const auto target = request_target::parse(text);
    return query_of(snapshot_part::tree, *target);
  };
  const std::pair<const char*, actor_order> orders[] = {
      {"/?order=path", actor_order::path},           {"/?order=waiting", actor_order::waiting},
      {"/?order=suspended", actor_order::suspended}, {"/?order=restarts", actor_order::restarts},
      {"/?order=handled", actor_order::handled},     {"/?order=busy", actor_order::busy},
      {"/?order=oldest", actor_order::oldest}};
  for (const auto& [text, order] : orders) {
    ASSERT_TRUE(query(text)) << text;
    EXPECT_EQ(query(text)->order, order) << text;
  }
  EXPECT_EQ(query("/?depth=2")->depth, 2U);
  EXPECT_EQ(query("/")->depth, 0U);
}

TEST(request_target, with_an_unknown_parameter_or_a_bad_number_says_which) {
  for (const char* wrong :
       {"size=1", "limit=", "limit=-1", "limit=1001", "limit=1x", "limit= 1", "offset=10001",
        "depth=-1", "offset=99999999999999999999", "order=size"}) {
    const auto target = request_target::parse(std::string{"/?"} + wrong);
    const auto wanted = query_of(snapshot_part::actors, *target);
    ASSERT_FALSE(wanted) << wrong;
    const std::string name{target->parameters[0].first};
    EXPECT_NE(wanted.error().find("'" + name + "'"), std::string::npos) << wanted.error();
  }
}

}  // namespace
}  // namespace tactor::internal
