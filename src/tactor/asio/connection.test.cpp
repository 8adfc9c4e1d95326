// SPDX-License-Identifier: BSL-1.0
#include "tactor/asio/connection.hpp"

#include "tactor/asio/memory_stream.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
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

std::string text_of(std::errc why) {
  return std::make_error_code(why).message();
}
const std::string timed_out = text_of(std::errc::timed_out);
const std::string ended_by_close = cancelled().message();

struct begin {
  std::string what;
  duration timeout = 1s;
};
struct call {
  std::function<void()> what;
};
struct call_and_read {
  duration after;
  std::function<void()> what;
};

// Uses its connection as it is told, and notes how each use has ended.
class user : public actor<begin, call, call_and_read> {
public:
  user(std::unique_ptr<connection>* peer, texts* seen) : peer_(peer), seen_(seen) {}

  reentrant_task<void> receive(context& ctx, begin b) {
    if (b.what == "read") note(co_await (*peer_)->read(ctx, b.timeout));
    if (b.what == "line") note(co_await (*peer_)->read_line(ctx, b.timeout, 5));
    if (b.what == "flush") note(co_await (*peer_)->flush(ctx, b.timeout), "flushed");
    if (b.what == "finish") note(co_await (*peer_)->finish(ctx, b.timeout), "finished");
  }
  void receive(context&, const call& c) { c.what(); }
  reentrant_task<void> receive(context& ctx, call_and_read c) {
    (void)co_await ctx.sleep(c.after);
    c.what();
    note(co_await (*peer_)->read(ctx, 1h));
  }

private:
  void note(const read_result& got) { seen_->push_back(got ? *got : got.error().message()); }
  void note(const io_result& got, const char* done) {
    seen_->push_back(got ? done : got.error().message());
  }

  std::unique_ptr<connection>* peer_;
  texts* seen_;
};

struct connected_user {
  connected_user() {
    auto ends = memory_pair({.queue = 100, .window = 16});
    client = std::move(ends.first);
    server = std::move(ends.second);
    peer = std::make_unique<connection>(server);
    who = world.spawn<user>("user", &peer, &seen);
  }
  // Returns: what has ended meanwhile; no time passes.
  texts after(const begin& what) {
    who.tell(what);
    (void)world.run_to_idle();
    return std::exchange(seen, {});
  }
  texts after(std::function<void()> what) {
    who.tell(call{std::move(what)});
    (void)world.run_to_idle();
    return std::exchange(seen, {});
  }
  void arrives(std::string_view bytes) const { EXPECT_TRUE(client->write(bytes).has_value()); }

  texts seen;
  std::unique_ptr<connection> peer;
  std::shared_ptr<byte_stream> client;
  std::shared_ptr<byte_stream> server;
  simulation world{seed{1}};
  actor_ref<begin, call, call_and_read> who;
};

// A timeout of zero.

// spec: A8
TEST(connection, polls_for_bytes_if_there_is_no_time) {
  for (const duration none : {duration{0s}, duration{-1s}}) {
    connected_user w;
    EXPECT_EQ(w.after({"read", none}), texts{timed_out});
    w.arrives("abc");
    EXPECT_EQ(w.after({"read", none}), texts{"abc"});
    EXPECT_EQ(w.after({"read", none}), texts{timed_out});
    EXPECT_EQ(w.after({"read"}), texts{});  // waits: the polls have left nothing behind
    w.arrives("def");
    (void)w.world.run_to_idle();
    EXPECT_EQ(w.seen, texts{"def"});
    w.seen.clear();
    w.client->close();
    EXPECT_EQ(w.after({"read", none}), texts{end_of_stream().message()});
    w.peer->close();
    EXPECT_EQ(w.after({"read", none}), texts{ended_by_close});
  }
}

// spec: A8
TEST(connection, polls_for_a_line_and_keeps_what_has_come_of_it) {
  connected_user w;
  w.arrives("ab");
  EXPECT_EQ(w.after({"line", 0s}), texts{timed_out});
  w.arrives("c\nd");
  EXPECT_EQ(w.after({"line", 0s}), texts{"abc"});
  EXPECT_EQ(w.after({"line", 0s}), texts{timed_out});
  EXPECT_EQ(w.after({"read", 0s}), texts{"d"});
}

// spec: A8
TEST(connection, polls_for_the_end_of_a_flush_if_there_is_no_time) {
  connected_user w;
  EXPECT_EQ(w.after({"flush", 0s}), texts{"flushed"});  // nothing is queued
  EXPECT_EQ(w.after({"flush", -1s}), texts{"flushed"});
  EXPECT_TRUE(w.server->write(std::string(20, 'x')).has_value());  // 4 more than the window
  EXPECT_EQ(w.after({"flush", 0s}), texts{timed_out});
  (void)w.client->take();
  EXPECT_EQ(w.after({"flush", 0s}), texts{"flushed"});
}

// spec: A8
TEST(connection, begins_to_finish_also_if_there_is_no_time) {
  connected_user w;
  EXPECT_EQ(w.after({"finish", 0s}), texts{timed_out});
  EXPECT_EQ(w.server->write("x").error(), write_error::closed);
  w.client->close();
  EXPECT_EQ(w.after({"finish", 0s}), texts{"finished"});
}

// Closed, moved or assigned to while an operation is awaited.

const char* const operations[] = {"read", "line", "flush", "finish"};

// Begins an operation that cannot end. Returns: what the handler has seen after `then`.
texts awaited_when(connected_user& w, const char* operation, std::function<void()> then) {
  EXPECT_TRUE(w.server->write(std::string(20, 'x')).has_value());
  EXPECT_EQ(w.after({operation, 1h}), texts{}) << operation;
  return w.after(std::move(then));
}

// spec: A8
TEST(connection, that_is_closed_or_destroyed_cancels_what_is_awaited) {
  for (const char* operation : operations) {
    connected_user closed;
    EXPECT_EQ(awaited_when(closed, operation, [&] { closed.peer->close(); }), texts{ended_by_close})
        << operation;
    connected_user gone;
    EXPECT_EQ(awaited_when(gone, operation, [&] { gone.peer = nullptr; }), texts{ended_by_close})
        << operation;
  }
}

// spec: A8
TEST(connection, that_is_assigned_to_cancels_what_is_awaited_of_the_one_before) {
  for (const char* operation : operations) {
    connected_user w;
    auto [other_client, other_server] = memory_pair();
    EXPECT_TRUE(other_client->write("other\n").has_value());
    EXPECT_EQ(awaited_when(w, operation, [&] { *w.peer = connection{other_server}; }),
              texts{ended_by_close})
        << operation;
    EXPECT_EQ(w.client->write("x").error(), write_error::closed);
    EXPECT_EQ(w.after({"line"}), texts{"other"}) << operation;
  }
}

// spec: A8
TEST(connection, cancels_also_what_has_completed_and_not_resumed) {
  connected_user w;
  auto [other_client, other_server] = memory_pair();
  EXPECT_EQ(awaited_when(w, "read",
                         [&] {
                           w.arrives("for the one before");
                           *w.peer = connection{other_server};
                         }),
            texts{ended_by_close});
  EXPECT_EQ(w.after({"read"}), texts{});
  EXPECT_TRUE(other_client->write("for this one").has_value());
  (void)w.world.run_to_idle();
  EXPECT_EQ(w.seen, texts{"for this one"});
}

// spec: A8
TEST(connection, may_be_destroyed_when_what_is_awaited_has_completed) {
  connected_user w;
  EXPECT_EQ(awaited_when(w, "read",
                         [&] {
                           w.arrives("bytes");
                           w.peer = nullptr;
                         }),
            texts{ended_by_close});
}

// spec: A8
TEST(connection, a_timeout_of_the_one_before_cancels_nothing_of_this_one) {
  connected_user w;
  auto [other_client, other_server] = memory_pair();
  w.who.tell(call_and_read{10ms, [&] { *w.peer = connection{other_server}; }});
  EXPECT_EQ(w.after({"read", 10ms}), texts{});
  w.world.clock().jump(1s);  // both times are over; it is assigned to before the read resumes
  (void)w.world.run_to_idle();
  EXPECT_EQ(w.seen, texts{ended_by_close});
  EXPECT_TRUE(other_client->write("bytes").has_value());
  (void)w.world.run_to_idle();
  EXPECT_EQ(w.seen, (texts{ended_by_close, "bytes"}));
}

// spec: A8
TEST(connection, that_is_moved_takes_along_what_is_awaited) {
  for (const char* operation : operations) {
    connected_user w;
    const auto moved = [&] { w.peer = std::make_unique<connection>(std::move(*w.peer)); };
    EXPECT_EQ(awaited_when(w, operation, moved), texts{}) << operation;
    w.arrives("abc\n");
    while (!w.client->take().empty()) {
    }
    w.client->close();
    (void)w.world.run_to_idle();
    const texts expected{operation == std::string{"read"}    ? "abc\n"
                         : operation == std::string{"line"}  ? "abc"
                         : operation == std::string{"flush"} ? "flushed"
                                                             : "finished"};
    EXPECT_EQ(w.seen, expected) << operation;
  }
}

// spec: A8
TEST(connection, that_is_moved_takes_along_what_was_read_behind_a_line) {
  connected_user w;
  w.arrives("ab\ncd");
  EXPECT_EQ(w.after({"line"}), texts{"ab"});
  EXPECT_EQ(w.after([&] { w.peer = std::make_unique<connection>(std::move(*w.peer)); }), texts{});
  EXPECT_EQ(w.after({"read"}), texts{"cd"});
}

// Lines.

// spec: A8
TEST(connection, the_limit_of_a_line_does_not_count_its_end) {
  const std::string too_long = text_of(std::errc::message_size);
  const std::pair<std::string, std::string> lines[] = {{"\n", ""},
                                                       {"\r\n", ""},
                                                       {"12345\n", "12345"},
                                                       {"12345\r\n", "12345"},
                                                       {"1234\r\n", "1234"},
                                                       {"\r12\r\n", "\r12"},
                                                       {"123456\n", too_long},
                                                       {"123456\r\n", too_long},
                                                       {"12345\r\r\n", too_long},
                                                       {"12345\rx", too_long},
                                                       {"123456", too_long}};
  for (const auto& [bytes, line] : lines) {
    for (std::size_t first = 0; first <= bytes.size(); ++first) {  // in two parts
      connected_user w;
      w.arrives(bytes.substr(0, first));
      texts seen = w.after({"line"});
      w.arrives(bytes.substr(first));
      (void)w.world.run_to_idle();
      seen.insert(seen.end(), w.seen.begin(), w.seen.end());
      EXPECT_EQ(seen, texts{line}) << bytes << " at " << first;
    }
  }
}

}  // namespace
}  // namespace tactor::io
