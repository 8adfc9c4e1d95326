// SPDX-License-Identifier: BSL-1.0
#include "tactor/asio/memory_stream.hpp"

#include "tactor/asio/connection.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tactor::io {
namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;
using texts = std::vector<std::string>;

struct serve {};
struct fall {};

// Answers each line with itself, in capital letters of the protocol.
class echo : public actor<serve, fall> {
public:
  echo(std::shared_ptr<byte_stream> peer, texts* seen) : peer_(std::move(peer)), seen_(seen) {}

  reentrant_task<void> receive(context& ctx, serve) {
    while (true) {
      const auto line = co_await peer_.read_line(ctx, 1s, 100);
      if (!line) {
        seen_->push_back(line.error().message());
        break;
      }
      seen_->push_back(*line);
      const std::string answer = "echo " + *line + "\n";
      while (!peer_.write(answer)) {
        seen_->emplace_back("waits");
        if (!co_await peer_.flush(ctx, 10s)) break;
      }
    }
    ctx.stop();
  }
  std::expected<void, failure> receive(context&, fall) { return std::unexpected{failure{"fell"}}; }

private:
  connection peer_;
  texts* seen_;
};

std::string text_of(std::errc why) {
  return std::make_error_code(why).message();
}

struct echo_world {
  explicit echo_world(const memory_limits& limits = {}, unsigned from = 1) : world(seed{from}) {
    auto ends = memory_pair(limits);
    client = std::move(ends.first);
    server =
        world.spawn<echo>({.name = "echo", .on_failure = restart{}}, std::move(ends.second), &seen);
    server.tell(serve{});
    (void)world.run_to_idle();
  }
  void send(std::string_view bytes) {
    EXPECT_TRUE(client->write(bytes).has_value());
    (void)world.run_to_idle();
  }
  std::optional<io_result> client_state() {
    std::optional<io_result> said;
    client->readable([&](io_result now) { said = now; });
    client->cancel_readable();
    return said;
  }

  texts seen;
  simulation world;
  std::shared_ptr<byte_stream> client;
  actor_ref<serve, fall> server;
};

// spec: A8
TEST(memory_stream, an_actor_reads_lines_however_they_arrive) {
  echo_world w;
  w.send("one\r\ntw");
  EXPECT_EQ(w.client->take(), "echo one\n");
  w.send("o\nthree\n\n");
  EXPECT_EQ(w.client->take(), "echo two\necho three\necho \n");
  EXPECT_EQ(w.seen, (texts{"one", "two", "three", ""}));
}

// spec: A8
TEST(memory_stream, a_read_has_a_timeout_in_virtual_time) {
  echo_world w;
  w.world.run_for(999ms);
  EXPECT_EQ(w.seen, texts{});
  w.world.run_for(10ms);
  EXPECT_EQ(w.seen, texts{text_of(std::errc::timed_out)});
  EXPECT_EQ(w.client_state(), io_result{std::unexpected{end_of_stream()}});
}

class patient : public actor<serve> {
public:
  patient(std::shared_ptr<byte_stream> peer, texts* seen) : peer_(std::move(peer)), seen_(seen) {}
  task<void> receive(context& ctx, serve) {
    const auto got = co_await peer_.read(ctx, 10ms);
    seen_->push_back(got ? *got : got.error().message());
  }

private:
  connection peer_;
  texts* seen_;
};

// spec: A8
TEST(memory_stream, bytes_that_come_after_a_timeout_are_for_the_next_read) {
  texts seen;
  simulation world{seed{1}};
  auto [client, server] = memory_pair();
  const auto who = world.spawn<patient>("patient", std::move(server), &seen);
  who.tell(serve{});
  world.run_for(20ms);
  EXPECT_TRUE(client->write("late").has_value());
  (void)world.run_to_idle();
  who.tell(serve{});
  (void)world.run_to_idle();
  EXPECT_EQ(seen, (texts{text_of(std::errc::timed_out), "late"}));
}

// spec: A8
TEST(memory_stream, a_line_without_end_is_refused) {
  echo_world w;
  w.send(std::string(101, 'x'));
  EXPECT_EQ(w.seen, texts{text_of(std::errc::message_size)});
}

// spec: A8
TEST(memory_stream, a_slow_reader_means_backpressure_and_then_nothing_is_lost) {
  echo_world w{{.queue = 16, .window = 16}};
  std::string expected;
  std::string got;
  int sent = 0;
  while (w.client->write("line " + std::to_string(sent) + "\n")) {  // until it reaches the client
    expected += "echo line " + std::to_string(sent++) + "\n";
    (void)w.world.run_to_idle();
    ASSERT_LT(sent, 100);
  }
  EXPECT_EQ(w.client->write("x").error(), write_error::backpressure);
  EXPECT_EQ(w.seen.back(), "waits");
  for (int i = 0; i < 100; ++i) {
    got += w.client->take();
    (void)w.world.run_to_idle();
  }
  EXPECT_EQ(got, expected);
}

// Two handlers that wait for the same bytes to be written.
class two_flushes : public actor<serve> {
public:
  two_flushes(std::shared_ptr<byte_stream> peer, std::vector<io_result>* said)
      : peer_(std::move(peer)), said_(said) {}
  reentrant_task<void> receive(context& ctx, serve) {
    (void)peer_.write("some bytes");
    said_->push_back(co_await peer_.flush(ctx, 10ms));
  }

private:
  connection peer_;
  std::vector<io_result>* said_;
};

// spec: A8
TEST(memory_stream, several_handlers_wait_for_a_flush) {
  std::vector<io_result> said;
  simulation world{seed{1}};
  auto [client, server] = memory_pair({.queue = 100, .window = 4});
  const auto who = world.spawn<two_flushes>("who", std::move(server), &said);
  who.tell(serve{});
  who.tell(serve{});
  (void)world.run_to_idle();
  EXPECT_TRUE(said.empty());
  while (!client->take().empty())
    (void)world.run_to_idle();
  EXPECT_EQ(said, (std::vector<io_result>{{}, {}}));
}

// spec: A8
TEST(memory_stream, a_flush_that_has_timed_out_is_forgotten) {
  std::vector<io_result> said;
  simulation world{seed{1}};
  auto [client, server] = memory_pair({.queue = 100, .window = 4});
  const io_result late = std::unexpected{std::make_error_code(std::errc::timed_out)};
  const auto who = world.spawn<two_flushes>("who", server, &said);
  who.tell(serve{});
  world.run_for(5ms);
  who.tell(serve{});
  world.run_for(6ms);
  EXPECT_EQ(said, std::vector<io_result>{late});
  while (!client->take().empty())
    (void)world.run_to_idle();
  EXPECT_EQ(said, (std::vector<io_result>{late, {}}));

  const auto token = std::make_shared<int>(0);
  EXPECT_TRUE(server->write("some bytes").has_value());
  const auto number = server->flush([token](io_result) { FAIL() << "it was cancelled"; });
  server->cancel_flush(number);
  EXPECT_EQ(token.use_count(), 1);
}

// spec: A8
TEST(memory_stream, is_closed_when_its_actor_stops_or_restarts) {
  for (const bool restarts : {false, true}) {
    echo_world w;
    if (restarts) {
      w.server.tell(fall{});
    } else {
      w.world.stop(w.server);
    }
    (void)w.world.run_to_idle();
    EXPECT_EQ(w.client_state(), io_result{std::unexpected{end_of_stream()}}) << restarts;
    EXPECT_EQ(w.client->write("x").error(), write_error::closed);
    EXPECT_EQ(w.seen, texts{});  // the coroutine is gone
  }
}

// spec: A8
TEST(memory_stream, what_has_arrived_is_read_after_the_end_of_reading) {
  texts seen;
  simulation world{seed{1}};
  auto [client, server] = memory_pair();
  EXPECT_TRUE(client->write("accepted").has_value());
  server->stop_reading();
  EXPECT_TRUE(client->write("too late").has_value());
  std::optional<io_result> said;
  server->readable([&](io_result now) { said = now; });
  EXPECT_EQ(said, io_result{});
  EXPECT_EQ(server->take(), "accepted");
  server->readable([&](io_result now) { said = now; });
  EXPECT_EQ(said, io_result{std::unexpected{end_of_stream()}});
}

// spec: A8
TEST(memory_stream, a_finished_end_has_given_the_peer_everything) {
  auto [client, server] = memory_pair({.queue = 100, .window = 4});
  std::optional<io_result> finished;
  EXPECT_TRUE(server->write("answer").has_value());
  EXPECT_TRUE(client->write("and").has_value());
  server->finish([&](io_result now) { finished = now; });
  EXPECT_EQ(server->write("x").error(), write_error::closed);
  std::string got = client->take();
  got += client->take();
  EXPECT_EQ(got, "answer");
  EXPECT_FALSE(finished.has_value());
  EXPECT_TRUE(client->write("more").has_value());  // discarded
  std::optional<io_result> said;
  client->readable([&](io_result now) { said = now; });
  EXPECT_EQ(said, io_result{std::unexpected{end_of_stream()}});
  client->close();
  EXPECT_EQ(finished, io_result{});
}

// spec: A8 K2a
TEST(memory_stream, equal_seeds_give_equal_runs) {
  const auto run = [](unsigned from) {
    echo_world w{{.queue = 16, .window = 16}, from};
    for (int i = 0; i < 20; ++i) {
      (void)w.client->write(std::to_string(i) + "\n");
      if (i % 3 == 0) (void)w.world.run_one();
      if (i % 5 == 0) (void)w.client->take();
    }
    w.world.run_for(1s);
    return w.seen;
  };
  EXPECT_EQ(run(7), run(7));
}

}  // namespace
}  // namespace tactor::io
