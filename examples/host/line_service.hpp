// SPDX-License-Identifier: BSL-1.0
#pragma once

// The actors of line_service.cpp: a store, a connection, and the service that accepts connections.

#include "tactor/asio/asio.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <utility>

struct service_counts {
  std::atomic<std::uint64_t> connections = 0;
  std::atomic<std::uint64_t> accepted = 0;  // commands
};

struct command {
  std::string line;
  using reply = std::string;
};
struct begin {};
struct finish {};
struct came {
  tactor::io::stream_result peer;
};

/// Holds what was set.
class key_store : public tactor::actor<command> {
public:
  std::string receive(context&, const command& c) {
    const auto [word, rest] = split(c.line);
    const auto [key, value] = split(rest);
    if (word == "set") values_[key] = value;
    if (word == "add")
      values_[key] = std::to_string(std::atol(values_[key].c_str()) + std::atol(value.c_str()));
    if (word != "set" && word != "add" && word != "get") return "unknown command";
    return values_.contains(key) ? values_[key] : "none";
  }

private:
  static std::pair<std::string, std::string> split(const std::string& text) {
    const std::size_t space = text.find(' ');
    if (space == std::string::npos) return {text, {}};
    return {text.substr(0, space), text.substr(space + 1)};
  }

  std::map<std::string, std::string> values_;
};

/// One connection: reads a command, asks the store, writes the answer.
class line_peer : public tactor::actor<begin, finish> {
public:
  line_peer(std::shared_ptr<tactor::io::byte_stream> peer, tactor::actor_ref<command> store,
            service_counts* counts)
      : peer_(std::move(peer)), store_(store), counts_(counts) {}

  tactor::reentrant_task<void> receive(context& ctx, begin) {
    using namespace std::chrono_literals;
    while (const auto line = co_await peer_.read_line(ctx, 60s)) {
      counts_->accepted.fetch_add(1);
      const auto answer = co_await ctx.ask<command>(store_, 10s, *line);
      const std::string text = (answer ? *answer : "no answer") + "\n";
      while (!peer_.write(text)) {  // the peer reads too slowly
        if (!co_await peer_.flush(ctx, 60s)) co_return ctx.stop();
      }
    }
    (void)co_await peer_.finish(ctx, 10s);
    ctx.stop();
  }
  void receive(context&, finish) { peer_.stop_reading(); }

private:
  tactor::io::connection peer_;
  tactor::actor_ref<command> store_;
  service_counts* counts_;
};

/// Accepts connections, and ends gracefully.
class line_service : public tactor::actor<came, finish> {
public:
  line_service(tactor::actor_ref<command> store, std::shared_ptr<tactor::io::tcp_listener> at,
               service_counts* counts)
      : store_(store), listener_(std::move(at)), counts_(counts) {}

  void pre_start(context& ctx) { accept_next(ctx); }
  void receive(context& ctx, const came& c) {
    if (finishing_) return;
    if (c.peer) {
      counts_->connections.fetch_add(1);
      ctx.spawn<line_peer>("", *c.peer, store_, counts_).tell(begin{});
    }
    accept_next(ctx);
  }
  void receive(context& ctx, finish) {
    finishing_ = true;
    listener_->close();
    for (const auto& each : ctx.children<finish>())
      each.tell(finish{});
  }

private:
  void accept_next(context& ctx) {
    accepting_ = listener_->accept(tactor::to_actor(
        ctx.self(), [](tactor::io::stream_result peer) { return came{std::move(peer)}; }));
  }

  tactor::actor_ref<command> store_;
  std::shared_ptr<tactor::io::tcp_listener> listener_;
  tactor::io::pending accepting_;
  service_counts* counts_;
  bool finishing_ = false;
};
