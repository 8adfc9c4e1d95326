// SPDX-License-Identifier: BSL-1.0
// As in resources.test.cpp, for a console: a moment without memory ends at most what it met, never the console.
#include "tactor/console.hpp"

#include "tactor/host.hpp"

#include "each_request.hpp"
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <expected>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tactor::faults {
namespace {

using namespace std::chrono_literals;

/// A client that allocates nothing.
class client {
public:
  enum class result : std::uint8_t { found, ended, silent };

  explicit client(const char* path) noexcept
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::strncpy(at.sun_path, path, sizeof at.sun_path - 1);
    const ::timeval longest{.tv_sec = timeout.count(), .tv_usec = 0};
    (void)::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    (void)::connect(socket_, reinterpret_cast<const sockaddr*>(&at), sizeof at);
  }
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  ~client() { (void)::close(socket_); }

  void send(std::string_view request) const noexcept {
    (void)::send(socket_, request.data(), request.size(), MSG_NOSIGNAL);
  }
  /// Reads until `text` has come so often.
  result read_until(std::string_view text, int times) noexcept {
    while (times > 0) {
      if (const std::size_t at = view().find(text); at != std::string_view::npos) {
        forget(at + text.size());
        --times;
        continue;
      }
      if (size_ == buffer_.size()) forget(size_ - text.size());
      const ssize_t got = ::recv(socket_, buffer_.data() + size_, buffer_.size() - size_, 0);
      if (got <= 0) return got == 0 || errno != EAGAIN ? result::ended : result::silent;
      size_ += static_cast<std::size_t>(got);
    }
    return result::found;
  }

private:
  [[nodiscard]] std::string_view view() const noexcept { return {buffer_.data(), size_}; }
  void forget(std::size_t bytes) noexcept {
    size_ -= bytes;
    std::memmove(buffer_.data(), buffer_.data() + bytes, size_);
  }

  int socket_;
  std::array<char, 8192> buffer_{};
  std::size_t size_ = 0;
};

constexpr std::string_view list = "GET /api/v1/actors HTTP/1.1\r\nHost: tactor\r\n\r\n";
constexpr std::string_view events = "GET /api/v1/events HTTP/1.1\r\nHost: tactor\r\n\r\n";

/// A connection is answered, or ends.
void expect_answers(run& now, const char* path, client::result at_best) {
  client one{path};
  for (int i = 0; i < 2; ++i) {
    one.send(list);
    const auto said = one.read_until("\"actors\":[", 1);
    now.expect(said == client::result::found || said == at_best, "a request is answered");
    if (said != client::result::found) return;
  }
}
void expect_events(run& now, const char* path, client::result at_best) {
  client one{path};
  one.send(events);
  const auto said = one.read_until("event: tick", 3);
  now.expect(said == client::result::found || said == at_best, "events come");
}

// spec: A5
TEST(console, answers_after_a_moment_without_memory) {
  const std::size_t requests = fail_each([](run& now) {
    actor_system system{{.workers = 1, .log = {.sink = say_nothing}}};
    std::array<char, 64> path{};
    (void)std::snprintf(path.data(), path.size(), "/tmp/tactor-faults-%d.sock", ::getpid());
    const console_options options{.address = path.data(), .limits = {.event_every = 1ms}};
    std::optional<console> shown;
    now.arm();
    try {
      if (auto started = start_console(system, options)) shown.emplace(std::move(*started));
    } catch (const std::bad_alloc&) {
      shown.reset();
    }
    now.expect(shown || now.has_failed(), "a console starts");
    if (shown) {
      expect_answers(now, path.data(), client::result::ended);
      expect_events(now, path.data(), client::result::ended);
      fail_nothing();
      expect_answers(now, path.data(), client::result::found);
      expect_events(now, path.data(), client::result::found);
    }
    shown.reset();
    now.expect(system.shutdown(timeout).complete, "all actors end in time");
  });
  EXPECT_GT(requests, 20u);
}

}  // namespace
}  // namespace tactor::faults
