// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/request/request_check.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tactor::internal {
namespace {

constexpr std::uint16_t port = 8080;

bool is_refused(const console_request& request, std::uint16_t at = port) {
  const auto refused = check_origin(request, at);
  return refused && refused->status == 403;
}

TEST(request_check, a_request_to_this_machine_and_port_is_answered) {
  for (const char* host : {"localhost:8080", "127.0.0.1:8080", "[::1]:8080"})
    EXPECT_FALSE(is_refused({.host = host})) << host;
  EXPECT_FALSE(is_refused({.host = "localhost"}, 80));
}

TEST(request_check, a_foreign_name_that_resolves_to_this_machine_is_refused) {
  for (const char* host :
       {"", "localhost", "evil.example:8080", "localhost.evil.example:8080", "127.0.0.1.evil:8080",
        "localhost:8081", "127.0.0.1:80800", "localhost:8080:8080", "evil.example@localhost:8080",
        "[::1]evil:8080", "localhost:evil:8080"})
    EXPECT_TRUE(is_refused({.host = host})) << host;
}

TEST(request_check, on_a_unix_socket_the_host_may_be_anything) {
  EXPECT_FALSE(is_refused({.host = ""}, 0));
  EXPECT_FALSE(is_refused({.host = "tactor"}, 0));
}

TEST(request_check, only_the_consoles_own_page_may_use_it) {
  EXPECT_FALSE(is_refused({.host = "localhost:8080", .origin = "http://localhost:8080"}));

  for (const char* origin : {"http://evil.example", "null", "https://localhost:8080",
                             "http://localhost:8081", "http://127.0.0.1:8080", "localhost:8080"})
    EXPECT_TRUE(is_refused({.host = "localhost:8080", .origin = origin})) << origin;
  // By way of a tunnel to the Unix socket, under a name of another site.
  EXPECT_TRUE(is_refused({.host = "evil.example:9000", .origin = "http://evil.example:9000"}, 0));
}

TEST(request_check, a_browser_that_says_the_request_is_of_another_site_is_believed) {
  EXPECT_TRUE(
      is_refused({.target = "/api/v1/dump", .host = "localhost:8080", .fetch_site = "cross-site"}));
  EXPECT_TRUE(
      is_refused({.target = "/metrics", .host = "localhost:8080", .fetch_site = "same-site"}));
  // A link to the page, and the page itself.
  EXPECT_FALSE(is_refused({.target = "/", .host = "localhost:8080", .fetch_site = "cross-site"}));
  EXPECT_FALSE(is_refused(
      {.target = "/api/v1/system", .host = "localhost:8080", .fetch_site = "same-origin"}));
}

TEST(request_check, refuses_a_header_that_occurs_twice) {
  const auto refused = check_origin({.host = "127.0.0.1:8080", .repeats_header = true}, 8080);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 400U);
}

TEST(request_check, a_token_is_long_and_another_one_each_time) {
  const std::string first = random_token();
  const std::string second = random_token();

  EXPECT_EQ(first.size(), 32U);
  EXPECT_NE(first, second);
}

TEST(request_check, a_token_is_presented_only_as_a_whole_and_as_a_bearer) {
  EXPECT_TRUE(presents_token("Bearer secret", "secret"));

  for (const char* wrong : {"", "secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secret1",
                            "Bearer Secret", "Basic secret", "Bearer  secret"})
    EXPECT_FALSE(presents_token(wrong, "secret")) << wrong;
}

}  // namespace
}  // namespace tactor::internal
