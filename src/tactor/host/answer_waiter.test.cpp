// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/answer_waiter.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/reply_to.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/future.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <expected>
#include <latch>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using internal::answer_waiter;

struct wish {
  int number = 0;
  using reply = int;
};
struct hold {
  using reply = int;
};
struct resume_from_parent {};

class teller : public actor<wish> {
public:
  int receive(context&, wish w) { return w.number + 1; }
};

// Answers when it is told to.
class keeper : public actor<hold, resume_from_parent> {
public:
  delegated<int> receive(context& ctx, hold) {
    held_.push_back(ctx.reply_later<int>());
    return held_.back().as_delegated();
  }
  void receive(context&, resume_from_parent) {
    for (auto& each : held_)
      each.send(1);
    held_.clear();
  }

private:
  std::vector<reply_to<int>> held_;
};

/// An answer from this thread, as an actor would send it.
void answer(const thread_ask& asked, int value) {
  internal::answer_reply_slot<int>(asked.as_origin(), value);
}
std::uint64_t in_an_hour() {
  return answer_waiter::of_program().time_ns() + 3'600'000'000'000;
}

// spec: A2b
TEST(answer_waiter, finds_an_answer_that_is_there_already) {
  const actor_system system;
  thread_ask asked = system.open_ask();
  answer(asked, 3);
  EXPECT_TRUE(answer_waiter::of_program().run_until_answered(asked, 0));
  EXPECT_EQ(asked.take<int>().value_or(0), 3);
}

// spec: A2b
TEST(answer_waiter, gives_up_when_the_time_is_over_and_can_wait_again) {
  const actor_system system;
  thread_ask asked = system.open_ask();
  EXPECT_FALSE(answer_waiter::of_program().run_until_answered(asked, 0));
  EXPECT_FALSE(answer_waiter::of_program().run_until_answered(
      asked, answer_waiter::of_program().time_ns() + 1'000'000));
  answer(asked, 3);
  EXPECT_TRUE(answer_waiter::of_program().run_until_answered(asked, 0));
}

// spec: A2b
// case: AK-04
TEST(answer_waiter, finds_no_answer_that_came_after_the_deadline) {
  const actor_system system;
  thread_ask late = system.open_ask();
  late.set_deadline(answer_waiter::of_program().time_ns() - 1'000);
  answer(late, 3);
  EXPECT_FALSE(answer_waiter::of_program().run_until_answered(late, 0));
  EXPECT_EQ(system.metrics().dead_letters_for(drop_reason::late_answer), 1u);
  thread_ask in_time = system.open_ask();
  in_time.set_deadline(in_an_hour());
  answer(in_time, 3);
  EXPECT_TRUE(answer_waiter::of_program().run_until_answered(in_time, 0));
}

// spec: A2b
TEST(answer_waiter, wakes_a_thread_that_sleeps) {
  const actor_system system;
  for (int i = 0; i < 200; ++i) {
    thread_ask asked = system.open_ask();
    std::jthread other{
        [&, from = asked.as_origin()] { internal::answer_reply_slot<int>(from, i); }};
    ASSERT_TRUE(answer_waiter::of_program().run_until_answered(asked, in_an_hour()));
    EXPECT_EQ(asked.take<int>().value_or(-1), i);
  }
}

// An answer and the end of the waiting come at the same time, again and again: either the answer is
// there, or it is late; a slot is never released while its wait word is still being written.
// spec: A2b
// case: AK-04
TEST(answer_waiter, survives_answers_that_arrive_at_the_timeout) {
  actor_system system;
  std::uint64_t answered = 0;
  const std::uint64_t late_before = system.metrics().dead_letters_for(drop_reason::late_answer);
  constexpr std::uint64_t most = 2000;
  constexpr std::uint64_t least = 100;
  std::uint64_t rounds = 0;
  // On a busy machine each round takes long.
  const auto enough = std::chrono::steady_clock::now() + 5s;
  for (; rounds < least || (rounds < most && std::chrono::steady_clock::now() < enough); ++rounds) {
    std::latch begin{2};
    thread_ask asked = system.open_ask();
    std::jthread other{[&, from = asked.as_origin()] {
      begin.arrive_and_wait();
      internal::answer_reply_slot<int>(from, 1);
    }};
    begin.arrive_and_wait();
    const std::uint64_t soon = answer_waiter::of_program().time_ns() + rounds % 64 * 1000;
    if (answer_waiter::of_program().run_until_answered(asked, soon)) ++answered;
    asked.close();
  }
  const std::uint64_t late =
      system.metrics().dead_letters_for(drop_reason::late_answer) - late_before;
  EXPECT_LE(answered + late, rounds);
}

// spec: A2b
// case: AK-01 AK-02 AK-03 AK-04
TEST(ask_from_a_thread, gets_an_answer_or_the_reason_why_there_is_none) {
  actor_system system;
  const auto desk = system.spawn<teller>("desk");
  EXPECT_EQ(system.ask(desk, wish{1}, 1h).get().value_or(0), 2);
  EXPECT_EQ(system.ask<wish>(desk, 1h, 4).get().value_or(0), 5);

  EXPECT_EQ(system.ask(actor_ref<wish>{}, wish{1}, 1h).get().error().kind,
            ask_failure::target_terminated);

  const auto silent = system.spawn<keeper>("silent");
  for (const duration none : {duration{}, duration{-1s}}) {
    const auto said = system.ask(silent, hold{}, none).get();
    EXPECT_EQ(said.error().kind, ask_failure::refused);
    EXPECT_EQ(said.error().waited, duration{});
  }
  const auto said = system.ask(silent, hold{}, 2ms).get();
  ASSERT_FALSE(said.has_value());
  EXPECT_EQ(said.error().kind, ask_failure::timed_out);
  EXPECT_EQ(said.error().target, silent);
  EXPECT_GE(said.error().waited, duration{2ms});
  EXPECT_NE(said.error().message_type.find("hold"), std::string_view::npos);
}

// spec: A2b
// case: AK-08
TEST(ask_from_a_thread, learns_that_its_target_stopped_while_it_slept) {
  actor_system system;
  const auto silent = system.spawn<keeper>("silent");
  std::jthread other{[&] {
    while (system.metrics().messages_handled == 0)
      std::this_thread::yield();
    system.stop(silent);
  }};
  const auto said = system.ask(silent, hold{}, 1h).get();
  ASSERT_FALSE(said.has_value());
  EXPECT_EQ(said.error().kind, ask_failure::target_terminated);
}

// spec: A2b A5
TEST(ask_from_a_thread, may_be_waited_for_after_the_system_has_ended) {
  std::optional<pending_reply<int>> unanswered;
  std::optional<pending_reply<int>> answered;
  std::optional<pending_reply<int>> dropped;
  {
    actor_system system;
    const auto silent = system.spawn<keeper>("silent");
    const auto desk = system.spawn<teller>("desk");
    unanswered.emplace(system.ask(silent, hold{}, 1h));
    answered.emplace(system.ask(desk, wish{1}, 1h));
    dropped.emplace(system.ask(silent, hold{}, 1h));
  }
  EXPECT_TRUE(unanswered->ready());
  const auto said = std::move(*unanswered).get();
  ASSERT_FALSE(said.has_value());
  EXPECT_EQ(said.error().kind, ask_failure::target_terminated);
  EXPECT_EQ(std::move(*answered).get().value_or(0), 2);
  dropped.reset();
}

// spec: A2b
TEST(ask_from_a_thread, ends_with_the_system_when_its_obligation_is_kept_elsewhere) {
  std::optional<reply_to<int>> kept;
  std::latch asked{1};
  actor_system system;
  const auto who = system.spawn("who", [&](context& ctx, hold) {
    kept = ctx.reply_later<int>();
    asked.count_down();
    return kept->as_delegated();
  });
  auto answer = system.ask(who, hold{}, 2s);
  asked.wait();
  (void)system.shutdown(1s);
  EXPECT_TRUE(answer.ready());
  EXPECT_EQ(std::move(answer).get().error().kind, ask_failure::would_never_answer);
}

TEST(ask_from_a_thread_death_test, from_within_an_actor_panics_with_advice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        actor_system system;
        const auto desk = system.spawn<teller>("desk");
        const auto wrong = system.spawn("wrong", [&](tactor::context&, wish) {
          return system.ask(desk, wish{1}, 1s).get().value_or(0);
        });
        (void)system.ask(wrong, wish{1}, 1h).get();
      },
      "/user/wrong: this actor waited for an answer in a handler(.|\n)*receive the answer as a "
      "message");
}

// Four threads ask while actors come and go: each ask gets exactly one answer, from
// the actor that was asked.
// spec: A2b M3
TEST(ask_from_a_thread, is_safe_while_actors_stop) {
  actor_system system;
  constexpr int threads = 4;
  constexpr int rounds = 500;
  std::mutex mutex;
  std::array<actor_ref<wish>, 4> desks;
  for (auto& desk : desks)
    desk = system.spawn<teller>("");
  std::atomic<int> asking{threads};
  std::atomic<int> asked{0};
  std::atomic<int> answered{0};
  std::atomic<int> refused{0};
  std::vector<std::jthread> crowd;
  crowd.reserve(threads + 1);
  for (int t = 0; t < threads; ++t) {
    crowd.emplace_back([&, t] {
      for (int i = 0; i < rounds; ++i) {
        actor_ref<wish> to;
        {
          const std::scoped_lock lock{mutex};
          to = desks[static_cast<std::size_t>(i) % desks.size()];
        }
        const int number = t * rounds + i;
        auto pending = system.ask(to, wish{number}, 1h);
        ++asked;
        asked.notify_one();
        if (i % 7 == 0) continue;  // not wanted after all
        const auto said = std::move(pending).get();
        if (said) {
          ASSERT_EQ(*said, number + 1);
          answered.fetch_add(1);
        } else {
          ASSERT_EQ(said.error().kind, ask_failure::target_terminated);
          refused.fetch_add(1);
        }
      }
      asking.fetch_sub(1);
      ++asked;
      asked.notify_one();
    });
  }
  crowd.emplace_back([&] {
    for (std::size_t i = 0; asking.load() > 0; ++i) {
      const int before = asked;
      {
        const auto fresh = system.spawn<teller>("");
        const std::scoped_lock lock{mutex};
        system.stop(std::exchange(desks[i % desks.size()], actor_ref<wish>{fresh}));
      }
      if (asking.load() > 0) asked.wait(before);  // or it would only be in their way
    }
  });
  crowd.clear();
  EXPECT_GT(answered.load(), 0);
}

// Actors ask actors on other threads, with timeouts so short that some are reached, while all of
// them stop.
// spec: A2b D1
TEST(ask_in_an_actor_on_threads, is_safe_while_both_sides_stop) {
  struct begin {
    int rounds = 0;
  };
  struct counts {
    std::atomic<int> asked{0};
    std::atomic<int> ended{0};
    std::atomic<int> timed_out{0};
  };
  // Counts its end, however it ends.
  struct ticket {
    explicit ticket(counts* of) : of_(of) { of->asked.fetch_add(1); }
    ticket(ticket&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
    ticket& operator=(ticket&&) = delete;
    ticket(const ticket&) = delete;
    ticket& operator=(const ticket&) = delete;
    ~ticket() {
      if (of_ != nullptr) of_->ended.fetch_add(1);
    }
    counts* of_;
  };
  class client : public actor<begin> {
  public:
    client(const actor_ref<wish>& desk, const actor_ref<hold>& slow, counts* counted)
        : desk_(desk), slow_(slow), counted_(counted) {}
    void receive(context& ctx, begin b) { ask(ctx, b.rounds); }

  private:
    void ask(context& ctx, int left) {
      if (left == 0) return ctx.stop();
      if (left % 16 == 0) {
        ctx.ask(slow_, hold{}, 1ms, [one = ticket{counted_}](auto said) {
          if (!said && said.error().kind == ask_failure::timed_out) one.of_->timed_out.fetch_add(1);
        });
      }
      ctx.ask(desk_, wish{left}, 1h, [this, left, one = ticket{counted_}](context& own, auto said) {
        EXPECT_EQ(said.value_or(left + 1), left + 1);
        ask(own, left - 1);
      });
    }
    actor_ref<wish> desk_;
    actor_ref<hold> slow_;
    counts* counted_;
  };
  counts counted;
  {
    actor_system system;
    const auto slow = system.spawn<keeper>("slow");
    for (int round = 0; round < 20; ++round) {
      const auto desk = system.spawn<teller>("");
      std::vector<actor_ref<begin>> clients;
      for (int i = 0; i < 8; ++i) {
        clients.push_back(
            system.spawn<client>("", actor_ref<wish>{desk}, actor_ref<hold>{slow}, &counted));
        clients.back().tell(begin{200});
      }
      (void)system.ask(desk, wish{1}, 1h).get();
      slow.tell(resume_from_parent{});
      system.stop(desk);
      system.stop(clients[0]);
    }
    EXPECT_TRUE(system.shutdown(60s).complete);
  }
  EXPECT_EQ(counted.asked.load(), counted.ended.load());
}

// spec: A2b A5
TEST(answer_callback_on_threads, is_called_once_for_each_ask_of_many_threads) {
  constexpr int each = 500;
  std::atomic<int> called = 0;
  std::atomic<int> sum = 0;
  actor_system system{{.workers = 2}};
  const auto who = system.spawn<teller>("teller");
  {
    std::array<std::jthread, 4> threads;
    for (std::jthread& thread : threads)
      thread = std::jthread{[&] {
        for (int i = 0; i < each; ++i)
          system.ask(who, wish{1}, 60s).then([&](std::expected<int, ask_error> got) {
            sum += got.value_or(0);
            ++called;
          });
      }};
  }
  EXPECT_TRUE(system.shutdown(60s).complete);
  EXPECT_EQ(called, 4 * each) << "a shutdown finishes them";
  EXPECT_EQ(sum, 2 * 4 * each);
}

// spec: A2b
TEST(answer_callback_on_threads, is_called_once_when_the_answer_and_the_timeout_come_together) {
  constexpr int many = 100;
  std::atomic<int> called = 0;
  actor_system system{{.workers = 2, .scheduler = {.timing = {.resolution = 1ms}}}};
  const auto who = system.spawn<keeper>("keeper");
  for (int i = 0; i < many; ++i) {
    std::latch over{1};
    system.ask(who, hold{}, 2ms).then([&](const std::expected<int, ask_error>& got) {
      EXPECT_TRUE(got || got.error().kind == ask_failure::timed_out);
      ++called;
      over.count_down();
    });
    const auto answers = system.schedule_once(2ms, who, resume_from_parent{});
    over.wait();
  }
  EXPECT_TRUE(system.shutdown(60s).complete);
  EXPECT_EQ(called, many);
}

// spec: A2b A5
TEST(answer_callback_on_threads, is_called_when_a_system_is_stopped_by_force) {
  std::atomic<int> called = 0;
  actor_system other{{.name = "other", .workers = 1}};
  const auto who = other.spawn<keeper>("keeper");
  {
    actor_system system{{.workers = 2}};
    for (int i = 0; i < 50; ++i)
      system.ask(who, hold{}, 60s).then([&](const std::expected<int, ask_error>&) { ++called; });
    const std::jthread answers{[&] { who.tell(resume_from_parent{}); }};
    system.force_stop();
  }
  EXPECT_EQ(called, 50) << "whether answered or not";
}

// spec: A2b
TEST(to_future, has_the_answer_or_why_there_is_none) {
  actor_system system{{.workers = 2}};
  const auto who = system.spawn<teller>("teller");
  const auto silent = system.spawn<keeper>("keeper");
  auto first = to_future(system.ask(who, wish{1}, 60s));
  auto second = to_future(system.ask(who, wish{2}, 60s));
  auto none = to_future(system.ask(silent, hold{}, 20ms));
  EXPECT_EQ(first.get(), 2);
  EXPECT_EQ(second.get(), 3);
  EXPECT_EQ(none.get().error().kind, ask_failure::timed_out);
}

}  // namespace
}  // namespace tactor
