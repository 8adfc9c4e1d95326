// SPDX-License-Identifier: BSL-1.0
#include "tactor/asio/tcp.hpp"

#include "tactor/actor.hpp"
#include "tactor/asio/asio_context.hpp"
#include "tactor/asio/connection.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/host/actor_system.hpp"

#include <dirent.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tactor::io {
namespace {

using namespace std::chrono_literals;

void ignore_records(const log_record& /*what*/) noexcept {}

// The program can open no file while it lives.
class no_descriptors {
public:
  no_descriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~no_descriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  no_descriptors(const no_descriptors&) = delete;
  no_descriptors& operator=(const no_descriptors&) = delete;

private:
  rlimit before_{};
};

struct begin {};
struct finish {};
struct listening {
  using reply = std::uint16_t;
};
struct close_one {};

// Answers each line with itself; ends gracefully.
class echo_peer : public actor<begin, finish> {
public:
  echo_peer(std::shared_ptr<byte_stream> peer, duration timeout)
      : peer_(std::move(peer)), timeout_(timeout) {}

  reentrant_task<void> receive(context& ctx, begin) {
    while (const auto line = co_await peer_.read_line(ctx, timeout_)) {
      const std::string answer = *line + "\n";
      while (!peer_.write(answer)) {
        if (!co_await peer_.flush(ctx, 1min)) co_return ctx.stop();
      }
    }
    (void)co_await peer_.finish(ctx, 1min);
    ctx.stop();
  }
  void receive(context&, finish) { peer_.stop_reading(); }

private:
  connection peer_;
  duration timeout_;
};

struct stream_came {
  stream_result what;
};

// One actor for each connection.
class echo_server : public actor<stream_came, finish, close_one, listening> {
public:
  echo_server(io_threads* on, tcp_limits limits, duration timeout)
      : listener_(*tcp_listener::listen(*on, "127.0.0.1", 0, limits)), timeout_(timeout) {}

  void pre_start(context& ctx) { accept_next(ctx); }
  void receive(context& ctx, const stream_came& came) {
    if (!came.what) return;
    ctx.spawn<echo_peer>("peer", *came.what, timeout_).tell(begin{});
    accept_next(ctx);
  }
  void receive(context& ctx, finish) {
    listener_.close();
    for (const auto& each : ctx.children<finish>())
      each.tell(finish{});
  }
  void receive(context& ctx, close_one) {
    for (const actor_ref<>& each : ctx.children())
      ctx.stop(each);
  }
  std::uint16_t receive(context&, listening) { return listener_.port(); }

private:
  void accept_next(context& ctx) {
    accepting_ = listener_.accept(
        to_actor(ctx.self(), [](stream_result came) { return stream_came{std::move(came)}; }));
  }

  tcp_listener listener_;
  pending accepting_;
  duration timeout_;
};

// A client that blocks.
class client {
public:
  client(io_threads& on, std::uint16_t port) {
    std::promise<stream_result> came;
    auto got = came.get_future();
    const pending begun = tcp_connect(on, "127.0.0.1", port,
                                      [&came](stream_result s) { came.set_value(std::move(s)); });
    stream_ = *got.get();
  }
  ~client() { stream_->close(); }
  client(const client&) = delete;
  client& operator=(const client&) = delete;

  byte_stream* operator->() const { return stream_.get(); }
  // Reads until `size` bytes have come, or the end.
  std::string read(std::size_t size) {
    std::string all;
    while (all.size() < size) {
      std::promise<io_result> ready;
      auto said = ready.get_future();
      stream_->readable([&ready](io_result r) { ready.set_value(r); });
      if (!said.get()) break;
      all += stream_->take();
    }
    return all;
  }

private:
  std::shared_ptr<byte_stream> stream_;
};

struct tcp_world {
  explicit tcp_world(tcp_limits limits = {}, duration timeout = 1min)
      : system({.log = {.sink = ignore_records}}),
        server(system.spawn<echo_server>("server", &threads, limits, timeout)),
        port(*system.ask(server, listening{}, 1min).get()) {}

  io_threads threads{2};
  actor_system system;
  actor_ref<stream_came, finish, close_one, listening> server;
  std::uint16_t port;
};

// spec: A8
TEST(tcp, one_actor_per_connection_answers_lines) {
  tcp_world w;
  std::vector<std::unique_ptr<client>> clients;
  for (int i = 0; i < 20; ++i)
    clients.push_back(std::make_unique<client>(w.threads, w.port));
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(
        (*clients[static_cast<std::size_t>(i)])->write(std::to_string(i) + "\nmore\n").has_value());
  for (int i = 0; i < 20; ++i) {
    const std::string expected = std::to_string(i) + "\nmore\n";
    EXPECT_EQ(clients[static_cast<std::size_t>(i)]->read(expected.size()), expected);
  }
}

// spec: A8
TEST(tcp, a_peer_that_says_nothing_is_closed_after_the_timeout) {
  tcp_world w{{}, 20ms};
  client silent{w.threads, w.port};
  EXPECT_EQ(silent.read(1), "");
  silent->close();
}

// spec: A8
TEST(tcp, an_actor_that_stops_closes_its_connection) {
  tcp_world w;
  client one{w.threads, w.port};
  EXPECT_TRUE(one->write("a\n").has_value());
  EXPECT_EQ(one.read(2), "a\n");
  w.server.tell(close_one{});
  EXPECT_EQ(one.read(1), "");
}

// spec: A8
TEST(tcp, a_slow_reader_is_waited_for_with_bounded_memory) {
  tcp_world w{{.queue = 4096}};
  client slow{w.threads, w.port};
  // More than the buffers of both sockets hold, so that the actor has to wait.
  const std::string line(50'000, 'x');
  std::string all;
  std::thread writer{[&] {
    for (int i = 0; i < 200; ++i) {
      while (!slow->write(line + "\n")) {
        std::promise<io_result> flushed;
        auto said = flushed.get_future();
        (void)slow->flush([&flushed](io_result r) { flushed.set_value(r); });
        if (!said.get()) return;
      }
    }
  }};
  all = slow.read(200 * (line.size() + 1));
  writer.join();
  EXPECT_EQ(all.size(), 200 * (line.size() + 1));
}

// spec: A8
TEST(tcp, a_graceful_end_answers_every_command_that_was_accepted) {
  tcp_world w;
  client one{w.threads, w.port};
  std::string sent;
  for (int i = 0; i < 1000; ++i)
    sent += std::to_string(i) + "\n";
  EXPECT_TRUE(one->write(sent).has_value());
  std::string got = one.read(1);  // some have been accepted
  w.server.tell(finish{});
  got += one.read(sent.size());
  EXPECT_EQ(got, sent.substr(0, got.size()));
  EXPECT_EQ(got.back(), '\n');
  one->close();
  EXPECT_TRUE(w.system.shutdown(1min).complete);
}

// A socket without anything.
class plain_socket {
public:
  explicit plain_socket(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  }
  plain_socket(const plain_socket&) = delete;
  plain_socket& operator=(const plain_socket&) = delete;
  ~plain_socket() { ::close(fd_); }
  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] std::string read_to_end() const {
    std::string all;
    std::array<char, 100> room{};
    for (ssize_t got = 1; got > 0;) {
      got = ::read(fd_, room.data(), room.size());
      if (got > 0) all.append(room.data(), static_cast<std::size_t>(got));
    }
    return all;
  }

private:
  int fd_;
};

// spec: A8
TEST(tcp, a_peer_that_only_listens_any_more_gets_its_answers) {
  tcp_world w;
  const plain_socket one{w.port};
  ASSERT_EQ(send(one.fd(), "a\nb\n", 4, 0), 4);
  shutdown(one.fd(), SHUT_WR);
  EXPECT_EQ(one.read_to_end(), "a\nb\n");
}

// spec: A8
TEST(tcp, a_peer_that_is_gone_ends_its_actor) {
  tcp_world w;
  {
    const plain_socket gone{w.port};
    ASSERT_EQ(send(gone.fd(), "a\n", 2, 0), 2);
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ASSERT_EQ(setsockopt(gone.fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
  }
  w.server.tell(finish{});
  EXPECT_TRUE(w.system.shutdown(1min).complete);  // no actor waits for it
}

// spec: A8
TEST(tcp, a_second_finish_after_the_peer_has_ended_says_so_at_once) {
  io_threads threads{1};
  auto listener = *tcp_listener::listen(threads, "127.0.0.1", 0);
  std::promise<stream_result> came;
  auto got = came.get_future();
  const pending begun = listener.accept([&came](stream_result s) { came.set_value(std::move(s)); });
  auto peer = std::make_unique<plain_socket>(listener.port());
  const std::shared_ptr<byte_stream> stream = *got.get();
  std::promise<io_result> first;
  stream->finish([&first](io_result now) { first.set_value(now); });
  peer = nullptr;
  EXPECT_EQ(first.get_future().get(), io_result{});

  std::optional<io_result> second;
  stream->finish([&second](io_result now) { second = now; });
  EXPECT_EQ(second, io_result{});
}

// spec: A8
TEST(tcp, finishes_also_while_a_read_waits) {
  io_threads threads{1};
  auto listener = *tcp_listener::listen(threads, "127.0.0.1", 0);
  std::promise<stream_result> came;
  const pending begun = listener.accept([&came](stream_result s) { came.set_value(std::move(s)); });
  auto peer = std::make_unique<plain_socket>(listener.port());
  const std::shared_ptr<byte_stream> stream = *came.get_future().get();
  std::promise<io_result> readable;
  std::promise<io_result> finished;
  stream->readable([&readable](io_result now) { readable.set_value(now); });
  stream->finish([&finished](io_result now) { finished.set_value(now); });
  EXPECT_EQ(readable.get_future().get(), io_result{std::unexpected{end_of_stream()}});
  EXPECT_EQ(peer->read_to_end(), "");
  ASSERT_EQ(send(peer->fd(), "more", 4, 0), 4);  // discarded
  peer = nullptr;
  EXPECT_EQ(finished.get_future().get(), io_result{});
}

// spec: A8
TEST(tcp, bytes_stay_in_order_when_reading_ends_while_asio_has_some) {
  io_threads none{0};
  net::io_context& context = context_of(none);
  auto listener = *tcp_listener::listen(none, "127.0.0.1", 0);
  std::shared_ptr<byte_stream> stream;
  const pending begun = listener.accept([&stream](const stream_result& s) { stream = *s; });
  const plain_socket peer{listener.port()};
  while (stream == nullptr)
    (void)context.run_one();

  stream->readable([](io_result) {});
  EXPECT_TRUE(
      stream->write(std::string(64u << 20, 'x')).has_value());  // more than the sockets take
  std::array<char, 65536> room{};
  while (recv(peer.fd(), room.data(), room.size(), MSG_DONTWAIT) > 0) {
  }
  ASSERT_EQ(send(peer.fd(), "a", 1, 0), 1);
  (void)context.run_one();  // it writes on; "a" is read, which is not yet told
  ASSERT_EQ(send(peer.fd(), "b", 1, 0), 1);
  stream->stop_reading();
  while (context.poll_one() != 0) {
  }
  EXPECT_EQ(stream->take(), "ab");
  std::optional<io_result> said;
  stream->readable([&said](io_result now) { said = now; });
  EXPECT_EQ(said, io_result{std::unexpected{end_of_stream()}});

  std::optional<io_result> written;
  (void)stream->flush([&written](io_result now) { written = now; });
  while (!written) {
    (void)recv(peer.fd(), room.data(), room.size(), MSG_DONTWAIT);
    (void)context.poll_one();
  }
  EXPECT_EQ(written, io_result{}) << "writing goes on";
  stream->close();
}

// spec: A8
TEST(tcp, several_wait_for_a_flush_and_one_may_stop_waiting) {
  io_threads threads{1};
  auto listener = *tcp_listener::listen(threads, "127.0.0.1", 0);
  std::promise<stream_result> came;
  const pending begun = listener.accept([&came](stream_result s) { came.set_value(std::move(s)); });
  const plain_socket peer{listener.port()};
  const std::shared_ptr<byte_stream> stream = *came.get_future().get();
  EXPECT_TRUE(
      stream->write(std::string(64u << 20, 'x')).has_value());  // more than the sockets take
  std::promise<io_result> first;
  std::promise<io_result> third;
  const auto token = std::make_shared<int>(0);
  (void)stream->flush([&first](io_result now) { first.set_value(now); });
  const auto second = stream->flush([token](io_result) { FAIL() << "it was cancelled"; });
  (void)stream->flush([&third](io_result now) { third.set_value(now); });
  stream->cancel_flush(second);
  EXPECT_EQ(token.use_count(), 1);
  std::thread reader{[&peer] {
    std::array<char, 65536> room{};
    while (::read(peer.fd(), room.data(), room.size()) > 0) {
    }
  }};
  EXPECT_EQ(first.get_future().get(), io_result{});
  EXPECT_EQ(third.get_future().get(), io_result{});
  stream->close();
  reader.join();
}

// spec: A8
TEST(tcp, its_threads_are_counted_and_named) {
  const io_threads threads{3};
  EXPECT_EQ(threads.size(), 3u);
  int named = 0;
  while (named < 3) {  // they name themselves as they begin
    named = 0;
    DIR* const tasks = opendir("/proc/self/task");
    while (const dirent* const each = readdir(tasks)) {
      std::ifstream comm{std::string{"/proc/self/task/"} + each->d_name + "/comm"};
      std::string name;
      if (std::getline(comm, name) && name.starts_with("tactor-io-")) ++named;
    }
    closedir(tasks);
  }
}

// spec: A8
TEST(tcp, a_loop_of_accepts_does_not_spin_while_there_are_no_descriptors) {
  io_threads threads{1};
  auto listener = *tcp_listener::listen(threads, "127.0.0.1", 0);
  std::promise<stream_result> came;
  int errors = 0;
  pending begun;
  const std::function<void()> accept_next = [&] {
    begun = listener.accept([&](stream_result what) {
      if (what) return came.set_value(std::move(what));
      ++errors;
      accept_next();
    });
  };
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(listener.port());
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

  {
    const no_descriptors none;
    EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    net::post(context_of(threads), accept_next);
    for (int turns = 0; turns < 1000; ++turns) {  // in each of them it could accept
      std::promise<void> turned;
      net::post(context_of(threads), [&turned] { turned.set_value(); });
      turned.get_future().wait();
    }
  }
  const stream_result got = came.get_future().get();
  ASSERT_TRUE(got);
  EXPECT_GT(errors, 0);
  EXPECT_LT(errors, 100);
  (*got)->close();
  ::close(fd);
}

TEST(tcp, refuses_an_address_that_is_none) {
  io_threads threads;
  EXPECT_EQ(tcp_listener::listen(threads, "nowhere", 0).error(), std::errc::invalid_argument);
}

// spec: A8
TEST(tcp, says_errors_of_sockets_as_the_standard_does) {
  io_threads threads;
  auto listener = tcp_listener::listen(threads, "127.0.0.1", 0);
  const std::uint16_t port = listener->port();
  EXPECT_EQ(tcp_listener::listen(threads, "127.0.0.1", port).error(), std::errc::address_in_use);
  listener->close();
  std::promise<stream_result> came;
  const pending begun = tcp_connect(threads, "127.0.0.1", port,
                                    [&came](stream_result s) { came.set_value(std::move(s)); });
  EXPECT_EQ(came.get_future().get().error(), std::errc::connection_refused);
}

// spec: A8
TEST(tcp, ends_with_connections_open) {
  for (int i = 0; i < 5; ++i) {
    tcp_world w;
    client one{w.threads, w.port};
    EXPECT_TRUE(one->write("a\nb\nc").has_value());
    (void)w.system.shutdown(0ms);
  }
}

}  // namespace
}  // namespace tactor::io
