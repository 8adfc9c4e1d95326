// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/console.hpp"

#include "tactor/console/console_client.test.hpp"
#include "tactor/console/console_world.test.hpp"
#include "tactor/console/page_files.hpp"
#include "tactor/core/actor/behaviour.hpp"
#include "tactor/host/actor_system.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <latch>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tactor {
namespace {

using namespace internal;
using namespace std::chrono_literals;

struct work {};

/// Gives itself work again and again.
class busy_desk : public actor<work> {
public:
  void receive(actor_context<work>& ctx, work) { ctx.self().tell(work{}); }
};

TEST(console, shows_each_part_of_a_snapshot) {
  console_world world;
  (void)world.system.spawn("desk", [](context&, const work&) {});
  console_client client = world.connect();

  for (const char* part : {"system", "actors", "actor", "tree", "workers", "timers", "dead_letters",
                           "failures", "warnings", "shutdown"}) {
    const client_response got = client.get(std::string{"/api/v1/"} + part);
    EXPECT_EQ(got.status, 200) << part;
    EXPECT_TRUE(contains(got.head, "Content-Type: application/json")) << got.head;
    EXPECT_TRUE(got.body.starts_with(std::string{R"({"version":1,"part":")"} + part + '"'))
        << got.body;
  }
  EXPECT_TRUE(
      contains(client.get("/api/v1/actor?path=%2Fuser%2Fdesk").body, R"("state":"running")"));
  EXPECT_EQ(client.get("/api/v1/actors?limit=many").status, 400);
  EXPECT_EQ(client.get("/api/v1/nothing").status, 404);
  EXPECT_EQ(client.get("/nothing").status, 404);
}

TEST(console, answers_the_questions_of_other_programs) {
  console_world world;
  console_client client = world.connect();

  EXPECT_TRUE(contains(client.get("/metrics").body, "\ntactor_"));
  EXPECT_TRUE(contains(client.get("/metrics").head, "Content-Type: text/plain; version=0.0.4"));
  EXPECT_EQ(client.get("/healthz").body, "ok\n");
  EXPECT_EQ(client.get("/readyz").body, "ready\n");
}

// spec: X3d
TEST(console, dumps_the_system_and_says_what_it_is) {
  const console_world world{{.capabilities = {.lifecycle = true}}};
  (void)world.system.spawn("desk", [](context&, const work&) {});
  console_client client = world.connect();

  const client_response dump = client.get("/api/v1/dump");
  EXPECT_TRUE(contains(dump.head, "Content-Type: text/plain")) << dump.head;
  EXPECT_TRUE(contains(dump.body, "/user/desk")) << dump.body;
  EXPECT_TRUE(contains(dump.body, "wheel")) << dump.body;
  EXPECT_TRUE(is_json(client.get("/api/v1/dump?format=json").body));
  EXPECT_EQ(client.get("/api/v1/dump?format=xml").status, 400);

  const std::string console = client.get("/api/v1/console").body;
  EXPECT_TRUE(is_json(console)) << console;
  EXPECT_TRUE(contains(
      console, R"("capabilities":["inspect","lifecycle"],"token_required":true,"system":"shop")"))
      << console;
  EXPECT_TRUE(contains(console, R"("metrics_level":"system","log_level":"warning")")) << console;
  EXPECT_FALSE(contains(console, world.shown->token()));
  EXPECT_EQ(client.get("/api/v1/console?a=1").status, 400);

  EXPECT_TRUE(is_json(client.get("/api/v1/history?seconds=10").body));
  EXPECT_EQ(client.get("/api/v1/history?seconds=901").status, 400);
  EXPECT_EQ(client.get("/api/v1/history?minutes=1").status, 400);
}

TEST(console, serves_its_page_with_headers_that_protect_it) {
  const console_world world{{.address = "127.0.0.1:0"}};
  console_client client = world.connect();

  const client_response page = client.get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(contains(page.body, "<title>tactor console</title>")) << page.body;
  for (const char* piece :
       {"Content-Type: text/html", "Content-Security-Policy: default-src 'self';",
        "frame-ancestors 'none'", "X-Content-Type-Options: nosniff", "Cache-Control: no-store"})
    EXPECT_TRUE(contains(page.head, piece)) << page.head;
  for (const page_file& each : page_files()) {
    const client_response got = client.get("/assets/" + std::string{each.name});
    EXPECT_EQ(got.body, each.content);
    std::ifstream file{std::string{TACTOR_PAGE} + "/" + std::string{each.name}};
    const std::string stored{std::istreambuf_iterator<char>{file}, {}};
    EXPECT_EQ(got.body, stored) << each.name;
    EXPECT_TRUE(contains(got.head, "Content-Type: " + std::string{content_type_of(each.name)}));
  }
  EXPECT_EQ(content_type_of("app.js"), "text/javascript; charset=utf-8");
  for (const char* wrong : {"/assets/", "/assets/../console.hpp", "/assets/%2e%2e/console.hpp"})
    EXPECT_EQ(client.get(wrong).status, 404) << wrong;
}

TEST(console, goes_on_and_tells_how_far_a_shutdown_is) {
  std::latch busy{1};
  std::latch may_end{1};
  console_world world;
  const auto desk = world.system.spawn("desk", [&](context&, const work&) {
    busy.count_down();
    may_end.wait();
  });
  console_client client = world.connect();
  desk.tell(work{});
  busy.wait();

  world.system.stop_accepting();
  const client_response during = client.get("/readyz");
  EXPECT_EQ(during.status, 503);
  EXPECT_NE(during.body, "ready\n");
  EXPECT_TRUE(contains(client.get("/api/v1/shutdown").body, "/user/desk"));

  may_end.count_down();
  world.system.shutdown();
  const client_response after = client.get("/readyz");
  EXPECT_EQ(after.status, 503);
  EXPECT_EQ(after.body, "stopped\n");
  EXPECT_EQ(client.get("/healthz").status, 200);
  for (const char* part : {"system", "actors", "tree", "workers", "timers", "shutdown"})
    EXPECT_EQ(client.get(std::string{"/api/v1/"} + part).status, 200) << part;
  EXPECT_EQ(client.get("/metrics").status, 200);
}

TEST(console, on_a_port_answers_only_requests_that_name_it) {
  const console_world world{{.address = "127.0.0.1:0"}};
  EXPECT_EQ(world.shown->url(), "http://" + world.shown->address() + "/");

  EXPECT_EQ(world.connect().get("/api/v1/system").status, 200);
  console_client client = world.connect();
  client.send("GET /api/v1/system HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_EQ(client.read_response().status, 403);
  EXPECT_EQ(client.get("/api/v1/system", "Origin: http://evil.example\r\n").status, 403);
  EXPECT_EQ(client.get("/api/v1/system", "Sec-Fetch-Site: cross-site\r\n").status, 403);
}

TEST(console, refuses_a_request_that_repeats_a_header_that_is_checked) {
  const console_world world{{.address = "127.0.0.1:0"}};
  console_client client = world.connect();
  const std::string host = "Host: " + world.shown->address() + "\r\n";
  for (const char* const twice :
       {"Host: evil.example\r\n", "Origin: http://a\r\nOrigin: http://b\r\n",
        "Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n",
        "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"}) {
    client.send("GET /healthz HTTP/1.1\r\n" + host + twice + "\r\n");
    EXPECT_EQ(client.read_response().status, 400) << twice;
  }
  EXPECT_EQ(client.get("/healthz").status, 200);
}

TEST(console, refuses_an_address_of_another_machine) {
  const actor_system system{quiet()};

  const auto started = start_console(system, {.address = "0.0.0.0:0"});

  ASSERT_FALSE(started);
  EXPECT_TRUE(contains(started.error().text, "this machine only")) << started.error().text;
}

TEST(console, refuses_limits_with_which_it_would_be_of_no_use) {
  const actor_system system{quiet()};
  for (const console_limits& wrong :
       {console_limits{.connections = 0}, console_limits{.header_bytes = 255},
        console_limits{.header_bytes = std::size_t{1} << 32U},
        console_limits{.body_bytes = std::size_t{1} << 32U}, console_limits{.idle = 0s},
        console_limits{.event_every = 0s}}) {
    const auto started = start_console(system, {.address = "localhost:0", .limits = wrong});
    ASSERT_FALSE(started);
    EXPECT_TRUE(started.error().text.starts_with("limits.")) << started.error().text;
  }
}

TEST(console, refuses_what_is_too_long_or_no_http_and_goes_on) {
  const console_world world{{.limits = {.header_bytes = 512, .body_bytes = 64}}};

  EXPECT_EQ(world.connect().get("/healthz", "X-Long: " + std::string(600, 'a') + "\r\n").status,
            431);
  EXPECT_EQ(world.connect().post("/api/v1/suspend", std::string(65, ' ')).status, 413);
  console_client other = world.connect();
  other.send("\x16\x03\x01\x02\r\n\r\n");
  EXPECT_EQ(other.read_response().status, 400);
  EXPECT_EQ(other.read_to_end(), "");

  console_client client = world.connect();
  client.send("DELETE / HTTP/1.1\r\nHost: a\r\n\r\n");
  const client_response got = client.read_response();
  EXPECT_EQ(got.status, 405);
  EXPECT_TRUE(contains(got.head, "Allow: GET, HEAD, POST")) << got.head;
  client.send("HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(contains(client.read_response(false).head, "Content-Length: 3"));
  EXPECT_EQ(client.get("/healthz").status, 200);
}

TEST(console, answers_requests_that_come_in_pieces_or_many_at_once) {
  const console_world world;
  console_client client = world.connect();

  for (const char letter : std::string{"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"})
    client.send({&letter, 1});
  EXPECT_EQ(client.read_response().body, "ok\n");
  std::string many;
  for (int i = 0; i < 50; ++i)
    many += "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n";
  client.send(many);
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(client.read_response().body, "ready\n");
  client.send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(client.read_to_end().ends_with("ok\n"));
}

TEST(console, serves_others_while_hundreds_of_connections_say_nothing) {
  const console_world world;
  std::vector<console_client> hanging;
  for (int i = 0; i < 200; ++i) {
    hanging.push_back(world.connect());
    hanging.back().send("GET /api/v1/sys");
  }

  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(world.connect().get("/healthz").status, 200);
  EXPECT_EQ(hanging.front().read_to_end(), "");  // the oldest was closed for others
}

TEST(console, ends_a_connection_that_says_nothing_for_too_long) {
  const console_world world{{.limits = {.idle = 20ms}}};
  console_client client = world.connect();
  client.send("GET /healthz");

  EXPECT_EQ(client.read_to_end(), "");
}

TEST(console, ends_while_clients_ask_and_wait) {
  std::atomic<int> answered = 0;
  std::vector<std::thread> clients;
  {
    console_world world;
    const console_client silent = world.connect();
    std::latch asked{4};
    for (int i = 0; i < 4; ++i) {
      clients.emplace_back([&answered, &asked, client = world.connect()]() mutable {
        bool first = true;
        while (client.get("/api/v1/system").status == 200) {
          ++answered;
          if (std::exchange(first, false)) asked.count_down();
        }
      });
    }
    asked.wait();
    world.shown.reset();
    for (std::thread& each : clients)
      each.join();
    EXPECT_FALSE(std::filesystem::exists(world.folder + "/a.sock"));
  }
  EXPECT_GE(answered.load(), 4);
}

TEST(console, of_the_parent_stays_when_a_forked_process_ends_its_own) {
  console_world world;
  const pid_t child = ::fork();
  if (child == 0) {
    world.shown.reset();
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);

  EXPECT_EQ(world.connect().get("/healthz").status, 200);
}

TEST(console, shows_a_system_that_is_busy_and_ends) {
  std::optional<console_world> world;
  world.emplace();
  const auto desk = world->system.spawn<busy_desk>("desk");
  desk.tell(work{});
  std::latch asked{2};
  const auto ask_on = [&asked](console_client client) {
    const char* const parts[] = {"system", "actors", "workers", "timers", "warnings", "shutdown"};
    for (int i = 0; i < 60; ++i) {
      EXPECT_EQ(client.get(std::string{"/api/v1/"} + parts[i % 6]).status, 200);
      if (i == 6) asked.count_down();
    }
  };
  std::thread first{ask_on, world->connect()};
  std::thread second{ask_on, world->connect()};
  asked.wait();

  world->system.stop(desk);
  world->system.shutdown();
  first.join();
  second.join();
}

TEST(console, is_one_thread_with_a_name) {
  const auto threads = [] {
    int found = 0;
    for (const auto& task : std::filesystem::directory_iterator{"/proc/self/task"}) {
      std::ifstream file{task.path() / "comm"};
      std::string name;
      std::getline(file, name);
      if (name == "tactor-console") ++found;
    }
    return found;
  };
  console_world world;
  EXPECT_EQ(world.connect().get("/healthz").status, 200);
  EXPECT_EQ(threads(), 1);

  console moved = std::move(*world.shown);
  world.shown.emplace(std::move(moved));
  EXPECT_EQ(world.connect().get("/healthz").status, 200);
  world.shown.reset();
  EXPECT_EQ(threads(), 0);
}

TEST(console, has_a_default_address_that_no_other_console_can_have) {
  std::string name = (std::filesystem::temp_directory_path() / "tactor-XXXXXX").string();
  const std::string folder = ::mkdtemp(name.data());
  ASSERT_EQ(::setenv("XDG_RUNTIME_DIR", folder.c_str(), 1), 0);
  const actor_system system{quiet()};
  {
    const auto started = start_console(system);
    ASSERT_TRUE(started) << started.error().text;
    EXPECT_EQ(started->address(), folder + "/tactor/" + std::to_string(::getpid()) + ".sock");
    EXPECT_EQ(started->url(), "");
    EXPECT_EQ(started->token().size(), 32U);
    EXPECT_FALSE(start_console(system));
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tactor
