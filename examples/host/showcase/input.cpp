// SPDX-License-Identifier: BSL-1.0
#include "showcase/input.hpp"

#include <cstdint>
#include <string>

#ifdef SHOWCASE_HAS_ASIO
#include "tactor/asio/asio.hpp"
#include "tactor/patterns/patterns.hpp"

#include "screen/text.hpp"
#include "showcase/actors.hpp"

#include <charconv>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>
#endif

namespace showcase {

#ifdef SHOWCASE_HAS_ASIO

namespace {

using namespace std::chrono_literals;

/// A client has connected, or the listener was closed.
struct client_came {
  tactor::io::stream_result stream;
};
struct serve {};
/// A reading for the gateway.
struct submit {
  raw_reading what;
  using reply = bool;
};

/// "3 21.50": a device from 1 on, and what it measured, which only the parser understands.
bool understand(std::string_view line, raw_reading& to) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), to.device);
  const auto length = static_cast<std::size_t>(end - line.data());
  if (error != std::errc{} || length + 1 >= line.size() || *end != ' ') return false;
  to.text = line.substr(length + 1);
  if (to.device < 1 || to.device > devices) return false;
  --to.device;
  return true;
}

/// One connection. It reads the next line when the previous line was passed on. Each result that
/// its coroutine awaits arrives as a message, and is counted.
class client : public tactor::actor<serve, retire> {
public:
  client(ledger* book, std::shared_ptr<tactor::io::byte_stream> stream,
         tactor::actor_ref<submit> to)
      : book_(book), peer_(std::move(stream)), to_(to) {}

  tactor::reentrant_task<void> receive(context& ctx, serve) {
    bool lives = true;
    while (lives && unread_.size() <= longest) {
      const auto more = co_await peer_.read(ctx, 60s);
      count(book_->by_actors);
      if (!more) break;
      unread_ += *more;
      std::size_t begin = 0;
      for (std::size_t end = 0; lives && (end = unread_.find('\n', begin)) != std::string::npos;
           begin = end + 1)
        lives = co_await take(ctx, unread_.substr(begin, end - begin));
      unread_.erase(0, begin);
    }
    (void)co_await peer_.finish(ctx, 1s);
    count(book_->by_actors);
    ctx.stop();
  }
  void receive(context&, retire) { peer_.stop_reading(); }

private:
  static constexpr std::size_t longest = 64;

  /// Returns: whether the client takes its answer.
  tactor::task<bool> take(tactor::context& ctx, std::string line) {
    count(book_->lines);
    const char* answer = "ok\n";
    if (raw_reading what{}; understand(line, what)) {
      count(book_->by_actors);
      const auto taken = co_await ctx.ask<submit>(to_, 30s, std::move(what));
      count(book_->by_actors);
      if (!taken) answer = "not taken\n";
    } else {
      count(book_->bad_lines);
      answer = "a line is a device from 1 to 12, a space, and what it measured\n";
    }
    while (!peer_.write(answer)) {
      const auto written = co_await peer_.flush(ctx, 10s);
      count(book_->by_actors);
      if (!written) co_return false;
    }
    co_return true;
  }

  ledger* book_;
  tactor::io::connection peer_;
  tactor::actor_ref<submit> to_;
  std::string unread_;
};

/// Accepts clients, and passes on what they send, no faster than its limit: above it the actor is
/// suspended, and the clients wait.
class listener : public tactor::actor<client_came, submit, retire> {
public:
  listener(ledger* book, tactor::actor_ref<raw_reading> to,
           std::shared_ptr<tactor::io::tcp_listener> at)
      : book_(book), to_(to), at_(std::move(at)) {}

  void pre_start(context& ctx) { accept(ctx); }
  void receive(context& ctx, const client_came& came) {
    count(book_->by_actors);  // by Asio
    accepting_ = false;
    if (came.stream) {
      count(book_->clients);
      const auto fresh = ctx.spawn<client>("client", book_, *came.stream, ctx.self());
      (void)ctx.watch(fresh, *this);
      clients_.push_back(fresh);
      post(*book_, fresh, serve{});
      if (closing_) post(*book_, fresh, retire{});
    }
    if (!closing_) accept(ctx);
    stop_if_done(ctx);
  }
  bool receive(context& ctx, const submit& from) {
    post(*book_, to_, from.what);
    (void)limit_.take(ctx);
    return true;
  }
  void receive(context& ctx, retire) {
    closing_ = true;
    at_->close();
    for (const auto& each : clients_)
      post(*book_, each, retire{});
    stop_if_done(ctx);
  }
  void receive(context& ctx, const tactor::terminated& gone) {
    std::erase_if(clients_, [&](const client::ref& each) { return each == gone.who; });
    stop_if_done(ctx);
  }

private:
  void accept(context& ctx) {
    accepting_ = true;
    next_ = at_->accept(tactor::to_actor(ctx.self(), [](tactor::io::stream_result stream) {
      return client_came{std::move(stream)};
    }));
  }
  void stop_if_done(context& ctx) const {
    if (closing_ && !accepting_ && clients_.empty()) ctx.stop();
  }

  ledger* book_;
  tactor::actor_ref<raw_reading> to_;
  std::shared_ptr<tactor::io::tcp_listener> at_;
  tactor::io::pending next_;
  std::vector<client::ref> clients_;
  tactor::patterns::rate_limiter limit_{{.tokens = 2000, .per = 1s, .burst = 200}};
  bool accepting_ = false;
  bool closing_ = false;
};

}  // namespace

struct tcp_input::parts {
  tactor::io::io_threads threads;
  listener::ref front;
};

tcp_input::tcp_input() : parts_(std::make_unique<parts>()) {}

void tcp_input::open(const tactor::actor_system& system, ledger& book,
                     tactor::actor_ref<raw_reading> to, std::uint16_t port) {
  auto acceptor = tactor::io::tcp_listener::listen(parts_->threads, "127.0.0.1", port);
  if (!acceptor) {
    address_ = "none: " + acceptor.error().message();
    return;
  }
  address_ = text("127.0.0.1:%u", static_cast<unsigned>(acceptor->port()));
  const auto kept = std::make_shared<tactor::io::tcp_listener>(std::move(*acceptor));
  parts_->front = system.spawn<listener>("input", &book, to, kept);
}

void tcp_input::close(ledger& book) {
  if (parts_->front) post(book, parts_->front, retire{});
}

#else

struct tcp_input::parts {};
tcp_input::tcp_input() = default;
void tcp_input::open(const tactor::actor_system&, ledger&, tactor::actor_ref<raw_reading>,
                     std::uint16_t) {
  address_ = "none: tactor was built without Asio";
}
void tcp_input::close(ledger&) {}

#endif

tcp_input::~tcp_input() = default;

}  // namespace showcase
