// SPDX-License-Identifier: BSL-1.0
// The code of docs/guide/02-testing-without-sleeping.md; check_snippets.py compares the two.
#include "tactor/testkit.hpp"

#include "expect.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <set>
#include <string>
#include <utility>

using namespace std::chrono_literals;
using tactor::testkit::seed;
using tactor::testkit::simulation;

namespace {

struct touch {};
struct expired {
  int session;
};

/// Ends after half an hour without a message, and notifies its owner.
class session : public tactor::actor<touch, expired> {
public:
  session(int number, tactor::actor_ref<expired> owner) : number_(number), owner_(owner) {}

  void pre_start(context& ctx) { begin_again(ctx); }
  void receive(context& ctx, touch) { begin_again(ctx); }
  void receive(context& ctx, expired e) {
    owner_.tell(e);
    ctx.stop();
  }

private:
  void begin_again(context& ctx) {
    idle_ = tactor::scoped_cancellable{
        ctx.schedule_once(30min, ctx.self(), expired{number_}).value_or(tactor::cancellable{})};
  }

  int number_;
  tactor::actor_ref<expired> owner_;
  tactor::scoped_cancellable idle_;
};

void a_test() {
  simulation world;
  auto owner = world.spawn_probe<expired>("owner");
  const auto subject = world.spawn<session>("session", 7, owner.ref());

  world.run_for(29min);
  subject.tell(touch{});
  owner.expect_no_message(29min);
  expect(owner.expect<expired>(1min).session == 7, "half an hour after the touch");
  expect(world.live() == 1, "the session has ended; the probe is left");
}

struct quote {
  std::string item;
  using reply = int;
};
struct note {
  int number;
};

class customer : public tactor::actor<note> {
public:
  explicit customer(tactor::actor_ref<quote, note> shop) : shop_(shop) {}

  void receive(context&, note n) {
    shop_.tell(n);
    shop_.tell(quote{"tea"});
  }

private:
  tactor::actor_ref<quote, note> shop_;
};

void probes() {
  simulation world;
  auto shop = world.spawn_probe<quote, note>("shop");
  const auto buyer = world.spawn<customer>("customer", shop.ref());

  buyer.tell(note{1});
  expect(shop.expect<note>().number == 1, "the next message, which must be a note");
  expect(shop.sender() == buyer, "its sender");
  expect(shop.expect<quote>().item == "tea", "in the order in which they were sent");

  buyer.tell(note{2});
  buyer.tell(note{3});
  const note third = shop.fish<note>([](const note& n) { return n.number == 3; });
  expect(third.number == 3, "the first note like this; others are discarded");
  expect(shop.expect<quote>().item == "tea" && shop.waiting() == 0, "nothing else came");

  auto answer = world.ask(shop.ref(), quote{"milk"}, 1s);
  (void)shop.expect<quote>();
  shop.reply<quote>(3);
  expect(std::move(answer).get() == 3, "the test answers");
}

void an_unmet_expectation() {
  simulation world{seed{42}};
  auto shop = world.spawn_probe<quote, note>("shop");
  shop.ref().tell(note{1});
  try {
    (void)shop.expect<quote>();
  } catch (const std::exception& unmet) {
    std::puts(unmet.what());
  }
}

void running() {
  simulation world;
  int runs = 0;
  const auto counter = world.spawn("counter", [&](tactor::context&, note) { ++runs; });
  const auto beat = world.schedule_at_fixed_rate(10ms, 10ms, counter, note{0});
  expect(beat.has_value(), "scheduled");

  world.run_to_idle();  // no time passes
  expect(runs == 0, "nothing is due");
  world.run_for(1s);
  expect(runs == 100, "a hundred times");
  const bool done = world.run_until([&] { return runs == 150; }, 1min);
  expect(done && world.clock().now().ticks == 1'500'000'000, "half a second later");
  world.clock().jump(1s);  // a pause without polls
  expect(runs == 151, "the hundred missed runs came as one message");
}

struct value {
  int number;
};
struct read {
  tactor::actor_ref<value> to;
};
struct write {
  int number;
};

class store : public tactor::actor<read, write> {
public:
  explicit store(int* shown) : shown_(shown) {}
  void receive(context&, read r) { r.to.tell(value{*shown_}); }
  void receive(context&, write w) { *shown_ = w.number; }

private:
  int* shown_;
};

/// Adds one to what is in the store. Or so it was meant.
class adder : public tactor::actor<value> {
public:
  explicit adder(tactor::actor_ref<read, write> where) : where_(where) {}

  void pre_start(context& ctx) { where_.tell(read{ctx.self()}); }
  void receive(context& ctx, value v) {
    where_.tell(write{v.number + 1});
    ctx.stop();
  }

private:
  tactor::actor_ref<read, write> where_;
};

int sum_of_two(seed from) {
  simulation world{from};
  int sum = 0;
  const auto where = world.spawn<store>("store", &sum);
  world.spawn<adder>("first", where);
  world.spawn<adder>("second", where);
  world.run_to_idle();
  return sum;
}

void seeds() {
  std::uint64_t failing = 0;
  for (std::uint64_t each = 1; each <= 100 && failing == 0; ++each)
    if (sum_of_two(seed{each}) != 2) failing = each;
  std::printf("1 + 1 is not 2 with seed %llu\n", static_cast<unsigned long long>(failing));
  expect(sum_of_two(seed{failing}) == 1, "the same seed, the same run");
}

void all_seeds_differ() {
  std::set<int> sums;
  for (std::uint64_t each = 1; each <= 100; ++each)
    sums.insert(sum_of_two(seed{each}));
  expect(sums == std::set{1, 2}, "some seeds find the mistake, others do not");
}

void nothing_is_lost() {
  simulation world{seed{7}};
  const auto slow =
      world.spawn({.name = "slow", .mailbox = {.capacity = 10}}, [](tactor::context&, note) {});
  for (int i = 0; i < 100; ++i)
    slow.tell(note{i});
  world.run_to_idle();
  const auto counted = world.metrics();
  expect(counted.messages_handled == 10, "ten were handled");
  expect(counted.dead_letters_for(tactor::drop_reason::full) == 90, "ninety found it full");
}

}  // namespace

int main() {
  a_test();
  probes();
  an_unmet_expectation();
  running();
  seeds();
  all_seeds_differ();
  nothing_is_lost();
  return failures == 0 ? 0 : 1;
}
