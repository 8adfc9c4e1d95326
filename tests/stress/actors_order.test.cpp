// SPDX-License-Identifier: BSL-1.0
// Many actors and threads send to each other at random: what one sends to another arrives in order,
// no actor runs on two workers at once, and every message is handled or a dead letter, once.
#include "tactor/host/actor_system.hpp"

#include "instrumented.hpp"
#include "threads_of_ours.hpp"
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace tactor::stress {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

void say_nothing(const log_record& /*what*/) noexcept {}

constexpr std::uint32_t actors_in_all = 48;
constexpr std::uint32_t threads_in_all = 3;
constexpr std::uint32_t senders_in_all = actors_in_all + threads_in_all;
constexpr std::uint32_t hops = 50;

// A token that wanders from actor to actor.
struct token {
  std::uint32_t from;
  std::uint32_t number;  // among those of this sender to this receiver
  std::uint32_t hops_left;
};

class crowd;

// Counts what one sender has sent to each receiver, and sends. Context: the sender.
class sender {
public:
  sender(crowd& all, std::uint32_t self) : all_(&all), self_(self), chance_(self + 1) {}
  void send(std::uint32_t hops_left);

private:
  crowd* all_;
  std::uint32_t self_;
  std::minstd_rand chance_;
  std::array<std::uint32_t, actors_in_all> sent_{};
};

class walker : public actor<token> {
public:
  walker(crowd* all, std::uint32_t self) : all_(all), sender_(*all, self) {}
  void receive(context&, const token& t);

private:
  crowd* all_;
  sender sender_;
  bool entered_ = false;  // plain: two workers at once would be a data race
  std::array<std::uint32_t, senders_in_all> seen_{};
};

class crowd {
public:
  crowd(std::uint32_t workers, bool all_arrive)
      : all_arrive_(all_arrive),
        system_(
            {.workers = workers, .dispatch = {.throughput = 64}, .log = {.sink = say_nothing}}) {
    for (std::uint32_t i = 0; i < actors_in_all; ++i)
      refs_[i] =
          system_.spawn<walker>({.mailbox = mailbox_of(i), .dispatcher = place_of(i)}, this, i);
  }

  // Threads that belong to no system begin `per_thread` walks each.
  void begin_walks(std::uint32_t per_thread) {
    for (std::uint32_t i = 0; i < threads_in_all; ++i) {
      threads_.emplace_back([this, i, per_thread] {
        sender self{*this, actors_in_all + i};
        for (std::uint32_t walk = 0; walk < per_thread; ++walk)
          self.send(hops);
      });
    }
  }
  void join() { threads_.clear(); }
  void wait_until_handled(std::uint64_t count) {
    for (std::uint64_t now = handled; now < count; now = handled)
      handled.wait(now);
  }

  actor_system& system() { return system_; }
  const walker::ref& at(std::uint32_t i) const { return refs_[i]; }
  bool all_arrive() const { return all_arrive_; }

  std::atomic<std::uint64_t> sent = 0;
  std::atomic<std::uint64_t> handled = 0;
  std::atomic<std::uint64_t> out_of_order = 0;
  std::atomic<std::uint64_t> two_at_once = 0;

private:
  mailbox_options mailbox_of(std::uint32_t i) const {
    if (all_arrive_) return {};
    switch (i % 6) {
    case 0:
      return {.capacity = 8, .overflow = overflow_strategy::reject};
    case 1:
      return {.capacity = 8, .overflow = overflow_strategy::drop_oldest};
    case 2:
      return {.capacity = 4, .overflow = overflow_strategy::drop_newest};
    case 3:
      return {.capacity = 4, .overflow = overflow_strategy::dead_letter};
    case 4:
      return {.capacity = 8, .overflow = overflow_strategy::block_producer};
    default:
      return {};
    }
  }
  static dispatcher place_of(std::uint32_t i) {
    if (i == 10) return dispatcher::pinned;
    return i % 16 == 5 ? dispatcher::blocking : dispatcher::pool;
  }

  bool all_arrive_;
  std::array<walker::ref, actors_in_all> refs_;
  actor_system system_;
  std::vector<std::jthread> threads_;
};

void sender::send(std::uint32_t hops_left) {
  const auto to = static_cast<std::uint32_t>(chance_() % actors_in_all);
  all_->sent.fetch_add(1, std::memory_order_relaxed);
  (void)all_->at(to).tell(token{.from = self_, .number = ++sent_[to], .hops_left = hops_left});
}

void walker::receive(context&, const token& t) {
  if (entered_) ++all_->two_at_once;
  entered_ = true;
  std::uint32_t& last = seen_[t.from];
  if (all_->all_arrive() ? t.number != last + 1 : t.number <= last) ++all_->out_of_order;
  last = t.number;
  // Counted before it is passed on, so that the last one counted is the last of a walk.
  if (all_->handled.fetch_add(1) % 1024 == 1023 || t.hops_left == 0) all_->handled.notify_one();
  if (t.hops_left > 0) sender_.send(t.hops_left - 1);
  entered_ = false;
}

// spec: M7 D1
TEST(actors_order, holds_per_sender_and_no_actor_runs_twice_at_once_with_any_number_of_workers) {
  constexpr std::uint32_t walks = scaled(10'000, 3000);
  for (const std::uint32_t workers : {1U, 2U, 4U, 8U}) {
    crowd all{workers, true};
    all.begin_walks(walks);
    all.join();
    constexpr std::uint64_t expected = std::uint64_t{walks} * threads_in_all * (hops + 1);
    all.wait_until_handled(expected);
    EXPECT_TRUE(all.system().shutdown(60s).complete);
    wait_for_threads_to_end();  // then all is counted

    EXPECT_EQ(all.handled, expected) << workers << " workers";
    EXPECT_EQ(all.sent, expected);
    EXPECT_EQ(all.out_of_order, 0u);
    EXPECT_EQ(all.two_at_once, 0u);
    const metrics_snapshot metrics = all.system().metrics();
    EXPECT_EQ(metrics.messages_handled, expected);
    EXPECT_EQ(metrics.all_dead_letters(), 0u);
  }
}

// spec: M3 M7 D1 D4
TEST(actors_order,
     every_message_is_handled_or_a_dead_letter_when_mailboxes_are_full_and_the_system_ends) {
  constexpr std::uint32_t walks = scaled(4000, 1000);
  constexpr std::uint32_t rounds = scaled(40, 20);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const std::uint32_t workers = 1U << round % 4;
    crowd all{workers, false};
    all.begin_walks(walks);
    all.wait_until_handled(walks / 4);  // in the middle of it
    {
      std::jthread in_a_hurry;
      if (round % 8 >= 4) in_a_hurry = std::jthread{[&all] { all.system().force_stop(); }};
      EXPECT_TRUE(all.system().shutdown(60s).complete);
    }
    all.join();
    wait_for_threads_to_end();  // then all is counted

    const metrics_snapshot metrics = all.system().metrics();
    EXPECT_EQ(all.handled + metrics.all_dead_letters(), all.sent) << workers << " workers";
    EXPECT_EQ(metrics.messages_handled, all.handled);
    EXPECT_EQ(all.out_of_order, 0u);
    EXPECT_EQ(all.two_at_once, 0u);
    EXPECT_EQ(all.system().live(), 0u);
  }
}

}  // namespace
}  // namespace tactor::stress
