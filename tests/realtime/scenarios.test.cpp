// SPDX-License-Identifier: BSL-1.0
// Whole programs on worker threads, written with the public headers alone. Every message is accounted for.
#include "tactor/host.hpp"

#include "core_wait.hpp"
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tactor::realtime {
namespace {

using namespace std::chrono_literals;

void say_nothing(const log_record& /*what*/) noexcept {}

system_config two_workers() {
  return {.workers = 2, .log = {.sink = say_nothing}};
}

/// The report of a complete shutdown, and the counters after it.
metrics_snapshot end(actor_system& system) {
  EXPECT_TRUE(system.shutdown(60s).complete);
  return system.metrics();
}

struct item {
  std::uint32_t from = 0;
  std::uint32_t number = 0;
};
struct total {
  using reply = std::uint64_t;
};

/// What an actor has seen of each sender: their messages, in their order.
class ledger {
public:
  ledger(std::uint32_t senders, std::uint32_t each) : next_(senders, 0), each_(each) {}
  /// Returns: whether this was the last message of all senders.
  bool enter(const item& i) {
    EXPECT_EQ(i.number, next_[i.from]) << "from " << i.from;
    ++next_[i.from];
    return ++entered_ == next_.size() * each_;
  }
  [[nodiscard]] std::uint64_t entered() const { return entered_; }

private:
  std::vector<std::uint32_t> next_;
  std::uint32_t each_;
  std::uint64_t entered_ = 0;
};

class counting : public actor<item, total> {
public:
  counting(std::uint32_t senders, std::uint32_t each, std::latch* over)
      : seen_(senders, each), over_(over) {}
  void receive(context&, const item& i) {
    if (seen_.enter(i)) over_->count_down();
  }
  std::uint64_t receive(context&, total) { return seen_.entered(); }

private:
  ledger seen_;
  std::latch* over_;
};

// spec: Q3
TEST(scenarios, one_actor) {
  constexpr std::uint32_t messages = 1'000'000;
  std::latch over{1};
  actor_system system{two_workers()};
  const auto only = system.spawn<counting>("only", 1u, messages, &over);
  for (std::uint32_t number = 0; number < messages; ++number)
    ASSERT_EQ(only.tell(item{.number = number}), tell_result::ok);
  over.wait();
  EXPECT_EQ(system.ask(only, total{}, 60s).get(), std::uint64_t{messages});
  const metrics_snapshot counted = end(system);
  EXPECT_EQ(counted.messages_handled, messages + 1u);
  EXPECT_EQ(counted.all_dead_letters(), 0u);
}

// spec: Q3
TEST(scenarios, a_hundred_actors_with_ten_thousand_messages_each) {
  constexpr std::uint32_t actors = 100;
  constexpr std::uint32_t threads = 4;
  constexpr std::uint32_t each = 10'000 / threads;
  std::latch over{actors};
  actor_system system{two_workers()};
  std::vector<counting::ref> all;
  for (std::uint32_t i = 0; i < actors; ++i)
    all.push_back(system.spawn<counting>("one", threads, each, &over));
  {
    std::vector<std::jthread> senders;
    for (std::uint32_t from = 0; from < threads; ++from)
      senders.emplace_back([&all, from] {
        for (std::uint32_t number = 0; number < each; ++number)
          for (const auto& to : all)
            to.tell(item{.from = from, .number = number});
      });
  }
  over.wait();
  const metrics_snapshot counted = end(system);
  EXPECT_EQ(counted.messages_handled, std::uint64_t{actors} * 10'000);
  EXPECT_EQ(counted.all_dead_letters(), 0u);
}

struct burst {
  std::uint32_t actors;
};

// spec: Q3
TEST(scenarios, a_spike_of_a_thousand_actors) {
  constexpr std::uint32_t actors = 1'000;
  constexpr std::uint32_t each = 10;
  constexpr int rounds = 20;
  std::uint64_t handled = 0;
  std::unique_ptr<std::latch> over;
  actor_system system{two_workers()};
  for (int round = 0; round < rounds; ++round) {
    over = std::make_unique<std::latch>(actors);
    const auto parent = system.spawn("parent", [&](context& ctx, const burst& b) {
      for (std::uint32_t i = 0; i < b.actors; ++i) {
        const auto child = ctx.spawn<counting>("child", 1u, each, over.get());
        for (std::uint32_t number = 0; number < each; ++number)
          child.tell(item{.number = number});
      }
    });
    parent.tell(burst{actors});
    over->wait();
    EXPECT_EQ(system.metrics().actors_alive(), actors + 1u);
    system.stop(parent);
    while (system.metrics().actors_alive() != 0)
      std::this_thread::yield();
    handled += std::uint64_t{actors} * each + 1;
  }
  const metrics_snapshot counted = end(system);
  EXPECT_EQ(counted.messages_handled, handled);
  EXPECT_EQ(counted.actors_started, rounds * (actors + 1u));
  EXPECT_EQ(counted.all_dead_letters(), 0u);
}

constexpr signal_key go_on{1};

struct pause_over {
  std::uint32_t number;
};

/// Suspends itself after every tenth message, until another actor gives a signal.
class pausing : public actor<item> {
public:
  pausing(actor_ref<pause_over> waker, const std::atomic<std::uint32_t>* signals, std::uint32_t all,
          std::latch* over)
      : waker_(waker), signals_(signals), seen_(1, all), over_(over) {}
  void receive(context& ctx, const item& i) {
    EXPECT_EQ(signals_->load(), pauses_) << "handled while it was suspended";
    const bool last = seen_.enter(i);
    if (i.number % 10 == 9) {
      EXPECT_TRUE(ctx.suspend(suspend_reason::user_defined, on_signal(go_on)));
      waker_.tell(pause_over{++pauses_});
    }
    if (last) over_->count_down();
  }

private:
  actor_ref<pause_over> waker_;
  const std::atomic<std::uint32_t>* signals_;
  ledger seen_;
  std::uint32_t pauses_ = 0;
  std::latch* over_;
};

// spec: Q3
TEST(scenarios, suspended_and_resumed_again_and_again) {
  constexpr std::uint32_t messages = 100'000;
  std::latch over{2};
  std::atomic<std::uint32_t> signals = 0;
  actor_ref<item> who;
  actor_system system{two_workers()};
  const auto waker = system.spawn("waker", [&](context& ctx, const pause_over& p) {
    signals = p.number;
    EXPECT_TRUE(ctx.signal(who, go_on));
    if (p.number == messages / 10) over.count_down();
  });
  who = system.spawn<pausing>("pausing", waker, &signals, messages, &over);
  for (std::uint32_t number = 0; number < messages; ++number)
    ASSERT_EQ(who.tell(item{.number = number}), tell_result::ok);
  over.wait();
  const metrics_snapshot counted = end(system);
  EXPECT_EQ(counted.suspensions, messages / 10);
  EXPECT_EQ(counted.messages_handled, messages + messages / 10);
  EXPECT_EQ(counted.all_dead_letters(), 0u);
}

/// Fails at every tenth message. A new instance goes on with the next one.
class fragile : public actor<item> {
public:
  fragile(std::uint32_t* next, std::uint32_t all, std::latch* over)
      : next_(next), all_(all), over_(over) {}
  void receive(context&, const item& i) {
    EXPECT_EQ(i.number, (*next_)++);
    if (*next_ == all_) over_->count_down();
    if (i.number % 10 == 5) throw std::runtime_error{"the tenth"};
  }

private:
  std::uint32_t* next_;
  std::uint32_t all_;
  std::latch* over_;
};

// spec: Q3
TEST(scenarios, crash_and_restart) {
  constexpr std::uint32_t messages = 20'000;
  std::uint32_t next = 0;
  std::latch over{1};
  actor_system system{two_workers()};
  const auto who =
      system.spawn<fragile>({.name = "fragile", .on_failure = restart{}}, &next, messages, &over);
  for (std::uint32_t number = 0; number < messages; ++number)
    ASSERT_EQ(who.tell(item{.number = number}), tell_result::ok);
  over.wait();
  const metrics_snapshot counted = end(system);
  EXPECT_EQ(counted.restarts, messages / 10);
  EXPECT_EQ(counted.failures, messages / 10);
  EXPECT_EQ(counted.messages_handled, messages);
  EXPECT_EQ(counted.all_dead_letters(), 0u);
}

struct tick {};
struct neighbour {
  actor_ref<item> who;
};

constexpr std::uint32_t pace_ticks = 2'000;
constexpr std::uint32_t pace_items = 100;  // each tick
constexpr auto pace_interval = 10ms;

/// Sends 10 000 messages a second to its neighbour, for 20 s.
class paced : public actor<item, tick, neighbour> {
public:
  paced(std::uint32_t number, std::latch* over) : number_(number), over_(over) {}
  void receive(context& ctx, const neighbour& n) {
    to_ = n.who;
    EXPECT_TRUE(ctx.start_timer("send", every(pace_interval, missed::burst), tick{}));
  }
  void receive(context& ctx, tick) {
    for (std::uint32_t i = 0; i < pace_items; ++i)
      EXPECT_EQ(to_.tell(item{.from = number_, .number = sent_++}), tell_result::ok);
    if (++ticks_ == pace_ticks) ctx.cancel_timer("send");
  }
  void receive(context&, const item& i) {
    EXPECT_EQ(i.number, next_++);
    if (next_ == pace_ticks * pace_items) over_->count_down();
  }

private:
  std::uint32_t number_;
  actor_ref<item> to_;
  std::uint32_t sent_ = 0;
  std::uint32_t ticks_ = 0;
  std::uint32_t next_ = 0;
  std::latch* over_;
};

// spec: Q3
TEST(scenarios, a_hundred_actors_with_ten_thousand_messages_a_second_for_twenty_seconds) {
  constexpr std::uint32_t actors = 100;
  std::latch over{actors};
  actor_system system{two_workers()};
  std::vector<paced::ref> all;
  for (std::uint32_t i = 0; i < actors; ++i)
    all.push_back(system.spawn<paced>("paced", i, &over));
  const auto waited = core_wait_of({"tactor-worker", "tactor-timer"});
  const auto began = std::chrono::steady_clock::now();
  for (std::uint32_t i = 0; i < actors; ++i)
    all[i].tell(neighbour{all[(i + 1) % actors]});
  over.wait();
  const auto took = std::chrono::steady_clock::now() - began;
  EXPECT_GE(took, pace_ticks * pace_interval);
  EXPECT_LT(took - (core_wait_of({"tactor-worker", "tactor-timer"}) - waited), 30s);
  const metrics_snapshot counted = end(system);
  EXPECT_EQ(counted.messages_handled,
            std::uint64_t{actors} * (pace_ticks * (pace_items + 1u) + 1u));
  EXPECT_EQ(counted.all_dead_letters(), 0u);
}

}  // namespace
}  // namespace tactor::realtime
