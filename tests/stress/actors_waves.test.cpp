// SPDX-License-Identifier: BSL-1.0
// Actors and threads come and go in numbers, and leave nothing behind; no actor starves meanwhile.
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/os/mapped_pages.hpp"
#include "tactor/testkit/system_drive.hpp"

#include "all_memory.hpp"
#include "instrumented.hpp"
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tactor::stress {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

void say_nothing(const log_record& /*what*/) noexcept {}

struct note {
  int number;
};
struct twice {
  int number;
  using reply = int;
};
struct hold {
  std::latch* begun;
  std::latch* go_on;
};

// Counts everything that has been made and is never given back to the machine.
struct memory_in_use {
  std::size_t slots = program_memory.cells.made();
  std::array<std::size_t, envelope_size_classes> blocks = blocks_now();

  static std::array<std::size_t, envelope_size_classes> blocks_now() {
    std::array<std::size_t, envelope_size_classes> all{};
    for (unsigned i = 0; i < envelope_size_classes; ++i)
      all[i] = program_memory.envelopes.blocks_made(i);
    return all;
  }
  // Scheduling decides how much is at hand in which thread: a few magazines more are no growth.
  // Nor is what may be under way at once; who tests sees to it that this is not left to chance.
  void expect_no_growth(std::size_t threads, std::size_t under_way = 0) const {
    const memory_in_use now;
    const std::size_t at_hand = 2 * std::size_t{magazine_capacity} * threads + under_way;
    EXPECT_LE(now.slots, slots + at_hand);
    for (unsigned i = 0; i < envelope_size_classes; ++i)
      EXPECT_LE(now.blocks[i], blocks[i] + at_hand) << "size class " << i;
  }
};

class holder : public actor<hold, note> {
public:
  void receive(context&, const hold& h) {
    h.begun->count_down();
    h.go_on->wait();
  }
  void receive(context&, note) {}
};

// case: RQ-18
TEST(actors_waves, of_ten_thousand_actors_leave_nothing_behind) {
  constexpr std::uint32_t actors = scaled(10'000, 2000);
  constexpr std::uint32_t waves = scaled(30, 8);
  std::atomic<std::uint64_t> handled = 0;
  std::vector<actor_ref<note>> all(actors);
  std::optional<actor_system> system{std::in_place,
                                     system_config{.workers = 4, .log = {.sink = say_nothing}}};
  memory_in_use after_three;
  for (std::uint32_t wave = 0; wave < waves; ++wave) {
    std::latch told{actors};
    for (auto& each : all) {
      each = system->spawn("", [&](context& ctx, const note&) {
        ++handled;
        told.count_down();
        if (ctx.self().index().slot % 2 == 0) ctx.stop();  // half stop themselves
      });
    }
    for (const auto& each : all)
      each.tell(note{1});
    told.wait();
    for (const auto& each : all)
      system->stop(each);
    while (system->live() != 0)
      std::this_thread::yield();
    if (wave == 2) after_three = {};
  }
  // Each may have a message, what it is made of, and itself, if no worker has come to run it.
  after_three.expect_no_growth(8, std::size_t{3} * actors);
  EXPECT_EQ(handled, std::uint64_t{actors} * waves);
  EXPECT_EQ(system->metrics().all_dead_letters(), 0u);
  system.reset();
  expect_all_memory_is_back();
}

// case: RQ-23
TEST(actors_waves, cells_still_queued_at_the_end_free_their_slots) {
  memory_in_use after_first;
  for (int round = 0; round < 5; ++round) {
    std::vector<actor_ref<note>> all(1000);
    std::atomic<std::uint64_t> handled = 0;
    {
      std::latch begun{1};
      std::latch go_on{1};
      actor_system system{{.workers = 1, .log = {.sink = say_nothing}}};
      system.spawn<holder>("holder").tell(hold{&begun, &go_on});
      begun.wait();
      for (auto& each : all) {
        each = system.spawn("", [&](context&, const note&) { ++handled; });
        each.tell(note{1});
      }
      EXPECT_EQ(system.live(), 1001u);
      system.force_stop();
      go_on.count_down();
      EXPECT_TRUE(system.shutdown(60s).complete);
      EXPECT_EQ(system.live(), 0u);
      EXPECT_EQ(system.metrics().all_dead_letters(), 1000u);
    }
    expect_all_memory_is_back();
    EXPECT_EQ(handled, 0u);
    for (const auto& each : all)
      EXPECT_EQ(program_memory.cells.find(each.index()), nullptr);
    if (round == 0) after_first = {};
  }
  after_first.expect_no_growth(2);
}

// spec: D3
// case: RQ-11
TEST(actors_waves, another_actor_runs_after_throughput_messages_on_one_worker) {
  for (const std::uint32_t throughput : {1U, 7U, 50U}) {
    std::latch begun{1};
    std::latch go_on{1};
    std::string order;  // one worker writes it
    {
      actor_system system{
          {.workers = 1, .dispatch = {.throughput = throughput, .slice = std::nullopt}}};
      system.spawn<holder>("holder").tell(hold{&begun, &go_on});
      begun.wait();
      const auto slow = system.spawn("slow", [&](context&, const note&) { order += 's'; });
      const auto fast = system.spawn("fast", [&](context&, const note&) { order += 'f'; });
      for (int i = 0; i < 100; ++i)
        slow.tell(note{i});
      fast.tell(note{0});
      go_on.count_down();
      EXPECT_TRUE(system.shutdown(60s).complete);
    }
    EXPECT_EQ(order.size(), 101u);
    EXPECT_EQ(order.find('f'), throughput);
  }
}

// spec: D3
// case: RQ-12
TEST(actors_waves, another_actor_runs_when_the_deadline_of_a_turn_is_over) {
  std::latch begun{1};
  std::latch go_on{1};
  std::string order;  // one worker writes it
  {
    actor_system system{{.workers = 1, .dispatch = {.throughput_deadline = 100us}}};
    system.spawn<holder>("holder").tell(hold{&begun, &go_on});
    begun.wait();
    const auto slow = system.spawn("slow", [&](context&, const note&) {
      const auto end = std::chrono::steady_clock::now() + 200us;
      while (std::chrono::steady_clock::now() < end) {
      }
      order += 's';
    });
    const auto fast = system.spawn("fast", [&](context&, const note&) { order += 'f'; });
    for (int i = 0; i < 10; ++i)
      slow.tell(note{i});
    fast.tell(note{0});
    go_on.count_down();
    EXPECT_TRUE(system.shutdown(60s).complete);
  }
  EXPECT_EQ(order.substr(0, 3), "sfs");
  EXPECT_EQ(order.size(), 11u);
}

struct ball {
  actor_ref<ball> back;
};

// spec: D3
TEST(actors_waves, an_actor_with_little_mail_is_not_starved_by_busy_actors) {
  std::atomic<bool> over = false;
  actor_system system{{.workers = 1, .log = {.sink = say_nothing}}};
  const auto play = [&over](actor<ball>::context& ctx, const ball& b) {
    if (!over) b.back.tell(ball{ctx.self()});
  };
  const actor_ref<ball> ping = system.spawn("ping", play);
  const actor_ref<ball> pong = system.spawn("pong", play);
  ping.tell(ball{pong});
  const auto busy = system.spawn("busy", [&over](actor<note>::context& ctx, const note& n) {
    if (!over) ctx.self().tell(n);
  });
  busy.tell(note{1});
  std::vector<actor_ref<twice>> seldom(scaled(1000, 100));
  for (auto& each : seldom)
    each = system.spawn("", [](context&, const twice& t) { return 2 * t.number; });
  std::chrono::nanoseconds longest{0};
  for (int round = 0; round < 2; ++round) {
    for (const auto& each : seldom) {
      const auto begun = std::chrono::steady_clock::now();
      EXPECT_EQ(system.ask(each, twice{round}, 20s).get(), 2 * round);
      longest =
          std::max(longest, std::chrono::nanoseconds{std::chrono::steady_clock::now() - begun});
    }
  }
  over = true;
  RecordProperty("longest_us", std::to_string(longest.count() / 1000));
}

// spec: M6
TEST(actors_waves, of_threads_that_come_and_go_leave_nothing_behind) {
  constexpr std::uint32_t threads = scaled(10'000, 1500);
  std::atomic<std::uint64_t> noted = 0;
  std::optional<actor_system> system{std::in_place,
                                     system_config{.workers = 2, .log = {.sink = say_nothing}}};
  const auto noter = system->spawn("noter", [&](context&, const note&) { ++noted; });
  const auto clerk = system->spawn("clerk", [](context&, const twice& t) { return 2 * t.number; });
  std::atomic<std::uint32_t> wrong = 0;
  const auto visit = [&](std::uint32_t number) {
    const int value = static_cast<int>(number);
    noter.tell(note{value});
    if (system->ask(clerk, twice{value}, 20s).get() != 2 * value) ++wrong;
    const auto brief = system->spawn("", [](context& ctx, const note&) { ctx.stop(); });
    brief.tell(note{value});
    (void)brief.tell(note{value});  // handled or a dead letter
  };
  memory_in_use after_some;
  for (std::uint32_t number = 0; number < threads; number += 2) {
    {
      const std::jthread one{visit, number};
      const std::jthread other{visit, number + 1};
    }
    // They do not run ahead of the workers.
    while (system->live() > 100 || number > noted + 100)
      std::this_thread::yield();
    if (number == threads / 10) after_some = {};
  }
  after_some.expect_no_growth(6, 5 * 100);
  EXPECT_TRUE(system->shutdown(60s).complete);
  system.reset();
  expect_all_memory_is_back();
  EXPECT_EQ(noted, threads);
  EXPECT_EQ(wrong, 0u);
}

// Speaks when the thread that has it ends, after nearly everything else of that thread.
struct last_words {
  actor_ref<note> to;
  explicit last_words(const actor_ref<note>& whom) : to(whom) {}
  last_words(const last_words&) = delete;
  last_words& operator=(const last_words&) = delete;
  ~last_words() {
    for (int i = 0; i < 3; ++i)
      to.tell(note{i});
  }
};

// spec: M6
TEST(actors_waves, of_threads_that_speak_when_they_end_leave_nothing_behind) {
  constexpr std::uint32_t threads = scaled(4000, 800);
  std::atomic<std::uint64_t> noted = 0;
  std::optional<actor_system> system{std::in_place,
                                     system_config{.workers = 2, .log = {.sink = say_nothing}}};
  const actor_ref<note> noter = system->spawn("noter", [&](context&, const note&) { ++noted; });
  memory_in_use after_some;
  for (std::uint32_t number = 0; number < threads; ++number) {
    std::jthread{[&] {
      thread_local const last_words words{noter};
      noter.tell(note{1});
      (void)words;
    }}.join();
    while (4 * number > noted + 100)  // they do not run ahead of the workers
      std::this_thread::yield();
    if (number == threads / 4) after_some = {};
  }
  after_some.expect_no_growth(4, 200);
  EXPECT_TRUE(system->shutdown(60s).complete);
  system.reset();
  expect_all_memory_is_back();
  EXPECT_EQ(noted, 4u * threads);
}

// spec: M6
TEST(actors_waves, of_threads_that_only_end_what_others_began_leave_nothing_behind) {
  constexpr std::uint32_t threads = scaled(4000, 1600);
  std::optional<actor_system> system{std::in_place,
                                     system_config{.workers = 2, .log = {.sink = say_nothing}}};
  const auto clerk = system->spawn("clerk", [](context&, const twice& t) { return 2 * t.number; });
  const auto noter = system->spawn("noter", [](context&, const note&) {});
  memory_in_use after_some;
  for (std::uint32_t number = 0; number < threads; ++number) {
    auto answer = system->ask(clerk, twice{1}, 20s);
    auto unwanted = system->ask(clerk, twice{2}, 20s);
    auto timer = system->schedule_once(1h, noter, note{1});
    ASSERT_TRUE(timer.has_value());
    std::jthread{[answer = std::move(answer)]() mutable {
      EXPECT_EQ(std::move(answer).get(), 2);
    }}.join();
    std::jthread{[unwanted = std::move(unwanted)]() mutable { (void)unwanted.ready(); }}.join();
    std::jthread{[&timer] { EXPECT_TRUE(timer->cancel()); }}.join();
    testkit::system_steps::poll_now(
        *system);  // what is cancelled is cleared away now, and not when the driver runs
    if (number == threads / 4) after_some = {};
  }
  after_some.expect_no_growth(4);
  system.reset();
  expect_all_memory_is_back();
}

// case: CS-13
TEST(actors_waves, of_systems_with_timers_and_asks_leave_nothing_behind) {
  constexpr int systems = static_cast<int>(scaled(200, 60));
  memory_in_use after_some;
  for (int number = 0; number < systems; ++number) {
    actor_system system{{.workers = 2, .log = {.sink = say_nothing}}};
    std::latch told{20};
    const auto noter = system.spawn("noter", [&](context&, const note&) { told.count_down(); });
    const auto clerk = system.spawn("clerk", [](context&, const twice& t) { return 2 * t.number; });
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(system.schedule_once(1ms, noter, note{i}).has_value());
      EXPECT_TRUE(system.schedule_once(1h, noter, note{i}).has_value());
      EXPECT_TRUE(system.schedule_once(1h, noter, note{i})->cancel());
    }
    EXPECT_EQ(system.ask(clerk, twice{1}, 20s).get(), 2);
    told.wait();
    if (number == systems / 4) after_some = {};
    EXPECT_TRUE(system.shutdown(60s).complete);
    wait_for_threads_to_end();  // so that the next one finds what they had
  }
  after_some.expect_no_growth(4);
  expect_all_memory_is_back();
}

// case: CS-13
TEST(actors_waves, of_threads_with_a_system_of_their_own_leave_nothing_behind) {
  constexpr int systems = static_cast<int>(scaled(200, 60));
  memory_in_use after_some;
  for (int number = 0; number < systems; ++number) {
    std::optional<actor_system> system;
    std::jthread{[&] {
      system.emplace(system_config{.workers = 1, .log = {.sink = say_nothing}});
    }}.join();
    std::jthread{[&] {
      (void)system->events().subscribe<dead_letter>(actor_ref<dead_letter>{});
    }}.join();
    std::jthread{[&] { system.reset(); }}.join();
    wait_for_threads_to_end();  // so that the next one finds what they had
    if (number == systems / 4) after_some = {};
  }
  after_some.expect_no_growth(2);
  expect_all_memory_is_back();
}

// spec: D5
// case: RQ-21
TEST(actors_waves, of_pinned_actors_leave_no_thread_and_no_memory_behind) {
  constexpr int rounds = static_cast<int>(scaled(300, 60));
  actor_system system{{.workers = 1, .log = {.sink = say_nothing}}};
  std::size_t pages = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 4; ++i) {
      const auto who = system.spawn({.dispatcher = dispatcher::pinned},
                                    [](context& ctx, const note&) { ctx.stop(); });
      who.tell(note{i});
    }
    while (system.live() != 0)
      std::this_thread::yield();
    wait_for_threads_to_end("pin-");  // so that the next ones find what they had
    if (round == rounds / 4) pages = internal::mapped_pages::of_program().given_out();
  }
  EXPECT_LE(internal::mapped_pages::of_program().given_out(), pages + (std::size_t{1} << 20));
  EXPECT_TRUE(system.shutdown(60s).complete);
}

}  // namespace
}  // namespace tactor::stress
