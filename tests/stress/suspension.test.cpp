// SPDX-License-Identifier: BSL-1.0
// Suspensions on real threads: whatever races with whatever, nothing is lost, doubled or left
// behind.
#include "tactor/core/life/suspension.hpp"

#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/supervision/supervision.hpp"
#include "tactor/host/actor_system.hpp"

#include "instrumented.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <latch>
#include <thread>
#include <vector>

namespace tactor::stress {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

void say_nothing(const log_record& /*what*/) noexcept {}

struct note {
  std::uint32_t sender = 0;
  std::uint32_t number = 0;
};

constexpr std::array user_reasons{suspend_reason::await_external, suspend_reason::rate_limit,
                                  suspend_reason::user_defined};
constexpr std::uint32_t senders = 3;

// Threads may be quicker than the actor; then they are told.
void fine(const std::expected<void, suspend_error>& said) {
  EXPECT_TRUE(said || said.error() == suspend_error::full);
}

// Records what one actor has seen; written by the worker that runs it.
struct book {
  std::array<std::uint32_t, senders> last{};
  std::uint32_t out_of_order = 0;
  std::atomic<std::uint32_t> handled = 0;
};

// Fails now and then, and has a child that is held with it.
class clerk : public actor<note> {
public:
  clerk(book* const& own, book* const& of_child, actor_ref<note>* const& child,
        std::latch* const& born)
      : own_(own), of_child_(of_child), child_(child), born_(born) {}
  void pre_start(context& ctx) {
    if (of_child_ == nullptr) return;
    *child_ = ctx.spawn<clerk>({.on_failure = restart{}}, of_child_, static_cast<book*>(nullptr),
                               child_, born_);
    born_->count_down();
  }
  void pre_restart(context&, const failure&) {}  // its child lives on
  void post_restart(context&, const failure&) {}
  std::expected<void, failure> receive(context&, const note& n) {
    std::uint32_t& last = own_->last[n.sender];
    if (n.number != ++last) ++own_->out_of_order;
    ++own_->handled;
    if (n.number % 37 == 0) return std::unexpected{failure{"now and then"}};
    return {};
  }

private:
  book* own_;
  book* of_child_;
  actor_ref<note>* child_;
  std::latch* born_;
};

resume_condition condition_of(std::uint32_t chance, const actor_ref<>& other) {
  switch (chance % 4) {
  case 0:
    return resume_after(std::chrono::microseconds{100 + chance % 900});
  case 1:
    return on_signal(signal_key{chance % 3});
  case 2:
    return when_capacity(other);
  default:
    return {};
  }
}

// spec: P2, P4
TEST(suspension_stress, threads_that_steer_and_send_lose_and_double_nothing) {
  constexpr std::uint32_t pairs = 4;
  constexpr std::uint32_t rounds = scaled(20'000, 2000);
  std::array<book, 2 * pairs> books;
  std::array<actor_ref<note>, 2 * pairs> all;
  actor_system system{{.workers = 3, .log = {.sink = say_nothing}}};
  std::latch born{pairs};
  for (std::uint32_t i = 0; i < pairs; ++i) {
    all[i] = system.spawn<clerk>({.on_failure = restart{}}, &books[i], &books[pairs + i],
                                 &all[pairs + i], &born);
  }
  born.wait();
  const auto small = system.spawn({.mailbox = {.capacity = 2}}, [](context&, const note&) {});
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t sender = 0; sender < senders; ++sender) {
      threads.emplace_back([&, sender] {
        for (std::uint32_t number = 1; number <= rounds; ++number) {
          for (const auto& each : all)
            EXPECT_EQ(each.tell(note{sender, number}), tell_result::ok);
          (void)small.tell(note{});
        }
      });
    }
    for (std::uint32_t steerer = 0; steerer < 2; ++steerer) {
      threads.emplace_back([&, steerer] {
        std::uint32_t chance = 12345 + steerer;
        for (std::uint32_t i = 0; i < rounds; ++i) {
          chance = chance * 1664525 + 1013904223;
          const auto& whom = all[(chance >> 8) % all.size()];
          const suspend_reason why = user_reasons[(chance >> 12) % 3];
          fine(system.suspend(whom, why, condition_of(chance >> 16, small)));
          if (chance >> 30 == 0) fine(system.suspend(whom, why));
          fine(system.signal(whom, signal_key{(chance >> 16) % 3}));
          fine(system.resume(whom, why));
        }
      });
    }
  }
  for (const auto& each : all)
    for (const suspend_reason why : user_reasons)
      while (!system.resume(each, why))
        std::this_thread::yield();
  // A draining actor would stop at its next failure.
  const auto end = std::chrono::steady_clock::now() + 200s;  // however busy the machine is
  const auto all_handled = [&] {
    return std::ranges::all_of(books, [](const book& b) { return b.handled == senders * rounds; });
  };
  while (!all_handled() && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
  EXPECT_TRUE(system.shutdown(60s).complete);
  for (const book& each : books) {
    EXPECT_EQ(each.handled, senders * rounds);
    EXPECT_EQ(each.out_of_order, 0u);
  }
  EXPECT_EQ(system.timers().metrics().active_total, 0u);
  const metrics_snapshot counted = system.metrics();
  EXPECT_EQ(counted.suspensions, counted.resumes);
}

// spec: P4
TEST(suspension_stress, stops_of_suspended_actors_lose_and_double_nothing) {
  constexpr std::uint32_t most = scaled(3000, 400);
  constexpr std::uint32_t least = 100;
  constexpr std::uint32_t each_sends = 20;
  std::uint32_t rounds = 0;
  actor_system system{{.workers = 3, .log = {.sink = say_nothing}}};
  std::atomic<std::uint64_t> handled = 0;
  // On a busy machine each round takes long.
  const auto enough = std::chrono::steady_clock::now() + 10s;
  for (; rounds < least || (rounds < most && std::chrono::steady_clock::now() < enough); ++rounds) {
    const auto who = system.spawn("", [&](context&, const note&) { ++handled; });
    std::latch begin{3};
    const std::jthread sender{[&] {
      begin.arrive_and_wait();
      for (std::uint32_t i = 0; i < each_sends; ++i)
        (void)who.tell(note{});
    }};
    const std::jthread steerer{[&] {
      begin.arrive_and_wait();
      (void)system.suspend(who, suspend_reason::rate_limit, resume_after(1ms));
      (void)system.suspend(who);
      (void)system.resume(who, suspend_reason::rate_limit);
      (void)system.resume(who);
    }};
    begin.arrive_and_wait();
    system.stop(who);
  }
  while (system.live() != 0)
    std::this_thread::yield();
  EXPECT_TRUE(system.shutdown(60s).complete);
  EXPECT_EQ(handled + system.metrics().all_dead_letters(), std::uint64_t{rounds} * each_sends);
  EXPECT_EQ(system.timers().metrics().active_total, 0u);
}

std::array<std::size_t, envelope_size_classes> blocks_made() {
  std::array<std::size_t, envelope_size_classes> all{};
  for (unsigned i = 0; i < envelope_size_classes; ++i)
    all[i] = program_memory.envelopes.blocks_made(i);
  return all;
}

// spec: P2, P4
TEST(suspension_stress, a_million_cycles_leave_nothing_behind) {
  constexpr std::uint32_t cycles = scaled(1'000'000, 60'000);
  constexpr std::uint32_t window = 512;
  constexpr std::size_t threads = 4;
  actor_system system{{.workers = 2, .log = {.sink = say_nothing}}};
  std::atomic<std::uint32_t> handled = 0;
  std::uint32_t out_of_order = 0;  // one actor writes it
  const auto who = system.spawn("who", [&](context&, const note& n) {
    if (n.number != handled.load()) ++out_of_order;
    ++handled;
    handled.notify_one();
  });
  std::array<std::size_t, envelope_size_classes> before{};
  for (std::uint32_t i = 0; i < cycles; ++i) {
    switch (i % 4) {
    case 0:
      fine(system.suspend(who));
      who.tell(note{0, i});
      fine(system.resume(who));
      break;
    case 1:
      fine(system.suspend(who, suspend_reason::rate_limit, resume_after(1h)));
      who.tell(note{0, i});
      fine(system.resume(who, suspend_reason::rate_limit));
      break;
    case 2:
      fine(system.suspend(who, suspend_reason::await_external, on_signal(signal_key{i})));
      who.tell(note{0, i});
      fine(system.signal(who, signal_key{i}));
      break;
    default:
      who.tell(note{0, i});
      fine(system.suspend(who, suspend_reason::user_defined, when_capacity(actor_ref<>{})));
    }
    // Otherwise the queues would be what grows.
    for (std::uint32_t seen = handled; i + 1 - seen > window; seen = handled)
      handled.wait(seen);
    if (i == cycles / 10) before = blocks_made();
  }
  for (std::uint32_t seen = handled; seen != cycles; seen = handled)
    handled.wait(seen);
  const auto after = blocks_made();
  for (unsigned i = 0; i < envelope_size_classes; ++i)
    EXPECT_LE(after[i], before[i] + 2 * std::size_t{magazine_capacity} * threads + 4 * window)
        << "size class " << i;
  EXPECT_TRUE(system.shutdown(60s).complete);
  EXPECT_EQ(out_of_order, 0u);
  EXPECT_EQ(system.timers().metrics().active_total, 0u);
  // An actor that is suspended again before it is resumed is suspended once.
  EXPECT_EQ(system.metrics().suspensions, system.metrics().resumes);
  EXPECT_GE(system.metrics().suspensions, cycles / 2);
}

// spec: P3
// case: SR-11
TEST(suspension_stress, a_million_messages_give_a_suspended_actor_no_turn) {
  constexpr std::uint32_t many = scaled(1'000'000, 100'000);
  actor_system system{{.workers = 2, .log = {.sink = say_nothing}}};
  std::uint32_t handled = 0;  // one actor writes these
  std::uint32_t out_of_order = 0;
  const auto who = system.spawn("who", [&](context&, const note& n) {
    if (n.number != handled++) ++out_of_order;
  });
  fine(system.suspend(who));
  while (system.metrics().suspensions == 0)
    std::this_thread::yield();
  const std::uint64_t turns = system.metrics().turns;
  for (std::uint32_t i = 0; i < many; ++i)
    who.tell(note{0, i});
  // Those in which it began and was suspended: workers count theirs when they have nothing to do.
  EXPECT_LE(system.metrics().turns, turns + 2);
  fine(system.resume(who));
  EXPECT_TRUE(system.shutdown(60s).complete);
  EXPECT_EQ(handled, many);
  EXPECT_EQ(out_of_order, 0u);
}

}  // namespace
}  // namespace tactor::stress
