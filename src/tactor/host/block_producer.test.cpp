// SPDX-License-Identifier: BSL-1.0
// Threads that wait for room in a mailbox whose rule is `block_producer`.
#include "tactor/core/send/full.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/host/actor_system.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::uint32_t ages_ms = 60'000;

void say_nothing(const log_record& /*what*/) noexcept {}

struct note {
  std::uint32_t from = 0;
  std::uint32_t number = 0;
};
// Shared: a waiting thread may still read it after the counting thread has ended.
using shared_latch = std::shared_ptr<std::latch>;
struct hold {
  shared_latch begun = std::make_shared<std::latch>(1);
  shared_latch go_on = std::make_shared<std::latch>(1);
};
struct question_of {
  int number;
  using reply = int;
};

class desk : public actor<note, hold, question_of> {
public:
  explicit desk(std::vector<note>* seen) : seen_(seen) {}
  void receive(context&, const note& n) { seen_->push_back(n); }
  void receive(context&, const hold& h) {
    h.begun->count_down();
    h.go_on->wait();
  }
  int receive(context&, const question_of& q) { return 2 * q.number; }

private:
  std::vector<note>* seen_;
};

mailbox_options blocking(std::uint32_t capacity, std::uint32_t at_most_ms) {
  return {.capacity = capacity,
          .overflow = overflow_strategy::block_producer,
          .push_timeout_ms = at_most_ms};
}

// An actor that is in a handler, and whose mailbox is full.
struct full_desk {
  explicit full_desk(std::uint32_t capacity, std::uint32_t at_most_ms = ages_ms)
      : who(system->spawn<desk>({.mailbox = blocking(capacity, at_most_ms)}, &seen)) {
    who.tell(holding);
    holding.begun->wait();
    for (std::uint32_t i = 0; i < capacity; ++i)
      EXPECT_EQ(who.tell(note{.number = i}), tell_result::ok);
  }
  std::uint64_t lost_for(drop_reason why) const { return system->metrics().dead_letters_for(why); }

  std::vector<note> seen;
  hold holding;
  std::optional<actor_system> system{std::in_place,
                                     system_config{.workers = 2, .log = {.sink = say_nothing}}};
  desk::ref who;
};

// A thread that tells once; `wait_until_asleep` returns when it has come to wait.
class teller {
public:
  teller(const desk::ref& to, note what)
      : thread_([this, to, what] {
          id_ = ::gettid();
          id_.notify_one();
          result_ = to.tell(what);
          over_ = true;
        }) {}

  void wait_until_asleep() {
    id_.wait(0);
    const std::string status = "/proc/self/task/" + std::to_string(id_) + "/stat";
    while (!over_) {
      std::ifstream stat{status};
      std::string id;
      std::string name;
      char state = 0;
      stat >> id >> name >> state;
      if (state == 'S') return;
      std::this_thread::yield();
    }
  }
  bool over() const { return over_; }
  tell_result result() {
    thread_.join();
    return result_;
  }

private:
  std::atomic<pid_t> id_ = 0;
  std::atomic<bool> over_ = false;
  tell_result result_ = tell_result::ok;
  std::jthread thread_;
};

// spec: M3 M4a
// case: MB-08
TEST(block_producer, lets_a_thread_wait_until_there_is_capacity) {
  full_desk all{1};
  teller late{all.who, {.number = 1}};
  late.wait_until_asleep();
  EXPECT_FALSE(late.over());
  all.holding.go_on->count_down();
  EXPECT_EQ(late.result(), tell_result::ok);
  all.system.reset();
  ASSERT_EQ(all.seen.size(), 2u);
  EXPECT_EQ(all.seen[1].number, 1u);
}

// spec: M4a
// case: MB-08
TEST(block_producer, serves_waiting_threads_in_their_order) {
  full_desk all{1};
  std::vector<std::unique_ptr<teller>> waiting;
  for (std::uint32_t i = 1; i < 12; ++i) {
    waiting.push_back(std::make_unique<teller>(all.who, note{.number = i}));
    waiting.back()->wait_until_asleep();
  }
  all.holding.go_on->count_down();
  for (const auto& each : waiting)
    EXPECT_EQ(each->result(), tell_result::ok);
  all.system.reset();
  ASSERT_EQ(all.seen.size(), 12u);
  for (std::uint32_t i = 0; i < 12; ++i)
    EXPECT_EQ(all.seen[i].number, i);
}

// spec: M3 M4a
// case: MB-08
TEST(block_producer, lets_no_thread_wait_longer_than_its_timeout) {
  full_desk all{1, 50};
  const auto begun = steady_clock::now();
  EXPECT_EQ(all.who.tell(note{.number = 1}), tell_result::full);
  const auto waited = steady_clock::now() - begun;
  EXPECT_GE(waited, 50ms);
  EXPECT_LT(waited, 10s) << "a busy machine is late, but not by a multiple";
  EXPECT_EQ(all.lost_for(drop_reason::wait_timed_out), 1u);
  EXPECT_EQ(all.lost_for(drop_reason::full), 0u);
  all.holding.go_on->count_down();
}

// spec: M4a A2d
TEST(block_producer, a_stop_or_a_drain_refuses_waiting_threads) {
  for (const bool drain : {false, true}) {
    full_desk all{2};
    teller one{all.who, {.number = 10}};
    teller other{all.who, {.number = 11}};
    one.wait_until_asleep();
    other.wait_until_asleep();
    if (drain) {
      all.system->drain(all.who);
    } else {
      all.system->stop(all.who);
    }
    all.holding.go_on->count_down();
    EXPECT_EQ(one.result(), tell_result::closed);
    EXPECT_EQ(other.result(), tell_result::closed);
    EXPECT_EQ(all.who.tell(note{}), tell_result::closed);
    EXPECT_TRUE(all.system->shutdown(60s).complete);
    EXPECT_EQ(all.seen.size(), drain ? 2u : 0u);
    EXPECT_EQ(all.system->metrics().all_dead_letters(), drain ? 3u : 5u);
  }
}

// spec: M4a A2d
TEST(block_producer, a_drain_refuses_waiting_threads_before_it_ends) {
  std::vector<note> seen;
  const hold first;
  const hold second;
  actor_system system{{.workers = 2, .log = {.sink = say_nothing}}};
  const auto who = system.spawn<desk>({.mailbox = blocking(1, ages_ms)}, &seen);
  who.tell(first);
  first.begun->wait();
  who.tell(second);
  teller late{who, {.number = 1}};
  late.wait_until_asleep();
  system.drain(who);
  first.go_on->count_down();
  second.begun->wait();  // it is still at work on what was queued
  EXPECT_EQ(late.result(), tell_result::closed);
  second.go_on->count_down();
}

// spec: M4a A5
TEST(block_producer, the_end_of_its_system_refuses_waiting_threads) {
  full_desk all{1};
  teller late{all.who, {.number = 1}};
  late.wait_until_asleep();
  EXPECT_FALSE(all.system->shutdown(10ms).complete);
  all.system.reset();  // and the handler is still at work
  EXPECT_FALSE(late.over());
  all.holding.go_on->count_down();
  EXPECT_EQ(late.result(), tell_result::closed);
}

// spec: M4e A2a
TEST(block_producer, never_lets_a_timer_or_a_callable_wait) {
  full_desk all{1};
  std::latch told{1};
  ASSERT_TRUE(all.system->schedule_once(1ms, all.who, note{.number = 6}).has_value());
  ASSERT_TRUE(all.system->timers()
                  .schedule_once(1ms,
                                 [&] {
                                   EXPECT_EQ(all.who.tell(note{.number = 7}), tell_result::full);
                                   told.count_down();
                                 })
                  .has_value());
  told.wait();
  while (all.lost_for(drop_reason::full) != 2)  // the timer's message, too
    std::this_thread::yield();
  EXPECT_EQ(all.lost_for(drop_reason::wait_timed_out), 0u);
  all.holding.go_on->count_down();
}

// spec: M4b
TEST(block_producer, lets_the_handler_of_an_actor_end_and_its_message_wait) {
  full_desk all{1};
  std::latch told{1};
  const auto sender = all.system->spawn("sender", [&](context&, const note& n) {
    EXPECT_EQ(all.who.try_tell(note{n}).error().why, tell_result::full);
    EXPECT_EQ(all.who.tell(n), tell_result::ok);
    told.count_down();
  });
  sender.tell(note{.number = 5});
  told.wait();
  all.holding.go_on->count_down();
  while (all.system->metrics().messages_handled <
         4)  // the two of the desk, the sender's, and its note
    std::this_thread::yield();
  EXPECT_EQ(all.system->metrics().all_dead_letters(), 0u);
}

// A turn on such a thread may be in a handler for long, so it does not keep the capacity that it
// frees.
// spec: M4b D3
TEST(block_producer, resumes_a_sender_while_a_handler_of_the_receiver_blocks) {
  for (const dispatcher where : {dispatcher::blocking, dispatcher::pinned}) {
    constexpr std::uint32_t capacity = 8;
    std::latch begun{1};
    std::latch is_full{1};
    std::latch sender_runs{1};
    actor_system system{{.workers = 1, .log = {.sink = say_nothing}}};
    const auto receiver =
        system.spawn({.mailbox = blocking(capacity, ages_ms), .dispatcher = where},
                     [&](context&, const note& n) {
                       if (n.number == 0) {
                         begun.count_down();
                         is_full.wait();
                       } else if (n.number == 1) {
                         sender_runs.wait();
                       }
                     });
    receiver.tell(note{.number = 0});
    begun.wait();
    const auto sender = system.spawn("sender", [&](context&, const note& n) {
      if (n.number != 0) return sender_runs.count_down();
      for (std::uint32_t number = 1; number <= capacity + 1; ++number)  // the last waits
        EXPECT_EQ(receiver.tell(note{.number = number}), tell_result::ok);
    });
    sender.tell(note{.number = 0});
    sender.tell(note{.number = 1});
    while (system.metrics().suspensions == 0)
      std::this_thread::yield();
    is_full.count_down();
    sender_runs.wait();
    EXPECT_TRUE(system.shutdown(60s).complete);
  }
}

// spec: M4b M7
TEST(block_producer, lets_no_message_of_an_actor_overtake_those_in_its_outbox) {
  std::atomic<std::uint32_t> seen = 0;
  std::vector<std::uint32_t> order;
  std::latch begun{1};
  std::latch go_on{1};
  std::latch over{5};
  actor_system system{{.workers = 2, .log = {.sink = say_nothing}}};
  const auto receiver =
      system.spawn({.mailbox = blocking(2, ages_ms)}, [&](context&, const note& n) {
        if (n.number == 0) {
          begun.count_down();
          go_on.wait();
        }
        order.push_back(n.number);
        ++seen;
        over.count_down();
      });
  receiver.tell(note{.number = 0});
  begun.wait();  // in its handler: the mailbox is empty
  const auto sender = system.spawn("sender", [&](context&, const note&) {
    for (std::uint32_t number = 1; number <= 4; ++number)  // two wait in the outbox
      EXPECT_EQ(receiver.tell(note{.number = number}), tell_result::ok);
    go_on.count_down();
    while (seen != 3)  // one permit is on its way here, the next one is free
      std::this_thread::yield();
    const auto refused = receiver.try_tell(note{.number = 5});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().why, tell_result::full);
  });
  sender.tell(note{});
  over.wait();
  EXPECT_TRUE(system.shutdown(60s).complete);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
}

// spec: A2a
TEST(block_producer, try_tell_never_waits) {
  full_desk all{1};
  const auto said = all.who.try_tell(note{.number = 9});
  ASSERT_FALSE(said.has_value());
  EXPECT_EQ(all.system->metrics().all_dead_letters(), 0u);
  all.holding.go_on->count_down();
}

// spec: A2b M4a
TEST(block_producer, an_ask_waits_like_a_message) {
  full_desk all{1};
  std::jthread asks{[&] { EXPECT_EQ(all.system->ask(all.who, question_of{4}, 20s).get(), 8); }};
  full_desk other{1, 1};
  const auto said = other.system->ask(other.who, question_of{4}, 20s).get();
  ASSERT_FALSE(said.has_value());
  EXPECT_EQ(said.error().kind, ask_failure::refused);
  other.holding.go_on->count_down();
  all.holding.go_on->count_down();
}

// spec: M4a A2b
TEST(block_producer, an_ask_waits_no_longer_than_its_timeout) {
  full_desk all{1, ages_ms};
  const auto began = steady_clock::now();
  const auto said = all.system->ask(all.who, question_of{4}, 20ms).get();
  EXPECT_LT(steady_clock::now() - began, std::chrono::milliseconds{ages_ms / 2});
  ASSERT_FALSE(said.has_value());
  EXPECT_EQ(said.error().kind, ask_failure::refused);
  EXPECT_GE(said.error().waited, duration{20ms});
  EXPECT_EQ(all.lost_for(drop_reason::wait_timed_out), 1u);
  std::jthread waits{[&] { EXPECT_EQ(all.who.tell(note{}), tell_result::ok); }};
  all.holding.go_on->count_down();
}

// spec: M5
TEST(block_producer, hands_over_the_permit_of_a_stale_message) {
  std::vector<note> seen;
  const hold holding;
  actor_system system{{.workers = 2, .log = {.sink = say_nothing}}};
  const auto who = system.spawn<desk>({.mailbox = blocking(1, ages_ms)}, &seen);
  who.tell(holding);
  holding.begun->wait();
  // What a sender does that was slow: it has a place from a tenant whose rule was another one.
  cell& c = *who.slot();
  envelope* const stale = internal::enclose<note>(this_thread(), note{});
  ASSERT_NE(stale, nullptr);
  stale->from = {};
  stale->generation = who.generation() - 2;
  stale->detail = holds_permit;
  c.permits_taken.fetch_add(1, relaxed);  // relaxed: a number
  ASSERT_EQ(c.box.push(*stale), push_result::queued);
  teller late{who, {.number = 1}};
  late.wait_until_asleep();
  const auto begun = steady_clock::now();
  holding.go_on->count_down();
  EXPECT_EQ(late.result(), tell_result::ok);
  EXPECT_LT(steady_clock::now() - begun, 30s);
  EXPECT_TRUE(system.shutdown(60s).complete);
  EXPECT_EQ(seen.size(), 1u);
  EXPECT_EQ(c.permits_taken.load(relaxed), 0u);  // relaxed: no other thread is left
}

// spec: M3 M4a M7
// case: MB-02
TEST(block_producer, delivers_everything_once_and_in_order_however_small_the_mailbox) {
  constexpr std::uint32_t threads = 8;
  constexpr std::uint32_t each_sends = 400;
  for (const std::uint32_t capacity : {1U, 2U, 7U}) {
    std::vector<note> seen;
    actor_system system{{.workers = 2, .log = {.sink = say_nothing}}};
    const auto who = system.spawn<desk>({.mailbox = blocking(capacity, ages_ms)}, &seen);
    {
      std::vector<std::jthread> all;
      for (std::uint32_t from = 0; from < threads; ++from) {
        all.emplace_back([&, from] {
          for (std::uint32_t number = 0; number < each_sends; ++number)
            EXPECT_EQ(who.tell(note{.from = from, .number = number}), tell_result::ok);
        });
      }
    }
    EXPECT_TRUE(system.shutdown(60s).complete);
    EXPECT_EQ(system.metrics().all_dead_letters(), 0u);
    ASSERT_EQ(seen.size(), threads * each_sends);
    std::array<std::uint32_t, threads> next{};
    for (const note& n : seen)
      ASSERT_EQ(n.number, next[n.from]++);
  }
}

// spec: M3 M4a M5
TEST(block_producer, loses_no_permit_when_waits_end_in_every_way_at_once) {
  for (std::uint32_t round = 0; round < 30; ++round) {
    std::atomic<std::uint64_t> sent = 0;
    std::array<std::atomic<std::uint64_t>, 8> said{};
    std::vector<std::vector<note>> books(8);
    actor_system system{{.workers = 2, .log = {.sink = say_nothing}}};
    std::vector<desk::ref> desks;
    for (std::vector<note>& book : books)
      desks.push_back(system.spawn<desk>({.mailbox = blocking(2, round % 2)}, &book));
    {
      std::vector<std::jthread> all;
      for (std::uint32_t from = 0; from < 4; ++from) {
        all.emplace_back([&, from] {
          for (std::uint32_t i = 0; i < 400; ++i) {
            ++sent;
            ++said[std::to_underlying(desks[(from + i) % 8].tell(note{.from = from, .number = i}))];
          }
        });
      }
      for (std::size_t i = 0; i < 4; ++i) {
        if (i % 2 == 0) {
          system.stop(desks[i]);
        } else {
          system.drain(desks[i]);
        }
      }
    }
    for (std::size_t i = 4; i < 8; ++i) {  // all places are there
      const hold holding;
      do {
        ++sent;
      } while (desks[i].tell(holding) != tell_result::ok);
      holding.begun->wait();
      EXPECT_TRUE(desks[i].try_tell(note{}).has_value());
      EXPECT_TRUE(desks[i].try_tell(note{}).has_value());
      EXPECT_FALSE(desks[i].try_tell(note{}).has_value());
      holding.go_on->count_down();
    }
    EXPECT_TRUE(system.shutdown(60s).complete);
    std::uint64_t handled = 4;  // that they were held
    for (const std::vector<note>& book : books)
      handled += book.size();
    EXPECT_EQ(handled + system.metrics().all_dead_letters(), sent + 8);
    for (const desk::ref& each : desks)
      EXPECT_EQ(each.slot()->permits_taken.load(relaxed),
                0u);  // relaxed: no other thread is left
  }
}

}  // namespace
}  // namespace tactor
