// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/client.hpp"

#include "tactor/command/fake_console.test.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace command {
namespace {

using namespace std::chrono_literals;

std::string error_for(const std::string& bytes, std::chrono::milliseconds within = 5s) {
  const test_folder folder;
  const fake_console console{folder.path() + "/s", [&](const std::string&) { return bytes; }};
  const auto said = ask(console.where(), {}, within);
  return said ? "status " + std::to_string(said->status) + ": " + said->body : said.error();
}

TEST(client, sends_a_request_and_reads_the_answer) {
  const test_folder folder;
  std::string asked;
  const fake_console console{folder.path() + "/s", [&](const std::string& request) {
                               asked = request;
                               return fake_console::with_status("403 Forbidden", "no");
                             }};
  const auto said = ask(
      console.where(), {.method = "POST", .target = "/a?b=c", .body = "{}", .token = "secret"}, 5s);
  ASSERT_TRUE(said) << said.error();
  EXPECT_EQ(said->status, 403U);
  EXPECT_EQ(said->body, "no");
  EXPECT_TRUE(asked.starts_with("POST /a?b=c HTTP/1.1\r\nHost: localhost\r\n")) << asked;
  EXPECT_TRUE(asked.contains("\r\nAuthorization: Bearer secret\r\n")) << asked;
  EXPECT_TRUE(asked.ends_with("\r\nContent-Length: 2\r\n\r\n{}")) << asked;
}

TEST(client, reads_chunks_and_bodies_that_end_with_the_connection) {
  EXPECT_EQ(
      error_for(
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"),
      "status 200: abcde");
  EXPECT_EQ(error_for("HTTP/1.1 200 OK\r\n\r\nabc"), "status 200: abc");
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(error_for(fake_console::with_status("200 OK", large)).size(), large.size() + 12);
}

TEST(client, says_why_there_is_no_answer) {
  EXPECT_TRUE(error_for("SSH-2.0-OpenSSH\r\n").contains("is not a tactor console"));
  EXPECT_TRUE(error_for("").contains("broke"));
  EXPECT_TRUE(error_for("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab").contains("broke"));
  const test_folder folder;
  const auto none = ask({.path = folder.path() + "/none"}, {}, 5s);
  ASSERT_FALSE(none);
  EXPECT_TRUE(none.error().contains("has the program started its console?")) << none.error();
  {
    const fake_console gone{folder.path() + "/gone",
                            [](const std::string&) { return std::string{}; }};
    EXPECT_TRUE(answers(gone.where()));
  }
  EXPECT_FALSE(answers({.path = folder.path() + "/gone"}));
  const auto refused = ask({.path = folder.path() + "/gone"}, {}, 5s);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().contains("has the program ended")) << refused.error();
}

TEST(client, waits_no_longer_than_it_may) {
  const test_folder folder;
  const std::string path = folder.path() + "/s";
  const int listening = ::socket(AF_UNIX, SOCK_STREAM, 0);  // it never accepts
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), path.size());
  ASSERT_EQ(::bind(listening, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  ASSERT_EQ(::listen(listening, 1), 0);
  const auto said = ask({.path = path}, {}, 20ms);
  ASSERT_FALSE(said);
  EXPECT_TRUE(said.error().contains("did not answer within 20 ms")) << said.error();
  ::close(listening);
}

TEST(client, waits_for_room_in_the_queue_of_a_socket) {
  const test_folder folder;
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  (folder.path() + "/s").copy(name.sun_path, sizeof name.sun_path - 1);
  const auto* const at = reinterpret_cast<const sockaddr*>(&name);
  const int listening = ::socket(AF_UNIX, SOCK_STREAM, 0);  // it never accepts
  ASSERT_EQ(::bind(listening, at, sizeof name), 0);
  ASSERT_EQ(::listen(listening, 1), 0);
  std::vector<int> queued;
  do {
    queued.push_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0));
  } while (::connect(queued.back(), at, sizeof name) == 0);
  const auto got = ask({.path = name.sun_path}, {}, 30ms);
  ASSERT_FALSE(got);
  EXPECT_TRUE(got.error().contains("did not answer within 30 ms")) << got.error();
  for (const int each : queued)
    ::close(each);
  ::close(listening);
}

TEST(client, escapes_queries) {
  EXPECT_EQ(in_query("/user/a b&c=\xC3\xA4"), "/user/a%20b%26c%3D%C3%A4");
}

}  // namespace
}  // namespace command
