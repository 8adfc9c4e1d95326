// SPDX-License-Identifier: BSL-1.0
// As in resources.test.cpp, for what actors can do besides: wait for full mailboxes, stash, timers
// by key, coroutines, middleware, priorities, callbacks, routers; and for what shows a system:
// snapshots, dumps, traces.
#include "tactor/actor.hpp"
#include "tactor/base/text_writer.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/host.hpp"
#include "tactor/observe.hpp"
#include "tactor/patterns/patterns.hpp"
#include "tactor/testkit.hpp"

#include "each_request.hpp"
#include "ledger.hpp"
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <latch>
#include <new>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tactor::faults {
namespace {

using namespace std::chrono_literals;
using testkit::simulation;

struct note {
  explicit note(ledger& in) noexcept : book(&in) { ++book->alive; }
  note(const note& other) noexcept : book(other.book) { ++book->alive; }
  note& operator=(const note&) = delete;
  ~note() { --book->alive; }
  ledger* book;
};
struct urgent {
  static constexpr int priority = 1;
  ledger* book;
};
struct twice {
  int number;
  using reply = int;
};
struct work {
  using reply = void;
};
struct fails {};

/// Handles what it is told, after it has stashed it once.
class reader : public actor<note, urgent, twice> {
public:
  void receive(context& ctx, const note& n) {
    const bool keeps = !std::exchange(kept_, true);
    if (keeps && ctx.stash(n)) {
      (void)ctx.unstash_all();
      return;
    }
    ++n.book->handled;
  }
  void receive(context&, const urgent& u) { ++u.book->handled; }
  int receive(context&, const twice& t) { return 2 * t.number; }

private:
  bool kept_ = false;
};

/// Sends more than the mailbox of its reader holds, has timers by key, and awaits.
class writer : public actor<work, note> {
public:
  writer(ledger* const& book, const reader::ref& to) : book_(book), to_(to) {}
  task<void> receive(context& ctx, work) {
    for (int i = 0; i < 8; ++i)
      tell(to_, note{*book_});
    (void)ctx.start_timer("once", after(1ms), note{*book_});
    (void)ctx.start_timer("later", after(1h), note{*book_});
    (void)ctx.start_timer("again", every(1h), note{*book_});
    const auto callback = to_actor(ctx.self(), [book = book_] { return note{*book}; });
    (void)co_await all_of(doubled(ctx, 1), doubled(ctx, 2));
    (void)co_await ctx.sleep(1ms);
    (void)co_await ctx.until(signal_key{1}, 1ms);
    co_await ctx.yield();
    (void)co_await ctx.run_blocking(blocking);
    (void)co_await ctx.completes<int>([](completion<int> done) { done(7); });
  }
  void receive(context&, const note&) {}  // of a timer

private:
  static int blocking() { return 7; }
  task<int> doubled(tactor::context& ctx, int number) {
    const auto said = co_await ctx.ask<twice>(to_, timeout, number);
    if (!said && said.error().kind == ask_failure::timed_out) book_->timed_out = true;
    co_return said.value_or(0);
  }

  ledger* book_;
  reader::ref to_;
};

class counting final : public middleware {
public:
  invoke_decision before_invoke(const invocation& /*next*/) noexcept override {
    ++before;
    return {};
  }
  void after_invoke(const invocation& /*handled*/, invoke_outcome /*how*/) noexcept override {
    ++after;
  }
  std::atomic<int> before = 0;
  std::atomic<int> after = 0;
};

void use(actor_system& system, ledger& book, const middleware_chain& chain) {
  const auto reads = system.try_spawn<reader>(
      {.name = "reader",
       .mailbox = {.capacity = 2, .overflow = overflow_strategy::block_producer},
       .middleware = &chain});
  if (!reads) return;
  if (const auto writes = system.try_spawn<writer>("writer", &book, *reads))
    (void)ask(system, *writes, work{}, book);
  const auto by_priority = system.try_spawn<reader>(
      {.name = "by priority", .mailbox = {.order = mailbox_order::priority}});
  if (!by_priority) return;
  tell(*by_priority, note{book});
  tell(*by_priority, urgent{&book});
  (void)ask(system, *by_priority, twice{1}, book);
}

// spec: A5
TEST(features, may_lack_memory_and_threads) {
  const std::size_t requests = fail_each([](run& now) {
    ledger book;
    counting all;
    const std::array<middleware*, 1> list{&all};
    const middleware_chain chain{list};
    {
      actor_system system{settings()};
      now.arm();
      use(system, book, chain);
      const shutdown_report report = system.shutdown(timeout);
      now.expect(report.complete && report.left == 0, "all actors end in time");
      const scheduler_metrics timers = system.timers().metrics();
      now.expect(timers.scheduled_total == timers.completed_total + timers.cancelled_total +
                                               timers.evicted_total + timers.undeliverable_total,
                 "every timer has ended");
      // An actor that fails for want of memory leaves what waits in its outbox and its mailbox as
      // dead letters.
      const metrics_snapshot all_of_it = system.metrics();
      now.expect(all_of_it.waiting() == 0, "what was accepted was handled, or is a dead letter");
      const int lost = book.accepted - book.handled;
      now.expect(lost >= 0, "nothing is handled twice");
      now.expect(lost <= static_cast<int>(all_of_it.all_dead_letters()), "what was not is counted");
    }
    now.expect(!book.timed_out, "an ask that fails does so at once");
    now.expect(all.before == all.after, "the middleware sees the end of each message");
    now.expect(book.alive == 0, "every message is destroyed once");
  });
  EXPECT_GT(requests, 10u);
}

struct leave {};

/// Answers, until it fails or leaves.
class calculator : public actor<twice, fails, leave> {
public:
  int receive(context&, const twice& t) { return 2 * t.number; }
  void receive(context& ctx, leave) { ctx.stop(); }
  std::expected<void, failure> receive(context&, fails) { return std::unexpected{failure{"so"}}; }
};

/// Its own lists and asks need no memory any more.
void warm_up(simulation& world) {
  std::vector<calculator::ref> all;
  for (int i = 0; i < 32; ++i)
    all.push_back(world.spawn<calculator>(spawn_options{}));
  (void)world.ask(all.front(), twice{1}, 1s).get();
  for (const calculator::ref& each : all)
    world.stop(each);
  (void)world.run_to_idle();
}

template <class Router>
std::size_t workers_of(simulation& world, const Router& router) {
  const auto said = world.ask(router, patterns::count_routed{}, 1s).get();
  return said ? said->workers : 0;
}

// spec: A5
TEST(features, a_pool_has_all_its_workers_again_after_a_moment_without_memory) {
  const std::size_t requests = fail_each([](run& now) {
    simulation world{testkit::seed{1}, {.log = {.sink = say_nothing}}};
    warm_up(world);
    const auto pool = patterns::spawn_pool<calculator>(world, {.name = "pool", .workers = 3},
                                                       patterns::round_robin{});
    now.expect(workers_of(world, pool) == 3, "all workers are there");
    for (int round = 0; round < 3; ++round) {
      (void)pool.tell(leave{});
      if (round == 0) now.arm();
      (void)world.run_for(1s);
    }
    fail_nothing();
    (void)world.run_for(1s);
    now.expect(workers_of(world, pool) == 3, "workers that have ended are replaced");
    for (int i = 0; i < 3; ++i) {
      const auto said = world.ask(pool, twice{i}, 1s).get();
      now.expect(said && *said == 2 * i, "each worker answers");
    }
    now.expect(world.shutdown().complete, "all actors end");
  });
  EXPECT_GT(requests, 2u);
}

// spec: A5
TEST(features, a_pool_that_starts_without_memory_gets_its_workers_later_or_is_not_there) {
  const std::size_t requests = fail_each([](run& now) {
    simulation world{testkit::seed{1}, {.log = {.sink = say_nothing}}};
    warm_up(world);
    now.arm();
    const auto pool = patterns::spawn_pool<calculator>(world, {.name = "pool", .workers = 3},
                                                       patterns::round_robin{});
    (void)world.run_for(1s);
    const bool is_there = world.live() > 1;
    now.expect(workers_of(world, pool) == (is_there ? 3 : 0), "a pool has all workers, or none");
    now.expect(world.shutdown().complete, "all actors end");
  });
  EXPECT_GT(requests, 3u);
}

// spec: A5
TEST(features, a_group_forgets_members_that_end_although_there_was_no_memory) {
  const std::size_t requests = fail_each([](run& now) {
    simulation world{testkit::seed{1}, {.log = {.sink = say_nothing}}};
    warm_up(world);
    const auto one = world.spawn<calculator>("one");
    const auto two = world.spawn<calculator>("two");
    const std::vector<calculator::ref> members{one};
    const auto group = patterns::spawn_group(world, "group", patterns::round_robin{}, members);
    (void)world.run_to_idle();
    now.arm();
    const bool told = group.tell(patterns::add_member<twice, fails, leave>{two}) == tell_result::ok;
    (void)world.run_for(1s);
    const std::size_t both = workers_of(world, group);
    now.expect(both == 2 || !told || now.has_failed(), "the second is a member");
    world.stop(two);
    (void)world.run_for(1s);
    now.expect(workers_of(world, group) == 1, "an actor that has ended is no member");
    now.expect(world.shutdown().complete, "all actors end");
  });
  EXPECT_GT(requests, 0u);
}

class length final : public text_sink {
public:
  void write(std::string_view piece) noexcept override { bytes += piece.size(); }
  std::size_t bytes = 0;
};

/// Returns: true if something that may throw std::bad_alloc did not.
template <class Call>
bool has_memory(Call call) {
  try {
    call();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void look_at(run& now, const actor_system& system) {
  for (const auto part :
       {snapshot_part::actors, snapshot_part::actor, snapshot_part::timers,
        snapshot_part::dead_letters, snapshot_part::failures, snapshot_part::warnings}) {
    const auto write = [&] {
      length out;
      system.write_snapshot({.part = part, .path = "/user/first", .limit = 2}, out);
      now.expect(out.bytes > 0, "a snapshot has content");
    };
    const bool before = now.has_failed();
    now.expect(has_memory(write) || !before, "with memory it is written");
  }
  length dumped;
  (void)has_memory([&] { system.dump(dump_format::json, dumped); });
  (void)has_memory([&] { (void)system.full_metrics(); });
  (void)has_memory([&] { (void)system.metrics_history(); });
}

// spec: A5
TEST(features, that_show_a_system_may_lack_memory) {
  const std::size_t requests = fail_each([](run& now) {
    ledger book;
    system_config config = settings();
    config.metrics.level = metrics_level::actor;
    actor_system system{std::move(config)};
    const auto first = system.spawn<calculator>({.name = "first", .on_failure = restart{}});
    now.arm();
    const bool traced = system.start_trace({});
    for (int i = 0; i < 4; ++i) {
      (void)ask(system, first, twice{i}, book);
      (void)first.tell(fails{});
    }
    look_at(now, system);
    for (const auto format : {trace_format::chrome, trace_format::otlp}) {
      length out;
      (void)has_memory([&] { (void)system.write_trace(format, out); });
    }
    system.stop_trace();
    (void)system.resize(3);
    (void)system.resize(1);
    if (now.has_failed()) {
      now.expect(system.start_trace({}), "with memory a trace starts");
      const auto said = ask(system, first, twice{4}, book);
      now.expect(said && *said == 8, "the actor goes on");
      length out;
      now.expect(system.write_trace(trace_format::chrome, out) && out.bytes > 0, "it is written");
    }
    now.expect(traced || now.has_failed(), "a trace starts");
    now.expect(system.shutdown(timeout).complete, "all actors end in time");
    now.expect(!book.timed_out, "an ask that fails does so at once");
  });
  EXPECT_GT(requests, 20u);
}

// spec: D6
TEST(features, a_worker_that_could_not_be_started_again_is_started_by_the_next_call) {
  const std::size_t requests = fail_each([](run& now) {
    actor_system system{{.workers = 2, .log = {.sink = say_nothing}}};
    now.expect(system.resize(1).has_value(), "one worker ends");
    while (system.workers().stopped != 1)
      std::this_thread::yield();
    now.arm();
    const bool grown = system.resize(2).has_value();
    now.expect(grown || now.has_failed(), "with memory and threads it is started");
    now.expect(grown || system.resize(2).has_value(), "so it is by the next call");
    const worker_counts counts = system.workers();
    now.expect(counts.spawned + counts.running == 2, "there is a thread for each worker");
    now.expect(system.shutdown(timeout).complete, "all actors end in time");
  });
  EXPECT_GT(requests, 2u);
}

}  // namespace
}  // namespace tactor::faults
