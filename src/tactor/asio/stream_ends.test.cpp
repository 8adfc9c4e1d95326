// SPDX-License-Identifier: BSL-1.0
// How streams end: the two of a `memory_pair` tell the same as two sockets.
#include "tactor/asio/asio_context.hpp"
#include "tactor/asio/byte_stream.hpp"
#include "tactor/asio/memory_stream.hpp"
#include "tactor/asio/tcp.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>

namespace tactor::io {
namespace {

enum class network : std::uint8_t { none, tcp };

// Two connected streams. What they call back is told when this thread runs Asio.
class stream_ends : public testing::TestWithParam<network> {
protected:
  stream_ends() {
    if (GetParam() == network::none) {
      std::tie(one, other) = memory_pair({.queue = 1u << 30, .window = 16});
      much = std::string(100, 'x');
      return;
    }
    auto listener = *tcp_listener::listen(on_, "127.0.0.1", 0, {.queue = 1u << 30});
    const pending accepts = listener.accept([this](const stream_result& s) { other = *s; });
    const pending connects = tcp_connect(on_, "127.0.0.1", listener.port(),
                                         [this](const stream_result& s) { one = *s; });
    while (one == nullptr || other == nullptr)
      (void)context_of(on_).run_one();
    much = std::string(64u << 20, 'x');  // more than the sockets take
  }
  ~stream_ends() override {
    one->close();
    other->close();
  }
  stream_ends(const stream_ends&) = delete;
  stream_ends& operator=(const stream_ends&) = delete;

  void run_what_is_ready() {
    while (context_of(on_).poll_one() != 0) {
    }
  }
  io_result outcome(const std::optional<io_result>& said) {
    while (!said)
      (void)context_of(on_).run_one();
    return *said;
  }
  static byte_stream::callback note_in(std::optional<io_result>& said) {
    return [&said](io_result now) { said = now; };
  }
  io_result readable(byte_stream& of) {
    std::optional<io_result> said;
    of.readable(note_in(said));
    return outcome(said);
  }
  io_result finish(byte_stream& of) {
    std::optional<io_result> said;
    of.finish(note_in(said));
    return outcome(said);
  }
  // Takes everything until the end.
  std::string read_all(byte_stream& of) {
    std::string all;
    while (readable(of))
      all += of.take();
    return all;
  }

  std::shared_ptr<byte_stream> one;
  std::shared_ptr<byte_stream> other;
  std::string much;

private:
  io_threads on_{0};
};

const io_result the_end = std::unexpected{end_of_stream()};

// Which one a socket says depends on whether a read or a write is the first to learn of it.
bool says_reset(const io_result& said) {
  return !said &&
         (said.error() == std::errc::connection_reset || said.error() == std::errc::broken_pipe);
}

// spec: A8
TEST_P(stream_ends, finish_fails_if_the_peer_closes_while_bytes_are_queued) {
  ASSERT_TRUE(one->write(much).has_value());
  std::optional<io_result> flushed;
  std::optional<io_result> finished;
  one->flush(note_in(flushed));
  one->finish(note_in(finished));
  run_what_is_ready();
  EXPECT_FALSE(flushed);
  other->close();
  EXPECT_TRUE(says_reset(outcome(flushed)));
  EXPECT_TRUE(says_reset(outcome(finished)));
  EXPECT_TRUE(says_reset(finish(*one))) << "and says so again";
}

// spec: A8
TEST_P(stream_ends, flush_fails_if_the_peer_closes_while_bytes_are_queued) {
  ASSERT_TRUE(one->write(much).has_value());
  other->close();
  std::optional<io_result> flushed;
  one->flush(note_in(flushed));
  EXPECT_TRUE(says_reset(outcome(flushed)));
  EXPECT_EQ(one->write("x").error(), write_error::closed);
  flushed.reset();
  one->flush(note_in(flushed));
  EXPECT_TRUE(says_reset(outcome(flushed))) << "and says so again";
  EXPECT_TRUE(says_reset(finish(*one)));
}

// spec: A8
TEST_P(stream_ends, finish_fails_if_the_peer_closes_before_it_has_taken_what_has_come) {
  ASSERT_TRUE(one->write("x").has_value());
  std::optional<io_result> finished;
  one->finish(note_in(finished));
  run_what_is_ready();
  EXPECT_FALSE(finished);
  other->close();
  EXPECT_TRUE(says_reset(outcome(finished)));
}

// spec: A8
TEST_P(stream_ends, finish_fails_if_the_peer_has_closed_before_it_had_taken_what_had_come) {
  ASSERT_TRUE(one->write("x").has_value());
  other->close();
  EXPECT_TRUE(says_reset(finish(*one)));
}

// spec: A8
TEST_P(stream_ends, finish_fails_if_the_peer_closes_while_a_read_waits) {
  std::optional<io_result> waits;
  std::optional<io_result> finished;
  one->readable(note_in(waits));
  ASSERT_TRUE(one->write("x").has_value());
  one->finish(note_in(finished));
  EXPECT_EQ(outcome(waits), the_end);
  other->close();
  EXPECT_TRUE(says_reset(outcome(finished)));
}

// spec: A8
TEST_P(stream_ends, a_reset_comes_after_the_bytes_that_have_come) {
  ASSERT_TRUE(other->write("answer").has_value());
  ASSERT_TRUE(one->write("x").has_value());
  other->close();
  EXPECT_EQ(readable(*one), io_result{});
  EXPECT_EQ(one->take(), "answer");
  EXPECT_TRUE(says_reset(readable(*one)));
  EXPECT_TRUE(says_reset(finish(*one)));
}

// spec: A8
TEST_P(stream_ends, a_peer_that_has_taken_everything_ends_the_stream) {
  ASSERT_TRUE(one->write("question").has_value());
  ASSERT_EQ(readable(*other), io_result{});
  ASSERT_EQ(other->take(), "question");
  ASSERT_TRUE(other->write("answer").has_value());
  other->close();
  EXPECT_EQ(readable(*one), io_result{});
  EXPECT_EQ(one->take(), "answer");
  EXPECT_EQ(readable(*one), the_end);
  EXPECT_EQ(finish(*one), io_result{});
}

// spec: A8
TEST_P(stream_ends, a_peer_that_finishes_discards_what_comes_and_ends_the_stream) {
  ASSERT_TRUE(one->write(much).has_value());
  std::optional<io_result> others;
  other->finish(note_in(others));
  EXPECT_EQ(readable(*one), the_end);
  EXPECT_EQ(finish(*one), io_result{});
  EXPECT_EQ(outcome(others), io_result{});
  other->close();
  EXPECT_EQ(finish(*one), io_result{});
}

// spec: A8
TEST_P(stream_ends, a_peer_that_stops_reading_lets_bytes_wait_until_it_finishes) {
  ASSERT_TRUE(other->write("answer").has_value());
  other->stop_reading();
  ASSERT_TRUE(one->write(much).has_value());
  std::optional<io_result> flushed;
  one->flush(note_in(flushed));
  run_what_is_ready();
  EXPECT_FALSE(flushed);
  other->finish([](io_result) {});
  EXPECT_EQ(outcome(flushed), io_result{});
  EXPECT_EQ(read_all(*one), "answer");
  EXPECT_EQ(finish(*one), io_result{});
}

// spec: A8
TEST_P(stream_ends, a_peer_that_stops_reading_and_closes_resets_the_connection) {
  other->stop_reading();
  ASSERT_TRUE(one->write("x").has_value());
  other->close();
  EXPECT_TRUE(says_reset(readable(*one)));
  EXPECT_TRUE(says_reset(finish(*one)));
}

// spec: A8
TEST_P(stream_ends, a_further_finish_replaces_the_callback_before) {
  const auto token = std::make_shared<int>(0);
  one->finish([token](io_result) { FAIL() << "it was replaced"; });
  std::optional<io_result> finished;
  one->finish(note_in(finished));
  EXPECT_EQ(token.use_count(), 1);
  other->close();
  EXPECT_EQ(outcome(finished), io_result{});
}

// spec: A8
TEST_P(stream_ends, a_poll_says_at_once_what_there_is) {
  const auto polled = [this] {
    std::optional<io_result> said;
    one->poll_readable(note_in(said));
    return outcome(said);
  };
  const io_result nothing = std::unexpected{cancelled()};
  EXPECT_EQ(polled(), nothing);
  ASSERT_TRUE(other->write("a").has_value());
  EXPECT_EQ(polled(), io_result{});
  EXPECT_EQ(polled(), io_result{});
  EXPECT_EQ(one->take(), "a");
  EXPECT_EQ(polled(), nothing);

  std::optional<io_result> waits;  // from now on Asio reads
  one->readable(note_in(waits));
  one->cancel_readable();
  EXPECT_EQ(waits, nothing);
  EXPECT_EQ(polled(), nothing);
  ASSERT_TRUE(other->write("b").has_value());
  EXPECT_EQ(polled(), io_result{});
  EXPECT_EQ(one->take(), "b");
  other->close();
  EXPECT_EQ(polled(), the_end);
  EXPECT_EQ(polled(), the_end);
  one->close();
}

INSTANTIATE_TEST_SUITE_P(, stream_ends, testing::Values(network::none, network::tcp),
                         [](const auto& of) {
                           return of.param == network::none ? "memory" : "tcp";
                         });

}  // namespace
}  // namespace tactor::io
