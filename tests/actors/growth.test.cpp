// SPDX-License-Identifier: BSL-1.0
// Operations whose cost must not grow with the number of actors, names, watches, asks. Each test
// judges a ratio of two times of one run, so that `make verify` runs them and `make test` does not.
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

namespace tactor {
namespace {

using testkit::seed;
using testkit::simulation;

// Returns: the time of the processor that `work` takes. Other programs are not counted.
template <class Work>
double time_of(Work work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::max<std::clock_t>(std::clock() - begin, 1));
}

// Requires: `time_for(count)` is the time that so many take. Returns: how many times as long ten
// times as many take: about 10; 100 if the cost is quadratic. Other programs spoil the caches now
// and then, so a bad ratio is measured again; one of the program itself stays.
template <class TimeFor>
double growth(TimeFor time_for, std::size_t few) {
  double least = std::numeric_limits<double>::max();
  for (int attempt = 0; attempt < 5 && least >= 45; ++attempt)
    least = std::min(least, time_for(10 * few) / time_for(few));
  return least;
}

struct nothing {};
struct begin_now {};
struct go_back {};

// spec: A2c
TEST(growth, of_actors_of_one_name_is_not_quadratic) {
  const auto time_for = [](std::size_t many) {
    simulation world{seed{1}, {.log = {.sink = {}}}};
    const double taken = time_of([&] {
      for (std::size_t i = 0; i < many; ++i)
        (void)world.spawn("worker", [](tactor::context&, const nothing&) {});
    });
    EXPECT_TRUE(world.find<nothing>("worker-" + std::to_string(many)));
    EXPECT_FALSE(world.find<nothing>("worker-" + std::to_string(many + 1)));
    EXPECT_FALSE(world.find<nothing>("worker-1"));
    return taken;
  };
  EXPECT_LT(growth(time_for, 500), 45);
}

// Watches all, and takes half of them back, from the front.
class watcher : public actor<begin_now, go_back, terminated> {
public:
  watcher(const std::vector<actor_ref<>>* whom, std::size_t* ended) : whom_(whom), ended_(ended) {}
  void receive(context& ctx, begin_now) {
    for (const auto& each : *whom_)
      (void)ctx.watch(each, *this);
  }
  void receive(context& ctx, go_back) {
    for (std::size_t i = 0; i < whom_->size(); i += 2)
      EXPECT_TRUE(ctx.unwatch((*whom_)[i]));
  }
  void receive(context&, const terminated&) { ++*ended_; }

private:
  const std::vector<actor_ref<>>* whom_;
  std::size_t* ended_;
};

// spec: V3
TEST(growth, of_watches_by_one_actor_is_not_quadratic) {
  const auto time_for = [](std::size_t many) {
    simulation world{seed{1}};
    std::size_t ended = 0;
    std::vector<actor_ref<>> targets;
    for (std::size_t i = 0; i < many; ++i)
      targets.emplace_back(world.spawn("", [](tactor::context&, const nothing&) {}));
    const auto who = world.spawn<watcher>("watcher", &targets, &ended);
    world.run_to_idle();
    const double taken = time_of([&] {
      who.tell(begin_now{});
      who.tell(go_back{});
      world.run_to_idle();
      for (const auto& each : targets)
        world.stop(each);
      world.run_to_idle();
    });
    EXPECT_EQ(ended, many / 2);
    return taken;
  };
  EXPECT_LT(growth(time_for, 1000), 45);
}

// spec: V3
TEST(growth, of_watches_of_one_actor_is_not_quadratic) {
  const auto time_for = [](std::size_t many) {
    simulation world{seed{1}};
    std::size_t ended = 0;
    const std::vector<actor_ref<>> target{
        world.spawn("target", [](tactor::context&, const nothing&) {})};
    std::vector<actor_ref<begin_now, go_back>> watchers;
    for (std::size_t i = 0; i < many; ++i)
      watchers.push_back(world.spawn<watcher>("", &target, &ended));
    world.run_to_idle();
    return time_of([&] {
      for (const auto& each : watchers)
        each.tell(begin_now{});
      world.run_to_idle();
      for (const auto& each : watchers)
        world.stop(each);
      world.run_to_idle();
    });
  };
  EXPECT_LT(growth(time_for, 1000), 45);
}

// spec: A2g
TEST(growth, of_subscribers_is_not_quadratic) {
  struct weather {};
  const auto time_for = [](std::size_t many) {
    simulation world{seed{1}};
    std::vector<actor_ref<weather>> readers;
    for (std::size_t each = 0; each < many; ++each)
      readers.push_back(world.spawn("", [](tactor::context&, weather) {}));
    world.run_to_idle();
    return time_of([&] {
      for (const auto& each : readers)
        (void)world.events().subscribe<weather>(each);
      EXPECT_EQ(world.events().publish(weather{}), many);
      for (const auto& each : readers)
        EXPECT_TRUE(world.events().unsubscribe<weather>(each));
    });
  };
  EXPECT_LT(growth(time_for, 2000), 45);
}

// spec: M4b
TEST(growth, of_outboxes_of_one_actor_is_not_quadratic) {
  const auto time_for = [](std::size_t many) {
    simulation world{seed{7}};
    std::size_t received = 0;
    std::vector<actor_ref<nothing>> full;
    for (std::size_t i = 0; i < many; ++i) {
      full.push_back(
          world.spawn({.mailbox = {.capacity = 1, .overflow = overflow_strategy::block_producer}},
                      [&received](tactor::context&, const nothing&) { ++received; }));
      EXPECT_TRUE(world.suspend(full.back()).has_value());
    }
    const auto sender = world.spawn("sender", [&full](tactor::context&, const begin_now&) {
      for (int i = 0; i < 3; ++i)
        for (const auto& each : full)
          EXPECT_EQ(each.tell(nothing{}), tell_result::ok);
    });
    world.run_to_idle();
    const double taken = time_of([&] {
      sender.tell(begin_now{});
      world.run_to_idle();
      for (const auto& each : full)
        EXPECT_TRUE(world.resume(each).has_value());
      world.run_to_idle();
    });
    EXPECT_EQ(received, 3 * many);
    return taken;
  };
  EXPECT_LT(growth(time_for, 1000), 45);
}

struct question {
  using reply = int;
};
// Asks so often, each time with a shorter timeout: the worst order for a list.
struct ask_often {
  std::size_t times;
};
class asker : public actor<ask_often> {
public:
  asker(const actor_ref<question>& whom, double* taken) : whom_(whom), taken_(taken) {}
  void receive(context& ctx, const ask_often& often) {
    *taken_ = time_of([&] {
      for (std::size_t left = often.times; left > 0; --left)
        ctx.ask(whom_, question{}, std::chrono::seconds{left + 1}, [](auto) {});
    });
  }

private:
  actor_ref<question> whom_;
  double* taken_;
};

// spec: A2b
TEST(growth, of_asks_with_other_timeouts_is_not_quadratic) {
  const auto time_for = [](std::size_t many) {
    simulation world{seed{1}};
    double taken = 0;
    auto silent = world.spawn_probe<question>("silent");
    world.spawn<asker>("asker", silent.ref(), &taken).tell(ask_often{many});
    while (taken == 0 && world.run_one()) {
    }
    return taken;
  };
  EXPECT_LT(growth(time_for, 2000), 45);
}

struct await_key {
  std::uint64_t key;
};
class listener : public actor<await_key> {
public:
  explicit listener(std::size_t* resumed) : resumed_(resumed) {}
  reentrant_task<void> receive(context& ctx, await_key w) {
    co_await ctx.until(signal_key{w.key});
    ++*resumed_;
  }

private:
  std::size_t* resumed_;
};

// spec: A3
TEST(growth, of_coroutines_that_await_other_signals_is_not_quadratic) {
  const auto time_for = [](std::size_t many) {
    simulation world{seed{1}};
    std::size_t resumed = 0;
    const auto who = world.spawn<listener>("who", &resumed);
    for (std::size_t i = 0; i < many; ++i)
      who.tell(await_key{i});
    world.run_to_idle();
    const double taken = time_of([&] {
      for (std::size_t i = many; i-- > 0;) {
        EXPECT_TRUE(world.signal(who, signal_key{i}).has_value());
        if (i % 500 == 0) world.run_to_idle();
      }
    });
    EXPECT_EQ(resumed, many);
    return taken;
  };
  EXPECT_LT(growth(time_for, 2000), 45);
}

}  // namespace
}  // namespace tactor
