// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/05-asking.md; check_snippets.py compares the two.
#include "tactor/host/future.hpp"
#include "tactor/testkit.hpp"

#include "expect.hpp"

#include <chrono>
#include <expected>
#include <future>
#include <latch>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace {

struct quote {
  std::string item;
  using reply = int;
};
struct order {
  std::string item;
  using reply = std::string;
};
struct refresh {};

class pricing : public tactor::actor<quote> {
public:
  int receive(context&, const quote& q) { return static_cast<int>(q.item.size()); }
};

class shop : public tactor::actor<refresh> {
public:
  explicit shop(tactor::actor_ref<quote> prices) : prices_(prices) {}

  void receive(context& ctx, refresh) {
    ctx.ask(prices_, quote{"tea"}, 200ms, [this](std::expected<int, tactor::ask_error> price) {
      if (price) tea_ = *price;
    });
  }

private:
  tactor::actor_ref<quote> prices_;
  int tea_ = 0;
};

class clerk : public tactor::actor<order> {
public:
  explicit clerk(tactor::actor_ref<quote> prices) : prices_(prices) {}

  tactor::delegated<std::string> receive(context& ctx, const order& o) {
    auto answer = ctx.reply_later<std::string>();
    const auto promised = answer.as_delegated();
    ctx.ask<quote>(
        prices_, 200ms,
        [answer = std::move(answer)](auto price) mutable {
          answer.send(price ? std::to_string(*price) : "sold out");
        },
        o.item);
    return promised;
  }

private:
  tactor::actor_ref<quote> prices_;
};

class retrying : public tactor::actor<refresh> {
public:
  retrying(tactor::actor_ref<quote> prices, int* tries) : prices_(prices), tries_(tries) {}

  void receive(context& ctx, refresh) { try_again(ctx, 3); }

private:
  void try_again(context& ctx, int left) {
    ++*tries_;
    ctx.ask(prices_, quote{"tea"}, 100ms, [this, left](context& own, auto price) {
      if (!price && left > 1) try_again(own, left - 1);
    });
  }

  tactor::actor_ref<quote> prices_;
  int* tries_;
};

void inside() {
  tactor::testkit::simulation world;
  const auto prices = world.spawn<pricing>("prices");
  const auto front = world.spawn<shop>("shop", prices);
  front.tell(refresh{});
  const auto desk = world.spawn<clerk>("clerk", prices);
  const auto said = world.ask(desk, order{"tea"}, 1s).get();
  expect(said && *said == "3", "a handler replies when its own ask is answered");
}

void silence() {
  tactor::testkit::simulation world;
  auto prices = world.spawn_probe<quote>("prices");
  const auto desk = world.spawn<clerk>("clerk", prices.ref());
  auto answer = world.ask(desk, order{"tea"}, 1s);
  expect(prices.expect<quote>().item == "tea", "the clerk has asked");
  world.run_for(200ms);  // and no reply comes
  expect(std::move(answer).get() == "sold out", "the clerk answers after its timeout");
}

void retries() {
  tactor::testkit::simulation world;
  auto prices = world.spawn_probe<quote>("prices");
  int tries = 0;
  const auto who = world.spawn<retrying>("retrying", prices.ref(), &tries);
  who.tell(refresh{});
  world.run_for(1s);
  expect(tries == 3, "a continuation may ask again");
}

void outside() {
  tactor::testkit::simulation system;
  const auto prices = system.spawn<pricing>("prices");
  auto tea = system.ask(prices, quote{"tea"}, 1s);  // both are asked
  auto coffee = system.ask<quote>(prices, 1s, "coffee");
  const auto both = std::move(tea).get().value_or(0) + std::move(coffee).get().value_or(0);
  expect(both == 9, "two asks at once");
}

void callbacks() {
  tactor::testkit::simulation system;
  const auto prices = system.spawn<pricing>("prices");
  int tea_costs = 0;
  std::latch known{1};
  system.ask(prices, quote{"tea"}, 1s).then([&](std::expected<int, tactor::ask_error> price) {
    tea_costs = price.value_or(0);
    known.count_down();
  });
  system.run_to_idle();  // on an actor_system: known.wait()
  expect(known.try_wait() && tea_costs == 3, "a callback");

  std::future<std::expected<int, tactor::ask_error>> price =
      tactor::to_future(system.ask(prices, quote{"milk"}, 1s));
  system.run_to_idle();
  expect(price.get() == 4, "a future");
}

struct count_rows {
  std::shared_future<int> rows;
};
struct counted {
  int rows = 0;
};

class table : public tactor::actor<count_rows, counted> {
public:
  explicit table(int* rows) : rows_(rows) {}

  void receive(context& ctx, const count_rows& c) {
    ctx.pipe_to_self(c.rows, [](std::expected<int, tactor::failure> rows) {
      return counted{rows.value_or(-1)};
    });
  }
  void receive(context&, counted c) { *rows_ = c.rows; }

private:
  int* rows_;
};

// Stands for a library that calls back.
template <class Callback>
void call_back(Callback callback) {
  callback(7);
}

void futures_and_callbacks() {
  int rows = 0;
  tactor::testkit::simulation system;
  const auto who = system.spawn<table>("table", &rows);
  std::promise<int> query;
  who.tell(count_rows{query.get_future().share()});
  query.set_value(3);
  system.run_for(10ms);
  expect(rows == 3, "a future as a message");

  call_back(tactor::to_actor(who, [](int n) { return counted{n}; }));
  system.run_to_idle();
  expect(rows == 7, "a callback as a message");
}

}  // namespace

int main() {
  inside();
  silence();
  retries();
  outside();
  callbacks();
  futures_and_callbacks();
  return failures == 0 ? 0 : 1;
}
