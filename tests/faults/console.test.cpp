// SPDX-License-Identifier: BSL-1.0
// As in resources.test.cpp, for a console: a moment without memory ends at most what it met, never
// the console.
#include "tactor/console/console.hpp"

#include "tactor/host.hpp"

#include "client.hpp"
#include "each_request.hpp"
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <expected>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tactor::faults {
namespace {

using namespace std::chrono_literals;

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
