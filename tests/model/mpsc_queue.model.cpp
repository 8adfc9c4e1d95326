// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/mpsc_queue.hpp"

#include "tactor/port/port.hpp"

#include "model_futex.hpp"
#include "scenario.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tactor::model {

using namespace tactor::internal;

namespace {

struct item : mpsc_queue_node<item> {
  port::plain<unsigned> sender;
  port::plain<unsigned> number;  // 1, 2, … for each sender
};

// Checks what the consumer has received: from each sender 1, 2, … without a gap, and the contents
// readable.
template <std::size_t Senders>
struct received {
  std::array<unsigned, Senders> last{};
  unsigned non_empty_takes = 0;

  void take_from(mpsc_queue<item>& queue) {
    mpsc_chain<item> chain = queue.take_all();
    if (!chain.empty()) ++non_empty_takes;
    while (item* const next = chain.pop()) {
      const unsigned sender = next->sender.get();
      require(next->number.get() == last[sender] + 1, "lost, repeated or out of order");
      ++last[sender];
    }
  }
};

// Senders send `Items` each while the consumer, the last thread, polls `Polls` times; it takes
// the rest in the end.
template <unsigned Senders, unsigned Items, unsigned Polls>
struct senders_and_a_consumer {
  static constexpr unsigned threads = Senders + 1;
  mpsc_queue<item> queue;
  std::array<std::array<item, Items>, Senders> items;
  std::array<unsigned, Senders> wakes{};
  received<Senders> consumer;

  void thread(unsigned index) {
    if (index == Senders) {
      for (unsigned poll = 0; poll < Polls; ++poll)
        consumer.take_from(queue);
      return;
    }
    for (unsigned number = 1; item & fresh : items[index]) {
      fresh.sender.set(index);
      fresh.number.set(number++);
      if (queue.push(fresh) == after_push::wake_consumer) ++wakes[index];
    }
  }

  void after() {
    consumer.take_from(queue);
    unsigned woken = 0;
    for (unsigned sender = 0; sender < Senders; ++sender) {
      require(consumer.last[sender] == Items, "a item is missing");
      woken += wakes[sender];
    }
    require(woken == consumer.non_empty_takes, "not one wake for each time there was something");
    require(queue.empty(), "something is left");
  }
};

TEST(mpsc_queue_model, one_sender_keeps_its_order) {
  EXPECT_TRUE(passes(explore<senders_and_a_consumer<1, 3, 3>>()));
}

TEST(mpsc_queue_model, of_two_senders_no_element_is_lost) {
  EXPECT_TRUE(passes(explore<senders_and_a_consumer<2, 1, 2>>()));
}

TEST(mpsc_queue_model, three_senders_are_woken_for_once_each_time_the_queue_fills) {
  EXPECT_TRUE(passes(explore<senders_and_a_consumer<3, 1, 2>>(preemptions(4))));
}

// The consumer says in a word of its own that it is about to sleep, and looks once more; a sender
// pushes, and then reads that word. A lost wake-up is a deadlock.
template <unsigned Senders>
struct consumer_that_says_when_it_sleeps {
  static constexpr unsigned threads = Senders + 1;
  mpsc_queue<item> queue;
  std::array<item, Senders> items;
  port::atomic<std::uint32_t> asleep;
  model_futex futex;
  received<Senders> consumer;

  void before() { futex.open(); }
  void thread(unsigned index) {
    if (index < Senders) {
      items[index].sender.set(index);
      items[index].number.set(1);
      (void)queue.push(items[index]);
      if (asleep.load(seq_cst) == 0) return;
      asleep.store(0, relaxed);
      return futex.wake_one();
    }
    while (!all_came()) {
      asleep.store(1, seq_cst);
      if (queue.empty()) futex.sleep(asleep, 1);
      consumer.take_from(queue);
    }
  }
  [[nodiscard]] bool all_came() const {
    return std::ranges::all_of(consumer.last, [](unsigned number) { return number == 1; });
  }
  void after() { futex.close(); }
};

TEST(mpsc_queue_model, a_consumer_that_says_when_it_sleeps_is_woken) {
  EXPECT_TRUE(passes(explore<consumer_that_says_when_it_sleeps<1>>()));
  EXPECT_TRUE(passes(explore<consumer_that_says_when_it_sleeps<2>>(preemptions(3))));
}

// The consumer sleeps until it is woken and then polls once: each wake must find something, and
// after the last wake nothing may be left behind.
struct sleeping_consumer {
  static constexpr unsigned threads = 3;
  mpsc_queue<item> queue;
  std::array<item, 2> items;
  port::atomic<unsigned> wakes;
  received<2> consumer;

  void thread(unsigned index) {
    if (index < 2) {
      items[index].sender.set(index);
      items[index].number.set(1);
      if (queue.push(items[index]) == after_push::wake_consumer) wakes.fetch_add(1, release);
      return;
    }
    for (unsigned seen = 0; consumer.last[0] + consumer.last[1] < 2; ++seen) {
      while (wakes.load(acquire) == seen)
        port::cpu_relax();
      consumer.take_from(queue);
      require(consumer.non_empty_takes == seen + 1, "woken for nothing");
    }
  }
};

TEST(mpsc_queue_model, a_consumer_that_polls_only_when_woken_misses_nothing) {
  EXPECT_TRUE(passes(explore<sleeping_consumer>()));
}

// The consumer pushes an element again at once, like a pool: another sender may still hold its
// address as the newest.
struct element_reused_at_once {
  static constexpr unsigned threads = 2;
  mpsc_queue<item> queue;
  std::array<item, 2> items;
  unsigned seen = 0;

  void before() {
    for (unsigned i = 0; i < 2; ++i)
      items[i].sender.set(i);
    static_cast<void>(queue.push(items[0]));
  }
  void thread(unsigned index) {
    if (index == 0) {
      static_cast<void>(queue.push(items[1]));
      return;
    }
    for (unsigned round = 0; round < 2; ++round) {
      mpsc_chain<item> chain = queue.take_all();
      while (item* const next = chain.pop())
        static_cast<void>(queue.push(*next));
    }
  }
  void after() {
    mpsc_chain<item> chain = queue.take_all();
    while (item* const next = chain.pop())
      seen += next->sender.get() + 1;
    require(seen == 1 + 2, "not both items exactly once");
  }
};

TEST(mpsc_queue_model, an_element_may_be_pushed_again_as_soon_as_it_is_popped) {
  EXPECT_TRUE(passes(explore<element_reused_at_once>()));
}

// The longest search stands last: a mutant should not have to wait for it. It is bounded; it has
// also been run to its end once (13,637,490 schedules, 17 seconds).
TEST(mpsc_queue_model, two_senders_of_two_elements_each_keep_their_orders) {
  EXPECT_TRUE(passes(explore<senders_and_a_consumer<2, 2, 2>>(preemptions(5))));
  EXPECT_TRUE(passes(explore<senders_and_a_consumer<2, 2, 2>>(random_schedules(200'000))));
}

}  // namespace
}  // namespace tactor::model
