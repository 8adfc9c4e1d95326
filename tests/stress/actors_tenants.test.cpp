// SPDX-License-Identifier: BSL-1.0
// Actors come and go while others send to references of the past: what was meant for one never
// reaches another, the sums are exact, and slots are used again.
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/send/send.hpp"
#include "tactor/host/actor_system.hpp"

#include "instrumented.hpp"
#include "threads_of_ours.hpp"
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace tactor::stress {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

void say_nothing(const log_record& /*what*/) noexcept {}

constexpr std::uint32_t lives_in_all = scaled(1'000'000, 200'000);
constexpr std::uint32_t makers_in_all = 4;
constexpr std::uint32_t senders_in_all = 2;
// Stopping lags behind spawning: at most this many actors wait to be stopped.
constexpr std::size_t most_alive = 2000;

struct letter {
  std::uint64_t meant_for;
};
struct more {};

struct tally {
  std::atomic<std::uint64_t> sent = 0;
  std::atomic<std::uint64_t> handled = 0;
  std::atomic<std::uint64_t> wrong = 0;
  std::atomic<std::uint64_t> destroyed = 0;
  std::atomic<std::uint64_t> begun = 0;  // lives
};

class tenant : public actor<letter> {
public:
  tenant(tally* sum, std::uint64_t self) : sum_(sum), self_(self) {}
  tenant(const tenant&) = delete;
  tenant& operator=(const tenant&) = delete;
  ~tenant() { sum_->destroyed.fetch_add(1, std::memory_order_relaxed); }
  void receive(context&, const letter& l) {
    sum_->handled.fetch_add(1, std::memory_order_relaxed);
    if (l.meant_for != self_) ++sum_->wrong;
  }

private:
  tally* sum_;
  std::uint64_t self_;
};

// References that are remembered, most of them of the past.
class phone_book {
public:
  struct entry {
    tenant::ref who;
    std::uint64_t number = 0;
  };
  void note(std::size_t place, const entry& who) {
    page& at = pages_[place % pages_.size()];
    const std::scoped_lock lock{at.mutex};
    at.who = who;
  }
  entry look_up(std::size_t place) {
    page& at = pages_[place % pages_.size()];
    const std::scoped_lock lock{at.mutex};
    return at.who;
  }

private:
  struct page {
    std::mutex mutex;
    entry who;
  };
  std::array<page, 64> pages_;
};

// Makes them, and keeps those it has not stopped yet.
struct maker {
  std::minstd_rand chance;
  std::array<tenant::ref, 32> lingering{};
  std::size_t next = 0;
};

class town {
public:
  town()
      : system_({.workers = 4, .log = {.sink = say_nothing}}),
        slots_before_(program_memory.cells.made()) {}

  // One life from its begin to its end. `where` spawns: the system, or the context of an actor.
  template <class Where>
  void one_life(Where& where, maker& by) {
    std::minstd_rand& chance = by.chance;
    const std::uint64_t number = sum.begun.fetch_add(1, std::memory_order_relaxed) + 1;
    spawn_options options;
    switch (chance() % 8) {
    case 0:
      options.mailbox = {.capacity = 2, .overflow = overflow_strategy::drop_oldest};
      break;
    case 1:
      options.mailbox = {.capacity = 2, .overflow = overflow_strategy::reject};
      break;
    case 2:
      options.mailbox = {
          .capacity = 1, .overflow = overflow_strategy::block_producer, .push_timeout_ms = 1};
      break;
    default:
      break;
    }
    const auto who = where.template spawn<tenant>(options, &sum, number);
    if (who.slot() == nullptr) {  // the system stops: no new actors
      sum.begun.fetch_sub(1, std::memory_order_relaxed);
      return;
    }
    send({who, number});
    book_.note(chance(), {who, number});
    send({who, number});
    if (number % 4 == 0) {
      where.drain(who);
    } else if (number % 4 == 1) {
      // Lives on for a while, with nothing to do but what late senders bring.
      const auto last = std::exchange(by.lingering[by.next++ % by.lingering.size()], who);
      where.stop(last);
    } else {
      where.stop(who);
    }
  }
  void send_one(std::minstd_rand& chance) {
    const phone_book::entry to = book_.look_up(chance());
    if (to.number != 0) send(to);
  }
  bool goes_on() const { return sum.begun.load(std::memory_order_relaxed) < lives_in_all; }
  bool is_crowded() const { return system_.live() > most_alive; }

  void senders_until_over() {
    std::vector<std::jthread> senders;
    for (std::uint32_t i = 0; i < senders_in_all; ++i) {
      senders.emplace_back([this, i] {
        std::minstd_rand chance{100 + i};
        while (goes_on())
          send_one(chance);
      });
    }
  }
  void expect_all_well(const std::atomic<std::uint64_t>& other_messages,
                       std::uint64_t other_actors) {
    EXPECT_TRUE(system_.shutdown(60s).complete);
    wait_for_threads_to_end();  // then all is counted
    const metrics_snapshot metrics = system_.metrics();
    EXPECT_EQ(sum.wrong, 0u);
    EXPECT_EQ(sum.handled + metrics.all_dead_letters(), sum.sent)
        << "each was handled or lost, once";
    EXPECT_EQ(metrics.messages_handled, sum.handled + other_messages);
    EXPECT_GT(sum.handled, 0u);
    EXPECT_GT(metrics.all_dead_letters(), 0u);
    EXPECT_EQ(metrics.actors_started, sum.begun + other_actors);
    EXPECT_EQ(metrics.actors_stopped, metrics.actors_started);
    EXPECT_EQ(system_.live(), 0u);
    // Each thread keeps some at hand.
    constexpr std::size_t most_slots = most_alive + 2000;
    EXPECT_LE(program_memory.cells.made() - slots_before_, most_slots);
    for (std::uint32_t slot = 0; slot < program_memory.cells.made(); ++slot) {
      // relaxed: the threads are over
      EXPECT_EQ(program_memory.cells.at(slot)->permits_taken.load(relaxed), 0u) << "slot " << slot;
    }
  }

  actor_system& system() { return system_; }
  tally sum;

private:
  void send(const phone_book::entry& to) {
    const std::uint64_t count = sum.sent.fetch_add(1, std::memory_order_relaxed);
    if (count % 4 == 0) {
      send_late(to);
    } else {
      (void)to.who.tell(letter{to.number});
    }
  }
  // A sender that was interrupted right after it checked the generation.
  static void send_late(const phone_book::entry& to) {
    thread_record& here = this_thread();
    cell& c = *to.who.slot();
    envelope& e = *internal::enclose<letter>(here, letter{to.number});
    e.from = {};
    e.generation = to.who.generation();
    const push_result pushed = c.box.push(e);
    if (pushed == push_result::make_ready) make_ready(c);
    if (pushed == push_result::closed) end_refused(here, &c, e, drop_reason::stopped);
  }

  phone_book book_;
  actor_system system_;
  std::uint32_t slots_before_;
};

// spec: M5 M6
// case: RG-02
TEST(actors_tenants,
     a_million_lives_on_four_threads_and_no_message_reaches_another_than_was_meant) {
  town all;
  {
    std::vector<std::jthread> makers;
    for (std::uint32_t i = 0; i < makers_in_all; ++i) {
      makers.emplace_back([&all, i] {
        maker self{.chance = std::minstd_rand{i + 1}};
        while (all.goes_on()) {
          all.one_life(all.system(), self);
          while (all.is_crowded())
            std::this_thread::yield();
        }
      });
    }
    all.senders_until_over();
  }
  const std::atomic<std::uint64_t> none = 0;
  all.expect_all_well(none, 0);
  EXPECT_LE(all.sum.destroyed, all.sum.begun) << "some were stopped before they came to life";
}

class nursery : public actor<more> {
public:
  nursery(town* all, std::uint32_t self)
      : all_(all), maker_{.chance = std::minstd_rand{self + 1}} {}
  void receive(context& ctx, more) {
    ++turns;
    // Its children are removed when it handles its mail. They end when a worker runs them, which
    // the machine may keep from running for as long as it likes: it does not run ahead of them
    // either.
    for (int i = 0; i < 20 && !all_->is_crowded(); ++i)
      all_->one_life(ctx, maker_);
    if (all_->goes_on()) ctx.self().tell(more{});
  }
  static inline std::atomic<std::uint64_t> turns = 0;

private:
  town* all_;
  maker maker_;
};

// spec: M5 M6
TEST(actors_tenants, the_same_when_actors_spawn_and_stop_their_children) {
  town all;
  nursery::turns = 0;
  for (std::uint32_t i = 0; i < makers_in_all; ++i)
    all.system().spawn<nursery>("", &all, i).tell(more{});
  all.senders_until_over();
  all.expect_all_well(nursery::turns, makers_in_all);
}

template <int Number>
struct event {};
class listener : public actor<event<0>, event<1>, event<2>, event<3>> {
public:
  void receive(context&, event<0>) {}
  void receive(context&, event<1>) {}
  void receive(context&, event<2>) {}
  void receive(context&, event<3>) {}
};

// spec: A2g
TEST(actors_tenants, a_subscription_that_meets_the_end_of_its_actor_is_not_left_behind) {
  constexpr std::uint32_t rounds = scaled(10'000, 2000);
  actor_system system{{.workers = 1, .log = {.sink = say_nothing}}};
  std::atomic<std::uint32_t> started = 0;
  std::atomic<std::uint32_t> subscribed = 0;
  listener::ref who;
  std::jthread subscriber{[&] {
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      started.wait(round - 1);
      for (std::uint32_t pause = round % 64; pause > 0; --pause)
        port::cpu_relax();
      event_stream& events = system.events();
      (void)events.subscribe<event<0>>(who);
      (void)events.subscribe<event<1>>(who);
      (void)events.subscribe<event<2>>(who);
      (void)events.subscribe<event<3>>(who);
      subscribed = round;
    }
  }};
  std::uint32_t left_behind = 0;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    who = system.spawn<listener>("");
    system.stop(who);
    started = round;
    started.notify_one();
    while (subscribed != round || system.live() != 0)
      std::this_thread::yield();
    if (!system.events().has_no_subscriber()) ++left_behind;
    (void)system.events().unsubscribe_all(who);
  }
  EXPECT_EQ(left_behind, 0u);
}

}  // namespace
}  // namespace tactor::stress
