// SPDX-License-Identifier: BSL-1.0
// The cost of a line must not grow with what has arrived behind it. The test judges a ratio of two
// times of one run, so that `make verify` runs it and `make test` does not.
#include "tactor/asio/connection.hpp"
#include "tactor/asio/memory_stream.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <memory>
#include <string>
#include <utility>

namespace tactor::io {
namespace {

struct count_lines {
  using reply = std::size_t;
};

// Reads lines until the end of the stream.
class reader : public actor<count_lines> {
public:
  explicit reader(std::shared_ptr<byte_stream> peer) : peer_(std::move(peer)) {}
  task<std::size_t> receive(context& ctx, count_lines) {
    std::size_t lines = 0;
    while (co_await peer_.read_line(ctx, std::chrono::hours{1}))
      ++lines;
    co_return lines;
  }

private:
  connection peer_;
};

// The time of the processor that reading so many empty lines takes, which come at once.
double time_for(std::size_t lines) {
  testkit::simulation world;
  auto [client, server] = memory_pair({.queue = lines, .window = lines});
  const auto who = world.spawn<reader>("reader", std::move(server));
  EXPECT_TRUE(client->write(std::string(lines, '\n')));
  client->finish([](io_result) {});
  const std::clock_t began = std::clock();
  EXPECT_EQ(world.ask(who, count_lines{}, std::chrono::hours{2}).get().value_or(0), lines);
  return static_cast<double>(std::max<std::clock_t>(std::clock() - began, 1));
}

// spec: A8
TEST(many_lines, cost_as_much_together_as_apart) {
  constexpr std::size_t few = 30'000;
  double growth = time_for(10 * few) / time_for(few);
  for (int attempt = 1; attempt < 5 && growth >= 45; ++attempt)  // another program disturbed it
    growth = std::min(growth, time_for(10 * few) / time_for(few));
  EXPECT_LT(growth, 45);  // 100: quadratic
}

}  // namespace
}  // namespace tactor::io
