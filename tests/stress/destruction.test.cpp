// SPDX-License-Identifier: BSL-1.0
// Systems, references and answers end in every order, with everything pending that can be: nothing
// hangs, nothing is lost, nothing is left behind.
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/host/actor_system.hpp"

#include "instrumented.hpp"
#include "threads_of_ours.hpp"
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace tactor::stress {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

void say_nothing(const log_record& /*what*/) noexcept {}

// Something that must not be left behind.
using parcel = std::shared_ptr<int>;

struct letter {
  parcel what;
};
struct question_of {
  parcel what;
  using reply = parcel;
};
// Shared: a waiting thread may still read it after the counting thread has ended.
using shared_latch = std::shared_ptr<std::latch>;
struct hold {
  shared_latch begun;
  shared_latch go_on;
};

// Keeps its answers to itself, and everything it is sent.
class mute : public actor<question_of, letter, hold> {
public:
  explicit mute(const parcel& what) : kept_{what} {}
  delegated<parcel> receive(context& ctx, const question_of& q) {
    kept_.push_back(q.what);
    owed_.push_back(ctx.reply_later<parcel>());
    return owed_.back().as_delegated();
  }
  void receive(context&, const letter& l) { kept_.push_back(l.what); }
  void receive(context&, const hold& h) {
    h.begun->count_down();
    h.go_on->wait();
  }

private:
  std::vector<parcel> kept_;
  std::vector<reply_to<parcel>> owed_;
};

// Asks an actor that never answers.
class asker : public actor<letter> {
public:
  asker(const mute::ref& whom, const parcel& what) : whom_(whom), what_(what) {}
  void pre_start(context& ctx) {
    ctx.ask(whom_, question_of{what_}, 1h,
            [kept = what_](const auto& said) { EXPECT_FALSE(said.has_value()); });
  }
  void receive(context&, const letter&) {}

private:
  mute::ref whom_;
  parcel what_;
};

using answer = pending_reply<parcel>;

// A system in the middle of everything. The handlers of `held` come back when `go_on` says so.
struct everything_pending {
  std::optional<actor_system> system{std::in_place,
                                     system_config{.workers = 3, .log = {.sink = say_nothing}}};
  parcel what = std::make_shared<int>(7);
  shared_latch begun = std::make_shared<std::latch>(4);
  shared_latch go_on = std::make_shared<std::latch>(1);
  mute::ref silent = system->spawn<mute>("silent", what);
  std::vector<mute::ref> held;
  mute::ref full;
  std::vector<answer> answers;

  everything_pending() {
    for (const dispatcher where : {dispatcher::pool, dispatcher::pinned, dispatcher::blocking}) {
      held.push_back(system->spawn<mute>({.dispatcher = where}, what));
      held.back().tell(hold{begun, go_on});
    }
    // Nothing behind them is handled: a mailbox that is full, questions, letters.
    full = system->spawn<mute>({.mailbox = {.capacity = 2,
                                            .overflow = overflow_strategy::block_producer,
                                            .push_timeout_ms = 1},
                                .dispatcher = dispatcher::blocking},
                               what);
    full.tell(hold{begun, go_on});
    begun->wait();
    for (int i = 0; i < 3; ++i)
      full.tell(letter{what});
    for (const mute::ref& each : held) {
      each.tell(letter{what});
      answers.push_back(system->ask(each, question_of{what}, 500ms));
    }
    answers.push_back(system->ask(silent, question_of{what}, 500ms));
    (void)system->spawn<asker>("asker", silent, what);
    for (int i = 0; i < 10; ++i) {
      EXPECT_TRUE(system->schedule_once(1h, silent, letter{what}).has_value());
      EXPECT_TRUE(system->timers().schedule_once(1h, [kept = what] { (void)kept; }).has_value());
      EXPECT_TRUE(system->schedule_at_fixed_rate(1ms, 1ms, silent, letter{what}).has_value());
    }
  }

  // Everything has ended, and nothing is leaked.
  void expect_nothing_left() {
    answers.clear();
    wait_for_threads_to_end();
    EXPECT_EQ(what.use_count(), 1);
    for (const mute::ref& each : held) {
      EXPECT_EQ(each.tell(letter{what}), tell_result::closed);
      EXPECT_EQ(program_memory.cells.find(each.index()), nullptr);
    }
    EXPECT_EQ(silent.tell(letter{what}), tell_result::closed);
    EXPECT_EQ(full.tell(letter{what}), tell_result::closed);
    EXPECT_EQ(what.use_count(), 1);
  }
};

void expect_errors(std::vector<answer>& answers) {
  for (answer& each : answers)
    EXPECT_FALSE(std::move(each).get().has_value());
}

// spec: A5 A2b M6
TEST(destruction, of_a_system_with_everything_pending_leaves_nothing) {
  everything_pending all;
  all.go_on->count_down();
  all.system.reset();
  wait_for_threads_to_end();
  expect_errors(all.answers);
  all.expect_nothing_left();
}

// spec: A5 D4
TEST(destruction, of_a_system_whose_handlers_return_only_afterwards_leaves_nothing) {
  everything_pending all;
  answer patient = all.system->ask(all.held[0], question_of{all.what}, 1h);
  const auto began = std::chrono::steady_clock::now();
  const shutdown_report report = all.system->shutdown(50ms);
  all.system.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 30s) << "they would never come back";
  EXPECT_FALSE(report.complete);
  // Those four; and others, if the machine keeps them from running for so long.
  EXPECT_GE(report.late().size(), 4u);
  expect_errors(all.answers);
  EXPECT_FALSE(patient.ready()) << "who is asked may still answer";
  all.go_on->count_down();
  EXPECT_FALSE(std::move(patient).get().has_value()) << "at once, not in an hour";
  all.expect_nothing_left();
}

// spec: A5 A2b
TEST(destruction, of_answers_before_their_system_and_of_answers_that_are_awaited) {
  everything_pending all;
  std::vector<std::jthread> waiting;
  for (answer& each : all.answers) {
    waiting.emplace_back(
        [mine = std::move(each)]() mutable { EXPECT_FALSE(std::move(mine).get().has_value()); });
  }
  all.answers.clear();
  all.answers.push_back(all.system->ask(all.silent, question_of{all.what}, 1h));
  all.answers.clear();  // not wanted any more
  all.answers.push_back(all.system->ask(all.silent, question_of{all.what}, 1h));
  all.go_on->count_down();
  all.system.reset();
  EXPECT_FALSE(std::move(all.answers[0]).get().has_value()) << "at once, not in an hour";
  waiting.clear();
  all.expect_nothing_left();
}

// spec: A5 D4
TEST(destruction, of_a_system_by_one_of_its_own_actors_or_callables_leaves_nothing) {
  for (int who = 0; who < 3; ++who) {
    everything_pending all;
    const auto destroy = [&all] {
      const auto began = std::chrono::steady_clock::now();
      all.system.reset();
      EXPECT_LT(std::chrono::steady_clock::now() - began, 4s) << "it waits for itself";
    };
    all.go_on->count_down();
    if (who == 2) {
      ASSERT_TRUE(all.system->timers().schedule_once(1ms, destroy).has_value());
    } else {
      const dispatcher where = who == 0 ? dispatcher::pool : dispatcher::pinned;
      const auto end =
          all.system->spawn({.dispatcher = where}, [&](context&, const letter&) { destroy(); });
      end.tell(letter{});
    }
    all.expect_nothing_left();
  }
}

// A tree whose parts run on different threads.
class branch : public actor<hold> {
public:
  struct news {
    std::latch complete{1};
    actor_ref<hold> leaf;
  };
  branch(std::vector<dispatcher> below, const parcel& what, news* to)
      : below_(std::move(below)), what_(what), to_(to) {}
  void pre_start(context& ctx) {
    if (below_.empty()) {
      to_->leaf = ctx.self();
      to_->complete.count_down();
      return;
    }
    const std::vector<dispatcher> rest{below_.begin() + 1, below_.end()};
    (void)ctx.spawn<branch>({.dispatcher = below_.front()}, rest, what_, to_);
  }
  void receive(context&, const hold& h) {
    h.begun->count_down();
    h.go_on->wait();
  }

private:
  std::vector<dispatcher> below_;
  parcel what_;
  news* to_;
};

// spec: A5 D4 D5
TEST(destruction, of_a_system_with_a_late_actor_ends_its_family_on_other_threads_too) {
  using enum dispatcher;
  const parcel what = std::make_shared<int>(1);
  for (const auto& tree : std::vector<std::vector<dispatcher>>{{pool, pinned},
                                                               {pinned, pool},
                                                               {pool, blocking},
                                                               {blocking, pool},
                                                               {pinned, pinned},
                                                               {pool, pinned, pool},
                                                               {pinned, pool, blocking}}) {
    for (const bool leaf_is_late : {true, false}) {
      const auto begun = std::make_shared<std::latch>(1);
      const auto go_on = std::make_shared<std::latch>(1);
      {
        branch::news news;
        actor_system system{{.workers = 2, .log = {.sink = say_nothing}}};
        const std::vector<dispatcher> below{tree.begin() + 1, tree.end()};
        const auto root = system.spawn<branch>({.dispatcher = tree.front()}, below, what, &news);
        news.complete.wait();
        (leaf_is_late ? news.leaf : actor_ref<hold>{root}).tell(hold{begun, go_on});
        begun->wait();
        EXPECT_FALSE(system.shutdown(20ms).complete);
      }
      go_on->count_down();
      wait_for_threads_to_end();
      EXPECT_EQ(what.use_count(), 1);
    }
  }
}

struct ball {
  parcel what;
};

// Forwards each ball to another actor, until no actor accepts it.
class player : public actor<ball> {
public:
  explicit player(const std::vector<std::atomic<actor_ref<ball>*>>* others) : others_(others) {}
  void receive(context&, const ball& b) {
    next_ = (next_ + 1) % others_->size();
    if (const auto* const whom = (*others_)[next_].load()) (void)whom->tell(b);
  }

private:
  const std::vector<std::atomic<actor_ref<ball>*>>* others_;
  std::size_t next_ = 0;
};

// spec: A5 M6
TEST(destruction, of_two_systems_whose_actors_send_to_each_other_in_either_order) {
  for (std::uint32_t round = 0; round < scaled(40, 10); ++round) {
    const parcel what = std::make_shared<int>(1);
    constexpr std::size_t players = 6;
    std::array<actor_ref<ball>, players> refs;
    std::vector<std::atomic<actor_ref<ball>*>> known(players);
    std::array<std::optional<actor_system>, 2> systems;
    for (auto& each : systems)
      each.emplace(system_config{.workers = 2, .log = {.sink = say_nothing}});
    for (std::size_t i = 0; i < players; ++i) {
      refs[i] = systems[i % 2]->spawn<player>("", &known);
      known[i] = &refs[i];
    }
    // Each hears of what is lost at the other's.
    for (std::size_t i = 0; i < 2; ++i) {
      const auto listener =
          systems[i]->spawn({.mailbox = {.capacity = 1}}, [](context&, const dead_letter&) {});
      EXPECT_TRUE(systems[1 - i]->events().subscribe<dead_letter>(listener));
    }
    for (const auto& each : refs)
      for (int i = 0; i < 20; ++i)
        each.tell(ball{what});
    std::jthread foreign{[&](const std::stop_token& stop) {
      while (!stop.stop_requested())
        for (const auto& each : refs)
          (void)each.tell(ball{what});
    }};
    std::this_thread::yield();
    systems[round % 2]->shutdown(round % 4 < 2 ? duration{} : duration{20ms});
    systems[round % 2].reset();
    systems[1 - round % 2]->shutdown(0ms);
    systems[1 - round % 2].reset();
    foreign = {};
    wait_for_threads_to_end();
    EXPECT_EQ(what.use_count(), 1);
  }
}

std::atomic<std::uint64_t> dead_letters_told;
void count_dead_letters(const log_record& what) noexcept {
  if (what.kind == log_kind::dead_letter) ++dead_letters_told;
}
struct again {};

// spec: A5 D2
TEST(destruction, of_a_system_counts_what_actors_of_another_send_to_it_meanwhile) {
  const system_config config{.workers = 1,
                             .log = {.sink = count_dead_letters,
                                     .min_level = log_level::info,
                                     .limit = {.records = 1U << 30U, .interval_ns = 0}}};
  for (std::uint32_t round = 0; round < scaled(100, 20); ++round) {
    std::atomic<std::uint64_t> sent = 0;
    std::atomic<std::uint64_t> handled = 0;
    std::atomic<bool> stop = false;
    std::latch begun{1};
    std::latch ended{1};
    dead_letters_told = 0;
    actor_system stays{config};
    std::optional<actor_system> ends{std::in_place, config};
    const auto target = ends->spawn("target", [&](context&, letter) { ++handled; });
    const auto source = stays.spawn("source", [&, target](actor_context<again>& ctx, again) {
      for (int i = 0; i < 50; ++i)
        target.tell(letter{});
      if (sent.fetch_add(50) == 0) begun.count_down();
      if (stop) return ended.count_down();
      ctx.self().tell(again{});
    });
    source.tell(again{});
    begun.wait();
    ends.reset();
    stop = true;
    ended.wait();
    EXPECT_TRUE(stays.shutdown(60s).complete);
    EXPECT_EQ(handled + dead_letters_told, sent) << "in round " << round;
  }
}

// The end of a system walks over the slots of all systems.
// spec: A5
TEST(destruction, of_one_system_does_not_touch_slots_that_another_is_making) {
  actor_system stays{{.workers = 1, .log = {.sink = say_nothing}}};
  std::atomic<bool> over = false;
  std::jthread spawns{[&] {
    for (std::uint32_t made = 0; made < scaled(20'000, 5'000); ++made)
      (void)stays.spawn<mute>("", nullptr);
    over = true;
  }};
  while (!over)
    const actor_system goes{{.workers = 1, .log = {.sink = say_nothing}}};
}

// spec: D4 A5
TEST(destruction, races_of_shutdowns_with_spawns_tells_asks_timers_and_each_other_end_well) {
  for (std::uint32_t round = 0; round < scaled(100, 30); ++round) {
    const parcel what = std::make_shared<int>(1);
    std::uint64_t spawned = 0;  // by one thread
    {
      actor_system system{{.workers = 2, .log = {.sink = say_nothing}}};
      const auto silent = system.spawn<mute>("silent", what);
      std::latch all_ready{7};
      std::vector<std::jthread> threads;
      const auto until_refused = [&](auto act) {
        threads.emplace_back([&all_ready, act] {
          all_ready.arrive_and_wait();
          while (act()) {
          }
        });
      };
      until_refused([&] {
        const dispatcher where = ++spawned % 16 == 0 ? dispatcher::pinned : dispatcher::pool;
        const auto made = system.try_spawn<asker>({.dispatcher = where}, silent, what);
        if (made) (void)made->tell(letter{what});
        return made.has_value();
      });
      until_refused([&] { return silent.tell(letter{what}) == tell_result::ok; });
      until_refused([&] {
        const auto said = system.ask(silent, question_of{what}, 1ms).get();
        return !said && said.error().kind == ask_failure::timed_out;
      });
      until_refused([&] { return system.schedule_once(1ms, silent, letter{what}).has_value(); });
      until_refused(
          [&] { return system.timers().schedule_once(1ms, [kept = what] {}).has_value(); });
      std::array<shutdown_report, 2> reports;
      for (shutdown_report& report : reports) {
        threads.emplace_back([&system, &all_ready, &report, round] {
          all_ready.arrive_and_wait();
          if (round % 3 == 0) system.force_stop();
          report = system.shutdown(round % 3 == 1 ? duration{} : duration{60s});
        });
      }
      threads.clear();
      EXPECT_EQ(reports[0].took.nanoseconds(), reports[1].took.nanoseconds());
      EXPECT_EQ(reports[0].left, reports[1].left);
      EXPECT_EQ(reports[0].complete, reports[1].complete);
      // One that had no time leaves those behind that the machine kept from running. They end with
      // it.
      EXPECT_TRUE(round % 3 == 1 || reports[0].complete);
      if (reports[0].left == 0) {
        wait_for_threads_to_end();
        EXPECT_EQ(system.live(), 0u);
        const metrics_snapshot metrics = system.metrics();
        EXPECT_EQ(metrics.actors_started, metrics.actors_stopped);
      }
    }
    wait_for_threads_to_end();
    EXPECT_EQ(what.use_count(), 1);
  }
}

}  // namespace
}  // namespace tactor::stress
