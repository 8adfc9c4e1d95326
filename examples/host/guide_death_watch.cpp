// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/08-death-watch.md; check_snippets.py compares the two.
#include "tactor/testkit.hpp"

#include "expect.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <expected>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using tactor::testkit::simulation;

namespace {

struct job {
  int number;
};
struct news {
  std::string text;
};

class worker : public tactor::actor<job> {
public:
  std::expected<void, tactor::failure> receive(context&, job j) {
    if (j.number < 0) return std::unexpected{tactor::failure{"no such job"}};
    return {};
  }
};

class foreman : public tactor::actor<> {
public:
  foreman(tactor::actor_ref<> whom, tactor::actor_ref<news> board) : whom_(whom), board_(board) {}

  void pre_start(context& ctx) { (void)ctx.watch(whom_, *this); }
  void receive(context&, const tactor::terminated& t) {
    board_.tell(news{t.who == whom_ ? "my worker is gone" : "another actor is gone"});
  }

private:
  tactor::actor_ref<> whom_;
  tactor::actor_ref<news> board_;
};

void shortest() {
  simulation system;
  auto board = system.spawn_probe<news>("board");
  const auto hand = system.spawn<worker>("worker");
  const auto boss = system.spawn<foreman>("foreman", hand, board.ref());
  system.run_to_idle();

  system.stop(hand);
  expect(board.expect<news>().text == "my worker is gone", "notified once");
  board.expect_no_message(1h);

  system.spawn<foreman>("late", hand, board.ref());
  expect(board.expect<news>().text == "my worker is gone",
         "watching an actor that is gone notifies at once");
  expect(static_cast<bool>(boss), "watching has no other effect on the watcher");
}

void restarts_are_no_deaths() {
  simulation system;
  auto board = system.spawn_probe<news>("board");
  const auto hand =
      system.spawn<worker>({.name = "worker", .on_failure = tactor::restart{.max_restarts = 1}});
  system.spawn<foreman>("foreman", hand, board.ref());
  hand.tell(job{-1});
  board.expect_no_message();
  hand.tell(job{-1});
  expect(board.expect<news>().text == "my worker is gone", "the second failure was its end");
}

struct lost {
  std::size_t place;
};
struct how_many {
  using reply = std::size_t;
};

/// Keeps four workers: replaces each worker that ends.
class crew : public tactor::actor<lost, how_many> {
public:
  void pre_start(context& ctx) {
    for (std::size_t place = 0; place < 4; ++place)
      hire(ctx, place);
  }
  void receive(context& ctx, lost l) {
    ++replaced_;
    hire(ctx, l.place);
  }
  std::size_t receive(context&, how_many) { return replaced_; }

private:
  void hire(context& ctx, std::size_t place) {
    workers_[place] = ctx.spawn<worker>("worker");
    (void)ctx.watch(workers_[place], lost{place});
  }

  std::vector<tactor::actor_ref<job>> workers_ = std::vector<tactor::actor_ref<job>>(4);
  std::size_t replaced_ = 0;
};

void own_message() {
  simulation system;
  const auto boss = system.spawn<crew>("crew");
  system.run_to_idle();
  system.stop(system.find<job>("crew/worker-2"));
  system.stop(system.find<job>("crew/worker-3"));
  expect(system.ask(boss, how_many{}, 1s).get() == 2, "two were replaced");
  expect(system.live() == 5, "there are four again, and their keeper");
}

struct begin {};
struct leave {
  tactor::actor_ref<> whom;
};

class visitor : public tactor::actor<leave> {
public:
  visitor(tactor::actor_ref<> whom, int* told) : whom_(whom), told_(told) {}

  void pre_start(context& ctx) {
    (void)ctx.watch(whom_, *this);
    (void)ctx.watch(whom_, *this);  // watching twice is watching once
  }
  void receive(context& ctx, leave l) { still_ = ctx.unwatch(l.whom); }
  void receive(context&, const tactor::terminated&) { ++*told_; }

private:
  tactor::actor_ref<> whom_;
  int* told_;
  bool still_ = true;
};

void losing_interest() {
  int told = 0;
  simulation system;
  const auto hand = system.spawn<worker>("worker");
  const auto who = system.spawn<visitor>("visitor", hand, &told);
  who.tell(leave{hand});
  system.run_to_idle();
  system.stop(hand);
  system.run_for(1s);
  expect(told == 0, "no terminated after unwatch");
}

/// Watching oneself is an error.
class narcissus : public tactor::actor<begin> {
public:
  explicit narcissus(std::string* said) : said_(said) {}

  void receive(context& ctx, begin) {
    if (const auto watched = ctx.watch(ctx.self(), *this); !watched)
      *said_ = to_text(watched.error());
  }
  void receive(context&, const tactor::terminated&) {}

private:
  std::string* said_;
};

void mistakes() {
  std::string said;
  simulation system;
  const auto who = system.spawn<narcissus>("narcissus", &said);
  who.tell(begin{});
  system.run_to_idle();
  std::printf("       %s\n", said.c_str());
  expect(said.starts_with("an actor cannot watch itself"), "the error says what to do");
}

}  // namespace

int main() {
  shortest();
  restarts_are_no_deaths();
  own_message();
  losing_interest();
  mistakes();
  return failures == 0 ? 0 : 1;
}
