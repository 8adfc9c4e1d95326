// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/listening_socket.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

namespace tactor::internal {
namespace {

/// A folder that is removed at the end.
class own_folder {
public:
  own_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tactor-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  own_folder(const own_folder&) = delete;
  own_folder& operator=(const own_folder&) = delete;
  ~own_folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string file(const char* name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

mode_t mode_of(const std::string& path) {
  struct stat seen{};
  EXPECT_EQ(::lstat(path.c_str(), &seen), 0);
  return seen.st_mode;
}

TEST(listening_socket, of_unix_can_be_opened_by_its_user_only_and_is_removed_at_the_end) {
  const own_folder folder;
  const std::string path = folder.file("sub/a.sock");
  {
    const mode_t before = ::umask(0);
    const auto socket = listening_socket::open(path);
    (void)::umask(before);
    ASSERT_TRUE(socket) << socket.error();
    EXPECT_EQ(mode_of(path), S_IFSOCK | mode_t{0600});
    EXPECT_EQ(mode_of(folder.file("sub")) & 0777U, 0700U);
    EXPECT_EQ(socket->address(), path);
    EXPECT_EQ(socket->port(), 0);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(listening_socket, of_a_living_process_is_not_replaced) {
  const own_folder folder;
  const auto first = listening_socket::open(folder.file("a.sock"));
  ASSERT_TRUE(first);

  const auto second = listening_socket::open(folder.file("a.sock"));

  ASSERT_FALSE(second);
  EXPECT_NE(second.error().find("another console"), std::string::npos) << second.error();
  EXPECT_TRUE(std::filesystem::exists(folder.file("a.sock")));
}

TEST(listening_socket, of_a_dead_process_is_replaced) {
  const own_folder folder;
  {
    const auto dead = listening_socket::open(folder.file("a.sock"));
    ASSERT_TRUE(dead);
    std::filesystem::rename(folder.file("a.sock"), folder.file("b.sock"));  // so that it stays
  }
  ASSERT_TRUE(std::filesystem::exists(folder.file("b.sock")));

  EXPECT_TRUE(listening_socket::open(folder.file("b.sock")));
}

TEST(listening_socket, does_not_remove_the_socket_that_has_replaced_it) {
  const own_folder folder;
  std::optional<listening_socket> second;
  {
    const auto first = listening_socket::open(folder.file("a.sock"));
    std::filesystem::rename(folder.file("a.sock"), folder.file("b.sock"));
    auto other = listening_socket::open(folder.file("a.sock"));
    ASSERT_TRUE(other);
    second.emplace(std::move(*other));
  }
  EXPECT_TRUE(std::filesystem::exists(folder.file("a.sock")));
}

TEST(listening_socket, never_replaces_a_file) {
  const own_folder folder;
  std::ofstream{folder.file("notes")} << "important";

  const auto socket = listening_socket::open(folder.file("notes"));

  ASSERT_FALSE(socket);
  EXPECT_NE(socket.error().find("no socket"), std::string::npos) << socket.error();
  EXPECT_EQ(std::filesystem::file_size(folder.file("notes")), 9U);
}

TEST(listening_socket, says_what_is_wrong_with_an_address) {
  for (const char* wrong :
       {"0.0.0.0:80", "192.168.0.1:8080", "[::]:80", "example.com:80", ":80", "::1:80",
        "127.0.0.1:65536", "127.0.0.1:", "127.0.0.1", "localhost:x", "/no/such/folder/a.sock"}) {
    const auto socket = listening_socket::open(wrong);
    ASSERT_FALSE(socket) << wrong;
    EXPECT_FALSE(socket.error().empty());
  }
  EXPECT_NE(listening_socket::open("0.0.0.0:80").error().find("this machine only"),
            std::string::npos);
  EXPECT_NE(listening_socket::open("/tmp/" + std::string(110, 'a')).error().find("103"),
            std::string::npos);
}

TEST(listening_socket, finds_a_free_port) {
  const auto socket = listening_socket::open("localhost:0");

  ASSERT_TRUE(socket) << socket.error();
  EXPECT_NE(socket->port(), 0);
  EXPECT_EQ(socket->address(), "127.0.0.1:" + std::to_string(socket->port()));
  EXPECT_FALSE(listening_socket::open(socket->address()));
}

}  // namespace
}  // namespace tactor::internal
