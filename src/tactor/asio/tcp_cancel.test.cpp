// SPDX-License-Identifier: BSL-1.0
// What an actor has begun ends with it: it is cancelled at once, its handler does not go on, and a
// shutdown does not wait.
#include "tactor/asio/asio_context.hpp"
#include "tactor/asio/connection.hpp"
#include "tactor/asio/tcp.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/host/actor_system.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <fstream>
#include <future>
#include <latch>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace tactor::io {
namespace {

using namespace std::chrono_literals;

void ignore_records(const log_record& /*what*/) noexcept {}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return at;
}

// The inodes of the sockets of this process.
std::set<std::string> own_sockets() {
  constexpr std::string_view prefix = "socket:[";
  std::set<std::string> inodes;
  std::error_code gone;  // other threads close descriptors meanwhile
  for (const auto& each : std::filesystem::directory_iterator{"/proc/self/fd"}) {
    const std::string target = std::filesystem::read_symlink(each.path(), gone).string();
    if (target.starts_with(prefix))
      inodes.insert(target.substr(prefix.size(), target.size() - prefix.size() - 1));
  }
  return inodes;
}

// A port that lets no one in: its queue holds one connection, and that is there.
class full_port {
public:
  full_port() : listens_(socket(AF_INET, SOCK_STREAM, 0)), first_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at = loopback(0);
    socklen_t size = sizeof at;
    EXPECT_EQ(bind(listens_, reinterpret_cast<const sockaddr*>(&at), size), 0);
    EXPECT_EQ(listen(listens_, 0), 0);
    EXPECT_EQ(getsockname(listens_, reinterpret_cast<sockaddr*>(&at), &size), 0);
    port_ = ntohs(at.sin_port);
    EXPECT_EQ(connect(first_, reinterpret_cast<const sockaddr*>(&at), size), 0);
  }
  full_port(const full_port&) = delete;
  full_port& operator=(const full_port&) = delete;
  ~full_port() {
    ::close(first_);
    ::close(listens_);
  }
  [[nodiscard]] std::uint16_t number() const { return port_; }
  // How many sockets of this process try to connect to it. Others may do so, too, with the number
  // of a port that was theirs.
  [[nodiscard]] std::size_t callers() const {
    const std::set<std::string> own = own_sockets();
    std::set<std::string> found;
    std::ifstream table{"/proc/net/tcp"};
    for (std::string line; std::getline(table, line);) {
      std::istringstream words{line};
      std::array<std::string, 10> word;  // [2]: the remote address, [3]: the state, [9]: the inode
      for (std::string& each : word)
        words >> each;
      const std::size_t colon = word[2].find(':');
      if (colon == std::string::npos || word[3] != "02" || !own.contains(word[9]))
        continue;  // SYN_SENT
      if (std::stoul(word[2].substr(colon + 1), nullptr, 16) == port_) found.insert(word[9]);
    }
    return found.size();
  }

private:
  int listens_;
  int first_;
  std::uint16_t port_ = 0;
};

struct begin {};
struct has_begun {};
struct fall {};
struct end {};

// What an actor tells the test.
struct notes {
  std::latch begun{1};           // it waits
  std::latch gone{1};            // its first instance, with all that it had
  std::atomic<int> went_on = 0;  // after what was awaited
  std::atomic<int> instances = 0;
};

// Counts instances, and says when the first has gone.
class noted {
public:
  explicit noted(notes* to) : to_(to), is_first_(to->instances.fetch_add(1) == 0) {}
  noted(const noted&) = delete;
  noted& operator=(const noted&) = delete;
  ~noted() {
    if (is_first_) to_->gone.count_down();
  }
  notes* operator->() const { return to_; }

private:
  notes* to_;
  bool is_first_;
};

// Waits for what `Waits` begins; ends, or fails, as it is told meanwhile.
template <class Waits>
class waiting_actor : public actor<begin, has_begun, fall, end> {
public:
  template <class... Parts>
  explicit waiting_actor(notes* to, Parts... parts) : noted_(to), waits_(parts...) {}

  reentrant_task<void> receive(context& ctx, begin) {
    ctx.self().tell(has_begun{});  // handled when this coroutine waits
    co_await waits_(ctx);
    noted_->went_on.fetch_add(1);
  }
  void receive(context&, has_begun) { noted_->begun.count_down(); }
  std::expected<void, failure> receive(context&, fall) { return std::unexpected{failure{"fell"}}; }
  void receive(context& ctx, end) { ctx.stop(); }

private:
  noted noted_;  // destroyed last
  Waits waits_;
};

enum class ending : std::uint8_t { stops, restarts, shutdown };
constexpr ending endings[] = {ending::stops, ending::restarts, ending::shutdown};

struct world {
  // Spawns an actor that waits, ends it, and looks when all it had has gone.
  template <class Waits, class Look, class... Parts>
  void ends(ending how, Look look, Parts... parts) {
    notes said;
    actor_system system{{.workers = 1, .log = {.sink = ignore_records}}};
    const auto who = system.spawn<waiting_actor<Waits>>({.on_failure = restart{}}, &said, parts...);
    who.tell(begin{});
    said.begun.wait();
    look(false);
    if (how == ending::stops) who.tell(end{});
    if (how == ending::restarts) who.tell(fall{});
    if (how == ending::shutdown) (void)system.shutdown(0ms);
    said.gone.wait();
    look(true);
    EXPECT_TRUE(how == ending::shutdown || system.shutdown(1min).complete);
    EXPECT_EQ(said.went_on, 0);
    EXPECT_EQ(said.instances, how == ending::restarts ? 2 : 1);
  }

  io_threads threads{1};
};

struct connects {
  io_threads* on;
  std::uint16_t port;
  task<void> operator()(tactor::context& ctx) const {
    (void)co_await tcp_connect(ctx, *on, "127.0.0.1", port, 1h);
  }
};

// spec: A8
TEST(tcp_cancel, a_pending_connect_ends_with_its_actor) {
  const full_port nowhere;
  for (const ending how : endings) {
    world w;
    w.ends<connects>(
        how, [&](bool ended) { EXPECT_EQ(nowhere.callers(), ended ? 0u : 1u); }, &w.threads,
        nowhere.number());
  }
}

// spec: A8
TEST(tcp_cancel, a_pending_connect_ends_with_its_timeout) {
  struct dial {
    using reply = std::string;
  };
  class caller : public actor<dial> {
  public:
    caller(io_threads* on, std::uint16_t port) : on_(on), port_(port) {}
    task<std::string> receive(context& ctx, dial) {
      const auto made = co_await tcp_connect(ctx, *on_, "127.0.0.1", port_, 1ms);
      co_return made ? "connected" : made.error().message();
    }

  private:
    io_threads* on_;
    std::uint16_t port_;
  };
  const full_port nowhere;
  io_threads threads{1};
  actor_system system{{.log = {.sink = ignore_records}}};
  const auto who = system.spawn<caller>("caller", &threads, nowhere.number());
  EXPECT_EQ(system.ask(who, dial{}, 1min).get(),
            std::make_error_code(std::errc::timed_out).message());
  EXPECT_EQ(nowhere.callers(), 0u);
}

// spec: A8
TEST(tcp_cancel, a_cancelled_connect_destroys_its_callback_without_a_call) {
  const full_port nowhere;
  io_threads threads{1};
  const auto token = std::make_shared<int>(0);
  pending begun = tcp_connect(threads, "127.0.0.1", nowhere.number(),
                              [token](const stream_result&) { FAIL() << "it was cancelled"; });
  EXPECT_EQ(nowhere.callers(), 1u);
  begun = {};
  EXPECT_EQ(token.use_count(), 1);
  EXPECT_EQ(nowhere.callers(), 0u);
}

// A socket that connects, and blocks.
class plain_socket {
public:
  explicit plain_socket(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    const sockaddr_in to = loopback(port);
    EXPECT_EQ(connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  }
  plain_socket(const plain_socket&) = delete;
  plain_socket& operator=(const plain_socket&) = delete;
  ~plain_socket() { ::close(fd_); }
  [[nodiscard]] int fd() const { return fd_; }
  // How many bytes come first; 0 at the end of the stream.
  [[nodiscard]] ssize_t read() const {
    std::array<char, 65536> room{};
    return ::read(fd_, room.data(), room.size());
  }

private:
  int fd_;
};

std::shared_ptr<byte_stream> accepted(tcp_listener& by) {
  std::promise<stream_result> came;
  const pending begun = by.accept([&came](stream_result s) { came.set_value(std::move(s)); });
  return *came.get_future().get();
}

// Returns when the thread of `threads` has done what was there to do: a second time for what the
// first has found.
void let_it_work(io_threads& threads) {
  for (int i = 0; i < 2; ++i) {
    std::latch done{1};
    net::post(context_of(threads), [&] { done.count_down(); });
    done.wait();
  }
}

struct accepts {
  tcp_listener* at;
  task<void> operator()(tactor::context& ctx) const { (void)co_await at->accept(ctx); }
};

// spec: A8
TEST(tcp_cancel, a_pending_accept_ends_with_its_actor_and_takes_no_connection) {
  for (const ending how : endings) {
    world w;
    auto listener = *tcp_listener::listen(w.threads, "127.0.0.1", 0);
    w.ends<accepts>(how, [](bool) {}, &listener);
    const plain_socket peer{listener.port()};
    let_it_work(w.threads);                  // an accept that is still pending would take it
    const auto stream = accepted(listener);  // by the next, which is the first
    EXPECT_TRUE(stream->write("x").has_value());
    EXPECT_EQ(peer.read(), 1);
    stream->close();
  }
}

// spec: A8
TEST(tcp_cancel, an_accept_replaces_the_one_before_which_cannot_cancel_it) {
  io_threads threads{1};
  auto listener = *tcp_listener::listen(threads, "127.0.0.1", 0);
  const auto token = std::make_shared<int>(0);
  pending first = listener.accept([token](const stream_result&) { FAIL() << "it was replaced"; });
  std::promise<stream_result> came;
  const pending second =
      listener.accept([&came](stream_result s) { came.set_value(std::move(s)); });
  EXPECT_EQ(token.use_count(), 1);
  first = {};
  const plain_socket peer{listener.port()};
  (*came.get_future().get())->close();
  EXPECT_EQ(peer.read(), 0);
}

// spec: A8
TEST(tcp_cancel, a_listener_that_is_destroyed_does_not_call_back) {
  io_threads threads{1};
  const auto token = std::make_shared<int>(0);
  pending begun;
  {
    auto listener = *tcp_listener::listen(threads, "127.0.0.1", 0);
    begun = listener.accept([token](const stream_result&) { FAIL() << "the listener is gone"; });
  }
  EXPECT_EQ(token.use_count(), 1);
}

// Uses a connection that it owns.
template <auto How>
struct uses {
  explicit uses(const std::shared_ptr<byte_stream>& stream) : peer(stream) {}
  connection peer;
  task<void> operator()(tactor::context& ctx) { return How(ctx, peer); }
};
task<void> reads(tactor::context& ctx, connection& peer) {
  (void)co_await peer.read(ctx, 1h);
}
task<void> flushes(tactor::context& ctx, connection& peer) {
  const std::string much(64u << 20, 'x');  // more than the sockets take
  EXPECT_TRUE(peer.write(much).has_value());
  (void)co_await peer.flush(ctx, 1h);
}
task<void> finishes(tactor::context& ctx, connection& peer) {
  (void)co_await peer.finish(ctx, 1h);
}

template <auto How>
void ends_with_its_actor() {
  for (const ending how : endings) {
    world w;
    auto listener = *tcp_listener::listen(w.threads, "127.0.0.1", 0);
    const plain_socket peer{listener.port()};
    auto stream = accepted(listener);
    const std::weak_ptr<byte_stream> seen = stream;
    w.ends<uses<How>>(
        how,
        [&](bool ended) {
          EXPECT_TRUE(!ended || stream->write("x").error() == write_error::closed);
        },
        stream);
    stream = nullptr;
    while (peer.read() > 0) {
    }
    while (!seen.expired()) {  // the thread of Asio drops it when it sees the end
    }
  }
}
// spec: A8
TEST(tcp_cancel, a_pending_read_ends_with_its_actor) {
  ends_with_its_actor<reads>();
}
// spec: A8
TEST(tcp_cancel, a_pending_flush_ends_with_its_actor) {
  ends_with_its_actor<flushes>();
}
// spec: A8
TEST(tcp_cancel, a_pending_finish_ends_with_its_actor) {
  ends_with_its_actor<finishes>();
}

// A timer of Asio, which a coroutine has begun; touched only where its executor runs.
class cancelled_timer {
public:
  explicit cancelled_timer(io_threads& on)
      : timer_(std::make_shared<net::steady_timer>(context_of(on))) {}
  cancelled_timer(const cancelled_timer&) = delete;
  cancelled_timer& operator=(const cancelled_timer&) = delete;
  ~cancelled_timer() {
    net::post(timer_->get_executor(), [timer = timer_] { timer->cancel(); });
  }
  void begin(completion<net_error> done) const {
    net::post(timer_->get_executor(), [timer = timer_, done = std::move(done)]() mutable {
      timer->expires_after(1h);
      timer->async_wait([timer, done = std::move(done)](net_error error) mutable { done(error); });
    });
  }

private:
  std::shared_ptr<net::steady_timer> timer_;
};
struct sleeps {
  io_threads* on;
  task<void> operator()(tactor::context& ctx) const {
    const cancelled_timer timer{*on};
    (void)co_await ctx.completes<net_error>(
        [&timer](completion<net_error> done) { timer.begin(std::move(done)); });
  }
};

// spec: A8 A3
TEST(tcp_cancel, what_a_coroutine_has_begun_itself_ends_with_its_variables) {
  for (const ending how : endings) {
    world w;
    w.ends<sleeps>(how, [](bool) {}, &w.threads);
    w.threads.with().work.reset();
    for (std::thread& each : w.threads.with().threads)
      each.join();  // nothing is pending
    w.threads.with().threads.clear();
  }
}

}  // namespace
}  // namespace tactor::io
