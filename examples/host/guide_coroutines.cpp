// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/13-coroutines.md; check_snippets.py compares the two.
#include "tactor/coroutine.hpp"
#include "tactor/testkit.hpp"

#include "expect.hpp"

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <utility>

using namespace std::chrono_literals;
using tactor::testkit::simulation;

namespace {

struct quote {
  std::string item;
  using reply = int;
};
struct order {
  std::string item;
  using reply = std::string;
};

class shop : public tactor::actor<order> {
public:
  explicit shop(tactor::actor_ref<quote> prices) : prices_(prices) {}

  tactor::task<std::string> receive(context& ctx, order o) {
    const auto price = co_await ctx.ask<quote>(prices_, 200ms, o.item);
    if (!price) co_return "sold out";
    co_await pack(ctx, *price);
    co_return std::to_string(*price);
  }

private:
  tactor::task<void> pack(tactor::context& ctx, int units) {
    if (units > 1000) co_await ctx.fail("absurd price");
    co_await ctx.sleep(units * 1ms);
  }

  tactor::actor_ref<quote> prices_;
};

struct basket {
  std::string first;
  std::string second;
  using reply = int;
};

class cashier : public tactor::actor<basket> {
public:
  explicit cashier(tactor::actor_ref<quote> prices) : prices_(prices) {}

  tactor::task<int> receive(context& ctx, basket b) {
    const auto [first, second] = co_await tactor::all_of(price(ctx, b.first), price(ctx, b.second));
    co_return first + second;
  }

private:
  tactor::task<int> price(tactor::context& ctx, std::string item) {
    const auto said = co_await ctx.ask<quote>(prices_, 200ms, item);
    co_return said ? *said : 0;
  }

  tactor::actor_ref<quote> prices_;
};

class front_desk : public tactor::actor<order> {
public:
  explicit front_desk(tactor::actor_ref<quote> prices) : prices_(prices) {}

  tactor::reentrant_task<std::string> receive(context& ctx, order o) {
    const auto price = co_await ctx.ask<quote>(prices_, 200ms, o.item);
    co_return price ? std::to_string(*price) : "sold out";
  }

private:
  tactor::actor_ref<quote> prices_;
};

std::string read_file(const std::string& path) {
  return "content of " + path;
}

struct show {
  std::string path;
  using reply = std::string;
};

class viewer : public tactor::actor<show> {
public:
  tactor::task<std::string> receive(context& ctx, show s) {
    const auto text = co_await ctx.run_blocking(read_file, s.path);
    co_return text ? *text : std::string{text.error().text()};
  }
};

// Stands for a library that calls back.
struct device {
  std::optional<tactor::completion<int>> waiting;
  void read(tactor::completion<int> done) { waiting.emplace(std::move(done)); }
};

struct measure {
  using reply = int;
};

class sensor : public tactor::actor<measure> {
public:
  explicit sensor(device* from) : device_(from) {}

  tactor::task<int> receive(context& ctx, measure) {
    const auto value = co_await ctx.completes<int>(
        100ms, [&](tactor::completion<int> done) { device_->read(std::move(done)); });
    co_return value.value_or(-1);
  }

private:
  device* device_;
};

void from_elsewhere() {
  device thermometer;
  simulation world;
  const auto screen = world.spawn<viewer>("viewer");
  expect(world.ask(screen, show{"a.txt"}, 1s).get() == "content of a.txt", "a call that may block");

  const auto probe = world.spawn<sensor>("sensor", &thermometer);
  auto value = world.ask(probe, measure{}, 1s);
  world.run_to_idle();
  (*thermometer.waiting)(21);
  expect(std::move(value).get() == 21, "a result of another library");
  expect(world.ask(probe, measure{}, 1s).get() == -1, "which has a timeout");
}

void several_at_once() {
  simulation world;
  auto prices = world.spawn_probe<quote>("prices");
  const auto till = world.spawn<cashier>("cashier", prices.ref());
  auto sum = world.ask(till, basket{"tea", "milk"}, 1s);
  (void)prices.expect<quote>();
  prices.reply<quote>(3);
  (void)prices.expect<quote>();
  prices.reply<quote>(4);
  expect(std::move(sum).get() == 7, "two asks under way at once");

  const auto desk = world.spawn<front_desk>("desk", prices.ref());
  auto tea = world.ask(desk, order{"tea"}, 1s);
  auto milk = world.ask(desk, order{"milk"}, 1s);
  expect(prices.expect<quote>().item == "tea", "the first ask");
  expect(prices.expect<quote>().item == "milk", "the second, without an answer to the first");
  expect(std::move(tea).get() == "sold out" && std::move(milk).get() == "sold out", "both end");
}

void asks_and_sleeps() {
  simulation world;
  auto prices = world.spawn_probe<quote>("prices");
  const auto desk = world.spawn<shop>("shop", prices.ref());

  auto answer = world.ask(desk, order{"tea"}, 1s);
  expect(prices.expect<quote>().item == "tea", "the coroutine asks");
  prices.reply<quote>(30);
  expect(!answer.ready(), "and packs");
  expect(std::move(answer).get() == "30", "then answers");

  auto late = world.ask(desk, order{"milk"}, 1s);
  world.run_for(250ms);
  expect(std::move(late).get() == "sold out", "an ask in a coroutine has its timeout");
}

void fails() {
  simulation world;
  auto prices = world.spawn_probe<quote>("prices");
  const auto desk =
      world.spawn<shop>({.name = "shop", .on_failure = tactor::restart{}}, prices.ref());
  auto answer = world.ask(desk, order{"pearls"}, 1s);
  (void)prices.expect<quote>();
  prices.reply<quote>(5000);
  expect(std::move(answer).get().error().kind == tactor::ask_failure::target_failed,
         "a failure in a helper is the actor's");
}

}  // namespace

int main() {
  asks_and_sleeps();
  from_elsewhere();
  several_at_once();
  fails();
  return failures == 0 ? 0 : 1;
}
