// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/address.hpp"

#include "tactor/command/fake_console.test.hpp"
#include "tactor/console/console.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace command {
namespace {

TEST(address, is_a_socket_or_a_port_of_this_machine) {
  EXPECT_EQ(parse_address("/run/x.sock"), (address{.path = "/run/x.sock"}));
  EXPECT_EQ(parse_address("./x"), (address{.path = "./x"}));
  EXPECT_EQ(parse_address("17.sock"), (address{.path = "17.sock"}));
  const address tcp{.host = "127.0.0.1", .port = 8080};
  EXPECT_EQ(parse_address("127.0.0.1:8080"), tcp);
  EXPECT_EQ(parse_address("localhost:8080"), tcp);
  EXPECT_EQ(parse_address("8080"), tcp);
  EXPECT_EQ(parse_address("http://127.0.0.1:8080/"), tcp);
  EXPECT_EQ(parse_address("[::1]:8080"), (address{.host = "::1", .port = 8080}));
  EXPECT_EQ(tcp.authority(), "127.0.0.1:8080");
  EXPECT_EQ(parse_address("[::1]:8080")->authority(), "[::1]:8080");
}

TEST(address, says_what_is_wrong_with_a_text) {
  for (const std::string text :
       {"", "x", ":", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "1:2:3", "-1"})
    EXPECT_FALSE(parse_address(text)) << text;
  const auto far = parse_address("example.com:80");
  ASSERT_FALSE(far);
  EXPECT_TRUE(far.error().contains("ssh -L 80:127.0.0.1:80")) << far.error();
  EXPECT_FALSE(parse_address("/" + std::string(200, 'x')));
}

TEST(address, consoles_are_looked_for_where_programs_have_them) {
  const char* const set = std::getenv("XDG_RUNTIME_DIR");
  const std::string before = set == nullptr ? "" : set;
  for (const char* folder : {"/run/user/7", "", "run", "./run"}) {
    ASSERT_EQ(::setenv("XDG_RUNTIME_DIR", folder, 1), 0);
    const std::string socket = tactor::default_console_path();
    EXPECT_EQ(folder_of_consoles(), socket.substr(0, socket.rfind('/'))) << folder;
  }
  ASSERT_EQ(::unsetenv("XDG_RUNTIME_DIR"), 0);
  const std::string socket = tactor::default_console_path();
  EXPECT_EQ(folder_of_consoles(), socket.substr(0, socket.rfind('/')));
  if (set != nullptr) ::setenv("XDG_RUNTIME_DIR", before.c_str(), 1);
}

TEST(address, finds_the_sockets_of_a_folder_and_nothing_else) {
  const test_folder folder;
  EXPECT_TRUE(sockets_in(folder.path() + "/none").empty());
  const auto nothing = [](const std::string&) { return std::string{}; };
  const fake_console b{folder.path() + "/b.sock", nothing}, a{folder.path() + "/a.sock", nothing};
  std::ofstream{folder.path() + "/c.sock"} << "a file";
  const auto found = sockets_in(folder.path());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], a.where());
  EXPECT_EQ(found[1], b.where());
}

}  // namespace
}  // namespace command
