// SPDX-License-Identifier: BSL-1.0
// Traces on request.
#include "tactor/console/console_client.test.hpp"
#include "tactor/console/console_world.test.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <string>

namespace tactor::internal {
namespace {

struct order {};

// spec: O3 O5
TEST(console_trace, records_messages_on_request) {
  std::latch handled{1};
  console_world world{{.capabilities = {.trace = true}, .token = "secret"}};
  const auto desk =
      world.system.spawn("desk", [&handled](context&, const order&) { handled.count_down(); });
  console_client client = world.connect();

  EXPECT_EQ(client.get("/api/v1/trace").status, 404) << "nothing was recorded";
  EXPECT_EQ(client.post("/api/v1/trace", R"({"seconds":60,"path":"/user/desk"})", "").status, 401);
  EXPECT_EQ(client.post("/api/v1/trace", R"({"seconds":60,"path":"/user/desk"})", "secret").status,
            200);
  EXPECT_EQ(client.post("/api/v1/trace", "{}", "secret").status, 409) << "one at a time";
  desk.tell(order{});
  handled.wait();
  std::string chrome;
  do {  // its end is recorded after the handler
    chrome = client.get("/api/v1/trace").body;
  } while (!contains(chrome, "order"));
  EXPECT_TRUE(is_json(chrome)) << chrome;
  EXPECT_TRUE(contains(chrome, "/user/desk")) << chrome;
  const auto otlp = client.get("/api/v1/trace?format=otlp");
  EXPECT_TRUE(contains(otlp.body, "resourceSpans") && is_json(otlp.body)) << otlp.body;
  EXPECT_EQ(client.get("/api/v1/trace?format=text").status, 400);
}

TEST(console_trace, says_what_is_wrong_with_its_fields) {
  console_world world{{.capabilities = {.trace = true}, .token = "secret"}};
  console_client client = world.connect();
  for (const char* wrong : {R"({"seconds":0})", R"({"seconds":61})", R"({"most":100001})",
                            R"({"every":0})", R"({"every":"two"})", R"({"speed":1})"})
    EXPECT_EQ(client.post("/api/v1/trace", wrong, "secret").status, 400) << wrong;
}

TEST(console_trace, is_read_only_if_the_program_allows_it) {
  console_world world{{.token = "secret"}};
  console_client client = world.connect();
  EXPECT_EQ(client.get("/api/v1/trace").status, 403);
}

}  // namespace
}  // namespace tactor::internal
