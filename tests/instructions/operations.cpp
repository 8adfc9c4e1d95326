// SPDX-License-Identifier: BSL-1.0
// One worker does one thing COUNT times: an actor is spawned, gets a message and stops; an actor
// asks another, with a continuation or in a coroutine; or an actor handles a message of a mailbox
// that blocks its producers, while none waits.
//
//     operation_instructions spawn|ask|await|lossless COUNT
#include "tactor/coroutine.hpp"
#include "tactor/host.hpp"
#include "tactor/testkit.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <latch>
#include <optional>
#include <string_view>

namespace {

struct go {};
struct ball {
  std::uint64_t value;
};
struct query {
  std::uint64_t value;
  using reply = std::uint64_t;
};

class child : public tactor::actor<ball> {
public:
  explicit child(std::latch* done) : done_(done) {}
  void receive(tactor::context& ctx, const ball&) { ctx.stop(); }
  void post_stop(tactor::context&) { done_->count_down(); }

private:
  std::latch* done_;
};
class parent : public tactor::actor<go> {
public:
  parent(std::uint64_t count, std::latch* done) : left_(count), done_(done) {}
  void receive(context& ctx, go) {
    ctx.spawn<child>("", done_).tell(ball{1});
    if (--left_ > 0) ctx.self().tell(go{});
  }

private:
  std::uint64_t left_;
  std::latch* done_;
};

class answerer : public tactor::actor<query> {
public:
  std::uint64_t receive(tactor::context&, const query& q) { return q.value + 1; }
};
class asker : public tactor::actor<go> {
public:
  asker(std::uint64_t count, std::latch* done) : left_(count), done_(done) {}
  void pre_start(tactor::context& ctx) { other_ = ctx.spawn<answerer>(""); }
  void receive(tactor::context& ctx, go) { ask(ctx); }

private:
  void ask(tactor::context& ctx) {
    ctx.ask(other_, query{left_}, std::chrono::seconds{10},
            [this](tactor::context& again, std::expected<std::uint64_t, tactor::ask_error> answer) {
              if (!answer || *answer != left_ + 1) std::abort();
              done_->count_down();
              if (--left_ > 0) ask(again);
            });
  }

  std::uint64_t left_;
  std::latch* done_;
  tactor::actor_ref<query> other_;
};
class awaiter : public tactor::actor<go> {
public:
  awaiter(std::uint64_t count, std::latch* done) : count_(count), done_(done) {}
  void pre_start(tactor::context& ctx) { other_ = ctx.spawn<answerer>(""); }
  tactor::task<void> receive(tactor::context& ctx, go) {
    for (std::uint64_t i = 0; i < count_; ++i) {
      const auto answer = co_await ctx.ask<query>(other_, std::chrono::seconds{10}, i);
      if (!answer || *answer != i + 1) std::abort();
      done_->count_down();
    }
  }

private:
  std::uint64_t count_;
  std::latch* done_;
  tactor::actor_ref<query> other_;
};

class lossless : public tactor::actor<go> {
public:
  lossless(std::uint64_t count, std::latch* done) : left_(count), done_(done) {}
  void receive(context& ctx, go) {
    done_->count_down();
    if (--left_ > 0) ctx.self().tell(go{});
  }

private:
  std::uint64_t left_;
  std::latch* done_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto count = std::strtoull(argv[2], nullptr, 10);
  std::latch done{static_cast<std::ptrdiff_t>(count)};  // it outlives the system
  const tactor::testkit::manual_clock clock;  // a reading takes the same whatever the load is
  tactor::actor_system system{{.workers = 1,
                               .clock = {.source = &clock, .use = tactor::clock_use::test},
                               .dispatch = {.blocked_after = std::nullopt},  // nothing by the clock
                               .metrics = {.level = tactor::metrics_level::off}}};
  if (argv[1] == std::string_view{"spawn"}) {
    system.spawn<parent>("parent", count, &done).tell(go{});
  } else if (argv[1] == std::string_view{"lossless"}) {
    system.spawn<lossless>({.mailbox = tactor::mailbox_presets::lossless(8)}, count, &done)
        .tell(go{});
  } else if (argv[1] == std::string_view{"await"}) {
    system.spawn<awaiter>("awaiter", count, &done).tell(go{});
  } else {
    system.spawn<asker>("asker", count, &done).tell(go{});
  }
  done.wait();
}
