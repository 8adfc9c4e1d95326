// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/command/address.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace command {

/// A folder of its own for a test.
class test_folder {
public:
  test_folder() : path_(testing::TempDir() + "tactor-XXXXXX") {
    EXPECT_NE(::mkdtemp(path_.data()), nullptr);
  }
  test_folder(const test_folder&) = delete;
  test_folder& operator=(const test_folder&) = delete;
  ~test_folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
  std::string path_;
};

/// Answers each request at a Unix socket with what a function makes of it: bytes, as they are sent.
class fake_console {
public:
  using reaction = std::function<std::string(const std::string& request)>;

  fake_console(const std::string& path, reaction said) : path_(path), said_(std::move(said)) {
    listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::memcpy(name.sun_path, path.data(), path.size());
    EXPECT_EQ(::bind(listening_, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
    EXPECT_EQ(::listen(listening_, 16), 0);
    thread_ = std::thread{[this] { serve(); }};
  }
  fake_console(const fake_console&) = delete;
  fake_console& operator=(const fake_console&) = delete;
  ~fake_console() {
    ::shutdown(listening_, SHUT_RDWR);  // ends `accept`
    thread_.join();
    ::close(listening_);
  }
  [[nodiscard]] address where() const { return {.path = path_}; }

  /// An answer with a body.
  static std::string with_status(const std::string& status, const std::string& body) {
    return "HTTP/1.1 " + status +
           "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
  }

private:
  void serve() {
    while (true) {
      const int client = ::accept(listening_, nullptr, nullptr);
      if (client < 0) return;
      const std::string answer = said_(read_request(client));
      for (std::size_t sent = 0; sent < answer.size();) {
        const ssize_t size =
            ::send(client, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
        if (size <= 0) break;
        sent += static_cast<std::size_t>(size);
      }
      ::close(client);
    }
  }
  static std::string read_request(int client) {
    std::string text;
    while (!is_complete(text)) {
      char part[4096];
      const ssize_t size = ::recv(client, part, sizeof part, 0);
      if (size <= 0) break;
      text.append(part, static_cast<std::size_t>(size));
    }
    return text;
  }
  static bool is_complete(const std::string& text) {
    const std::size_t end = text.find("\r\n\r\n");
    if (end == text.npos) return false;
    const std::string name = "Content-Length: ";
    const std::size_t at = text.find(name);
    return at == text.npos || text.size() >= end + 4 + std::stoul(text.substr(at + name.size()));
  }

  std::string path_;
  reaction said_;
  int listening_ = -1;
  std::thread thread_;
};

}  // namespace command
