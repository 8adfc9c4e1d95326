// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/console_actions.hpp"

#include "tactor/console/console.hpp"
#include "tactor/console/console_client.test.hpp"
#include "tactor/console/console_world.test.hpp"
#include "tactor/core/actor/behaviour.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <string>
#include <vector>

namespace tactor {
namespace {

using namespace internal;

struct work {};

const std::string the_desk = R"({"path":"/user/desk"})";

/// Counts its instances and its messages.
class counted_desk : public actor<work> {
public:
  counted_desk(std::atomic<int>& instances, std::atomic<int>& handled) : handled_(handled) {
    ++instances;
    instances.notify_all();
  }
  void receive(context& /*ctx*/, work) {
    ++handled_;
    handled_.notify_all();
  }

private:
  std::atomic<int>& handled_;
};

void wait_for(std::atomic<int>& counter, int value) {
  for (int now = counter.load(); now < value; now = counter.load())
    counter.wait(now);
}

console_options with_everything() {
  return {.capabilities = {.trace = true, .control = true, .lifecycle = true}, .token = "secret"};
}

/// Returns: the words of the console about the actor.
bool desk_is(console_client& client, const std::string& state) {
  return contains(client.get("/api/v1/actor?path=/user/desk").body, "\"state\":\"" + state + "\"");
}

// spec: O5
TEST(console_actions, nothing_can_be_changed_unless_the_program_allows_it) {
  console_world world{{.token = "secret"}};
  (void)world.system.spawn("desk", [](context&, const work&) {});
  console_client client = world.connect();

  for (const char* action : {"suspend", "resume", "stop", "restart", "settings", "trace"})
    EXPECT_EQ(client.post(std::string{"/api/v1/"} + action, the_desk, "secret").status, 403)
        << action;
  EXPECT_TRUE(desk_is(client, "running"));
}

TEST(console_actions, nothing_can_be_changed_without_the_token) {
  console_world world{with_everything()};
  (void)world.system.spawn("desk", [](context&, const work&) {});
  console_client client = world.connect();

  for (const char* action : {"suspend", "resume", "stop", "restart", "settings", "trace"}) {
    EXPECT_EQ(client.post(std::string{"/api/v1/"} + action, the_desk).status, 401) << action;
    EXPECT_EQ(client.post(std::string{"/api/v1/"} + action, the_desk, "guess").status, 401);
  }
  EXPECT_TRUE(desk_is(client, "running"));
}

TEST(console_actions, an_actor_is_suspended_and_resumed) {
  std::atomic<int> instances = 0;
  std::atomic<int> handled = 0;
  console_world world{with_everything()};
  const auto desk =
      world.system.spawn<counted_desk>("desk", std::ref(instances), std::ref(handled));
  console_client client = world.connect();

  const client_response done = client.post("/api/v1/suspend", the_desk, "secret");
  EXPECT_EQ(done.status, 200) << done.body;
  EXPECT_TRUE(done.body.starts_with(R"({"version":1,"done":"suspend","path":"/user/desk","id":")"))
      << done.body;
  while (!desk_is(client, "suspended")) {
  }
  desk.tell(work{});
  EXPECT_EQ(handled.load(), 0);

  const std::string id = done.body.substr(done.body.find("\"id\""));
  EXPECT_EQ(client.post("/api/v1/resume", "{" + id, "secret").status, 200);
  wait_for(handled, 1);
}

TEST(console_actions, an_actor_is_restarted_and_stopped) {
  std::atomic<int> instances = 0;
  std::atomic<int> handled = 0;
  console_world world{with_everything()};
  const auto desk =
      world.system.spawn<counted_desk>("desk", std::ref(instances), std::ref(handled));
  console_client client = world.connect();
  wait_for(instances, 1);

  EXPECT_EQ(client.post("/api/v1/restart", the_desk, "secret").status, 200);
  wait_for(instances, 2);
  desk.tell(work{});
  wait_for(handled, 1);

  EXPECT_EQ(client.post("/api/v1/stop", the_desk, "secret").status, 200);
  while (client.post("/api/v1/stop", the_desk, "secret").status != 404) {
  }
  EXPECT_TRUE(contains(client.get("/api/v1/console").body, "\"actions\":"));
}

TEST(console_actions, says_what_is_not_possible) {
  std::latch busy{1};
  std::latch may_end{1};
  console_world world{with_everything()};
  const auto desk = world.system.spawn("desk", [&](context&, const work&) {
    busy.count_down();
    may_end.wait();
  });
  desk.tell(work{});
  busy.wait();
  console_client client = world.connect();

  for (const char* wrong :
       {"", "[]", "{}", R"({"name":"desk"})", R"({"path":"/user/desk","all":true})"})
    EXPECT_EQ(client.post("/api/v1/suspend", wrong, "secret").status, 400) << wrong;
  for (const char* nobody : {R"({"path":"/user/nobody"})", R"({"id":"99999999.9"})",
                             R"({"id":"x"})", R"({"path":"/user/desk","id":"0.0"})"})
    EXPECT_EQ(client.post("/api/v1/stop", nobody, "secret").status, 404) << nobody;

  world.system.drain(desk);
  for (const char* action : {"suspend", "resume", "restart"})
    EXPECT_EQ(client.post(std::string{"/api/v1/"} + action, the_desk, "secret").status, 409)
        << action;
  EXPECT_EQ(client.post("/api/v1/stop", the_desk, "secret").status, 200);
  may_end.count_down();

  EXPECT_EQ(client.post("/api/v1/system", "{}", "secret").status, 405);
  EXPECT_EQ(client.post("/api/v1/nothing", "{}", "secret").status, 404);
  EXPECT_EQ(client.get("/api/v1/stop").status, 405);
}

TEST(console_actions, an_actor_that_waits_for_something_else_is_not_resumed) {
  console_world world{with_everything()};
  const auto desk = world.system.spawn("desk", [](context&, const work&) {});
  ASSERT_TRUE(world.system.suspend(desk, suspend_reason::await_external));
  console_client client = world.connect();
  while (!desk_is(client, "suspended")) {
  }

  EXPECT_EQ(client.post("/api/v1/resume", the_desk, "secret").status, 409);
  EXPECT_TRUE(desk_is(client, "suspended"));
}

TEST(console_actions, what_is_measured_and_logged_changes_at_run_time) {
  console_world world{with_everything()};
  console_client client = world.connect();

  const client_response done =
      client.post("/api/v1/settings", R"({"metrics_level":"actor","log_level":"debug"})", "secret");
  EXPECT_EQ(done.body, "{\"version\":1,\"done\":\"settings\",\"metrics_level\":\"actor\",\"log_"
                       "level\":\"debug\"}\n");
  EXPECT_EQ(world.system.measured_level(), metrics_level::actor);
  EXPECT_EQ(world.system.logged_level(), log_level::debug);

  // All or nothing.
  for (const char* wrong :
       {R"({"metrics_level":"off","log_level":"loud"})", R"({"metrics_level":"most"})",
        R"({"metrics_level":"off","level":"debug"})"})
    EXPECT_EQ(client.post("/api/v1/settings", wrong, "secret").status, 400) << wrong;
  EXPECT_EQ(world.system.measured_level(), metrics_level::actor);
}

/// A console with two actions, of which the second fails.
console_options with_actions(std::atomic<int>& reloads, bool control) {
  return {.capabilities = {.control = control},
          .token = "secret",
          .actions = {{"reload", "reads the \"prices\" again", [&reloads] { ++reloads; }},
                      {"break", "fails", [] { throw 7; }}}};
}
const std::string reload = R"({"name":"reload"})";

// spec: O5
TEST(console_actions, starts_an_action_of_the_program) {
  std::atomic<int> reloads = 0;
  console_world world{with_actions(reloads, true)};
  console_client client = world.connect();

  const client_response done = client.post("/api/v1/run", reload, "secret");
  EXPECT_EQ(done.status, 200);
  EXPECT_EQ(done.body, "{\"version\":1,\"done\":\"run\",\"name\":\"reload\"}\n");
  EXPECT_EQ(reloads.load(), 1);
  const std::string console = client.get("/api/v1/console").body;
  EXPECT_TRUE(contains(console, R"("program_actions":[{"name":"reload","description":"reads the )"))
      << console;
  EXPECT_TRUE(is_json(console));
}

TEST(console_actions, an_action_of_the_program_needs_token_capability_and_its_name) {
  std::atomic<int> reloads = 0;
  console_world world{with_actions(reloads, true)};
  console_world read_only{with_actions(reloads, false)};
  console_client client = world.connect();

  EXPECT_EQ(client.post("/api/v1/run", reload).status, 401);
  EXPECT_EQ(read_only.connect().post("/api/v1/run", reload, "secret").status, 403);
  for (const char* wrong : {"{}", R"({"path":"reload"})", R"({"name":"reload","times":2})"})
    EXPECT_EQ(client.post("/api/v1/run", wrong, "secret").status, 400) << wrong;
  EXPECT_EQ(client.post("/api/v1/run", R"({"name":"rel"})", "secret").status, 404);
  EXPECT_EQ(client.get("/api/v1/run").status, 405);
  EXPECT_EQ(reloads.load(), 0);
}

TEST(console_actions, an_action_that_throws_ends_no_connection) {
  std::atomic<int> reloads = 0;
  console_world world{with_actions(reloads, true)};
  console_client client = world.connect();

  EXPECT_EQ(client.post("/api/v1/run", R"({"name":"break"})", "secret").status, 500);
  EXPECT_EQ(client.post("/api/v1/run", reload, "secret").status, 200);
}

TEST(console_actions, actions_without_a_name_of_their_own_are_refused) {
  actor_system system{quiet()};
  const program_action good{"reload", "", [] {}};
  for (const std::vector<program_action>& wrong :
       {std::vector{good, good}, {program_action{"", "", [] {}}}, {program_action{"reload"}}})
    EXPECT_FALSE(start_console(system, {.address = "127.0.0.1:0", .actions = wrong}));
}

}  // namespace
}  // namespace tactor
