// SPDX-License-Identifier: BSL-1.0
// The second part of the code of docs/guide/recipes.md; check_snippets.py compares the two.
#include "tactor/coroutine.hpp"
#include "tactor/patterns/patterns.hpp"
#include "tactor/testkit.hpp"

#include "expect.hpp"

#include <chrono>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using tactor::testkit::simulation;
namespace patterns = tactor::patterns;

namespace {

// Pipeline with backpressure.

struct item {
  int number = 0;
};

class stage : public tactor::actor<item> {
public:
  explicit stage(tactor::actor_ref<item> next) : next_(next) {}
  void receive(context&, item i) { next_.tell(item{i.number + 1}); }  // waits by itself

private:
  tactor::actor_ref<item> next_;
};

/// Handles one item every ten milliseconds.
class slow_end : public tactor::actor<item> {
public:
  explicit slow_end(std::vector<int>* done) : done_(done) {}
  void receive(context& ctx, item i) {
    done_->push_back(i.number);
    (void)ctx.suspend(tactor::suspend_reason::rate_limit, tactor::resume_after(10ms));
  }

private:
  std::vector<int>* done_;
};

struct produce {
  int count = 0;
};

class producer : public tactor::actor<produce> {
public:
  explicit producer(tactor::actor_ref<item> next) : next_(next) {}
  void receive(context& ctx, produce p) {
    next_.tell(item{});
    if (p.count > 1) ctx.self().tell(produce{p.count - 1});
  }

private:
  tactor::actor_ref<item> next_;
};

void pipeline() {
  std::vector<int> done;
  simulation world;
  const auto bounded = tactor::mailbox_presets::lossless(8);
  const auto last = world.spawn<slow_end>({.name = "last", .mailbox = bounded}, &done);
  const auto second = world.spawn<stage>({.name = "second", .mailbox = bounded}, last);
  const auto first = world.spawn<stage>({.name = "first", .mailbox = bounded}, second);
  world.spawn<producer>("producer", first).tell(produce{100});
  world.run_for(500ms);
  expect(done.size() >= 49 && done.size() <= 51, "as fast as the slowest stage");
  world.run_for(1s);
  expect(done == std::vector<int>(100, 2), "and nothing is lost");
}

// Request and response, with a pool of workers behind.

struct convert {
  std::string text;
  using reply = std::string;
};

class converter : public tactor::actor<convert> {
public:
  std::expected<std::string, tactor::failure> receive(context&, const convert& c) {
    if (c.text.empty()) return std::unexpected{tactor::failure{"nothing to convert"}};
    return "<" + c.text + ">";
  }
};

void worker_pool() {
  simulation world;
  const auto service = patterns::spawn_pool<converter>(world, {.name = "converters", .workers = 4},
                                                       patterns::least_queued{});
  expect(world.ask(service, convert{"tea"}, 1s).get() == "<tea>", "a worker has answered");
  const auto failed = world.ask(service, convert{}, 1s).get();
  expect(failed.error().kind == tactor::ask_failure::target_failed, "a failure is told at once");
}

// Aggregation of several asks.

struct price_of {
  std::string item;
  using reply = int;
};
struct cheapest {
  std::string item;
  using reply = std::optional<int>;
};

class comparison : public tactor::actor<cheapest> {
public:
  explicit comparison(std::vector<tactor::actor_ref<price_of>> shops) : shops_(std::move(shops)) {}

  tactor::delegated<std::optional<int>> receive(context& ctx, const cheapest& c) {
    auto all = std::make_shared<gathered>();
    all->answer = ctx.reply_later<std::optional<int>>();
    all->missing = shops_.size();
    for (const auto& shop : shops_) {
      ctx.ask(shop, price_of{c.item}, 200ms, [all](std::expected<int, tactor::ask_error> price) {
        if (price && (!all->best || *price < *all->best)) all->best = *price;
        if (--all->missing == 0) all->answer.send(all->best);
      });
    }
    return all->answer.as_delegated();
  }

private:
  struct gathered {
    tactor::reply_to<std::optional<int>> answer;
    std::optional<int> best;
    std::size_t missing = 0;
  };

  std::vector<tactor::actor_ref<price_of>> shops_;
};

void aggregation() {
  simulation world;
  auto near = world.spawn_probe<price_of>("near");
  auto far = world.spawn_probe<price_of>("far");
  auto silent = world.spawn_probe<price_of>("silent");
  const auto desk = world.spawn<comparison>(
      "comparison", std::vector<tactor::actor_ref<price_of>>{near.ref(), far.ref(), silent.ref()});
  auto best = world.ask(desk, cheapest{"tea"}, 1s);
  (void)near.expect<price_of>();
  near.reply<price_of>(5);
  (void)far.expect<price_of>();
  far.reply<price_of>(3);
  expect(!best.ready(), "the third shop has time left");
  expect(*std::move(best).get() == 3, "the best of those that answered");
}

// A periodic job.

struct sweep {};

class sweeper : public tactor::actor<sweep> {
public:
  explicit sweeper(int* sweeps) : sweeps_(sweeps) {}
  void pre_start(context& ctx) {
    (void)ctx.start_timer("sweep", tactor::every(1min, tactor::missed::skip), sweep{});
  }
  void receive(context&, sweep) { ++*sweeps_; }

private:
  int* sweeps_;
};

void periodic() {
  int sweeps = 0;
  simulation world;
  const auto who = world.spawn<sweeper>("sweeper", &sweeps);
  world.run_for(24h);
  expect(sweeps == 24 * 60, "a day of sweeps, in no time");
  world.stop(who);
  world.run_for(1h);
  expect(sweeps == 24 * 60, "none after the actor has stopped");
}

// A graceful stop.

struct save {
  int number = 0;
};

class journal : public tactor::actor<save> {
public:
  explicit journal(std::vector<int>* disk) : disk_(disk) {}
  void receive(context&, save s) { unwritten_.push_back(s.number); }
  void post_stop(context&) { disk_->insert(disk_->end(), unwritten_.begin(), unwritten_.end()); }

private:
  std::vector<int>* disk_;
  std::vector<int> unwritten_;
};

void graceful_stop() {
  std::vector<int> disk;
  simulation world;
  const auto who = world.spawn<journal>("journal", &disk);
  who.tell(save{1});
  who.tell(save{2});
  const auto report = world.shutdown(5s);
  expect(report.complete && disk == std::vector{1, 2}, "what was accepted is on disk");
  expect(who.tell(save{3}) == tactor::tell_result::closed, "and the rest was refused");
}

// Bounded memory.

void bounded_memory() {
  simulation world{{}, {.max_actors = 3, .scheduler = {.system_quota = 100}}};
  const auto busy =
      world.spawn({.name = "busy", .mailbox = {.capacity = 2}}, [](tactor::context&, item) {});
  int refused = 0;
  for (int i = 0; i < 5; ++i)
    refused += busy.tell(item{i}) == tactor::tell_result::full ? 1 : 0;
  expect(refused == 3, "two wait, three were refused");
  const auto another = [](tactor::context&, item) {};
  (void)world.spawn("second", another);
  (void)world.spawn("third", another);
  expect(world.try_spawn("fourth", another).error() == tactor::spawn_error::too_many_actors,
         "three actors, not four");
}

}  // namespace

int main() {
  pipeline();
  worker_pool();
  aggregation();
  periodic();
  graceful_stop();
  bounded_memory();
  return failures == 0 ? 0 : 1;
}
