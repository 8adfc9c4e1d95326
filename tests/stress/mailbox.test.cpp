// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/message/mailbox.hpp"

#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/locked_queue.hpp"
#include "tactor/core/message/mailbox_reader.hpp"
#include "tactor/port/port.hpp"

#include "time_box.hpp"
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace tactor::stress {

using namespace tactor::internal;

namespace {

constexpr std::size_t producers = 4;
constexpr std::size_t consumers = 2;
constexpr std::uint64_t sent_at_least = 2500;  // by each, however busy the machine is
constexpr std::uint32_t tenancy = 3;

// A message of a producer; it comes back and is sent again as soon as it was handled. The receiver
// writes into it, plainly: two who handle one would be a data race.
struct alignas(envelope_alignment) letter {
  envelope e;
  std::size_t from = 0;
  std::uint64_t number = 0;
  std::atomic<bool> on_its_way{false};
};
letter& kind_of(envelope& e) {
  return reinterpret_cast<letter&>(e);
}

// An actor, as far as a mailbox knows one. Plain members: only who runs it touches them.
struct receiver {
  mailbox box;
  mailbox_reader reader;
  locked_queue side_queue;
  std::atomic<int> inside{0};
  std::array<std::uint64_t, producers> received{};
  std::array<std::uint64_t, producers> next{};
  std::uint64_t out_of_order = 0;
  std::uint64_t notices = 0;  // system messages and notices that were looked at
  std::uint64_t system_received = 0;
  std::uint64_t turns = 0;
};

// A ready queue of the plainest kind.
class ready_queue {
public:
  void put(receiver& ready) {
    const std::lock_guard guard{mutex_};
    cells_.push_back(&ready);
  }
  receiver* take() {
    const std::lock_guard guard{mutex_};
    if (cells_.empty()) return nullptr;
    receiver* const oldest = cells_.front();
    cells_.pop_front();
    return oldest;
  }

private:
  std::mutex mutex_;
  std::deque<receiver*> cells_;
};

// Ways in which messages get in and out.
enum class way : std::uint8_t { by_the_queue, by_a_lane };

// Two receivers, run by any thread that finds them ready, and producers that send to both.
class post_office {
public:
  post_office(way chosen, std::size_t letters_each) : way_(chosen) {
    for (auto& own : letters_)
      own = std::vector<letter>(letters_each);
    for (auto& own : system_letters_)
      own = std::vector<letter>(2);
    for (receiver& each : receivers_) {
      // All messages in flight always fit: nothing is evicted.
      each.side_queue.open(&each, tenancy,
                           {.capacity = static_cast<std::uint32_t>(producers * letters_each)});
      each.box.open();
      ready_.put(each);
    }
  }

  void run() {
    const time_box time;
    std::vector<std::thread> threads;
    for (std::size_t from = 0; from < producers; ++from)
      threads.emplace_back([this, from, &time] { send(from, time); });
    for (std::size_t i = 0; i < consumers; ++i)
      threads.emplace_back([this] { receive(); });
    for (std::thread& each : threads)
      each.join();
  }

  void expect_all_well() {
    std::uint64_t all = 0;
    for (receiver& each : receivers_) {
      for (const std::uint64_t received : each.received)
        all += received;
      EXPECT_EQ(each.out_of_order, 0u);
      EXPECT_EQ(each.reader.size(each.box), 0u);
      EXPECT_EQ(each.side_queue.size(), 0u);
      EXPECT_TRUE(each.box.peek().idle()) << "nothing is left, so it rests";
      EXPECT_GT(each.turns, 0u);
    }
    EXPECT_EQ(all, sent_.load());
    EXPECT_EQ(receivers_[0].system_received + receivers_[1].system_received, system_sent_.load());
    EXPECT_GE(all, producers * sent_at_least);
    EXPECT_EQ(at_once_.load(), 0u) << "a receiver was run by two";
    EXPECT_EQ(ready_.take(), nullptr);
  }

private:
  static constexpr std::size_t receivers = 2;

  void send(std::size_t from, const time_box& time) {
    std::vector<letter>& own = letters_[from];
    std::array<std::uint64_t, receivers> number{};
    std::uint64_t sent = 0;
    for (std::size_t turn = 0; time.open() || sent < sent_at_least; ++turn) {
      letter& next = own[turn % own.size()];
      if (next.on_its_way.load(std::memory_order_acquire)) {
        std::this_thread::yield();
        continue;
      }
      const std::size_t to = sent % 7 % receivers;
      receiver& whom = receivers_[to];
      next.from = from;
      next.number = number[to]++;
      next.e.generation = tenancy;
      next.on_its_way.store(true, std::memory_order_relaxed);
      push_result said{};
      if (way_ == way::by_the_queue) {
        said = whom.box.push(next.e);
      } else {
        EXPECT_EQ(whom.side_queue.push(&whom, next.e).evicted, nullptr);
        said = whom.box.mark_side_queue();
      }
      if (said == push_result::make_ready) ready_.put(whom);
      ++sent;
      if (turn % 64 == 0) send_system(from, whom);
    }
    sent_.fetch_add(sent);
    sending_.fetch_sub(1);
  }
  void send_system(std::size_t from, receiver& whom) {
    for (letter& each : system_letters_[from]) {
      if (each.on_its_way.load(std::memory_order_acquire)) continue;
      each.on_its_way.store(true, std::memory_order_relaxed);
      if (whom.box.push_system(each.e) == push_result::make_ready) ready_.put(whom);
      system_sent_.fetch_add(1);
      return;
    }
  }

  void receive() {
    while (true) {
      const bool last = sending_.load() == 0;
      if (receiver* const next = ready_.take()) {
        turn(*next);
      } else if (last) {
        return;
      } else {
        std::this_thread::yield();
      }
    }
  }
  // One turn, as `run_turn` gives one: it ends parked, or queued again.
  void turn(receiver& r) {
    if (r.inside.fetch_add(1, std::memory_order_relaxed) != 0) ++at_once_;
    ++r.turns;
    const std::uint64_t most = r.turns % 5 + 1;
    for (std::uint64_t handled = 0; handled < most;) {
      if (r.box.peek().noticed()) {
        r.reader.take_notice(r.box);
        ++r.notices;
        envelope_chain mail = r.reader.take_system(r.box);
        while (envelope* const e = mail.pop()) {
          ++r.system_received;
          kind_of(*e).on_its_way.store(false, std::memory_order_release);
        }
      }
      envelope* const e =
          way_ == way::by_the_queue ? r.reader.front(r.box) : r.reader.front(r.box, r.side_queue);
      r.inside.fetch_sub(e == nullptr ? 1 : 0,
                         std::memory_order_relaxed);  // if it parks, it is gone
      if (e == nullptr) {
        if (r.reader.set_idle(r.box)) return;
        r.inside.fetch_add(1, std::memory_order_relaxed);
        continue;
      }
      handle(r, *e);
      ++handled;
      letter& done = kind_of(*e);
      r.inside.fetch_sub(1, std::memory_order_relaxed);
      const auto left = way_ == way::by_the_queue ? r.reader.advance(r.box, *e)
                                                  : r.reader.advance(r.box, r.side_queue);
      done.on_its_way.store(false, std::memory_order_release);
      if (left == mailbox_reader::left::idle) return;
      r.inside.fetch_add(1, std::memory_order_relaxed);
    }
    r.inside.fetch_sub(1, std::memory_order_relaxed);
    ready_.put(r);
  }
  static void handle(receiver& r, envelope& e) {
    letter& l = kind_of(e);
    if (l.number != r.next[l.from]) ++r.out_of_order;
    r.next[l.from] = l.number + 1;
    ++r.received[l.from];
  }

  way way_;
  std::array<std::vector<letter>, producers> letters_;
  std::array<std::vector<letter>, producers> system_letters_;
  std::array<receiver, receivers> receivers_;
  ready_queue ready_;
  std::atomic<std::size_t> sending_{producers};
  std::atomic<std::uint64_t> sent_{0};
  std::atomic<std::uint64_t> system_sent_{0};
  std::atomic<std::uint64_t> at_once_{0};
};

// spec: M7
// case: MB-02
TEST(mailbox_stress, each_message_is_handled_once_and_in_its_senders_order) {
  for (const std::size_t letters_each : {1U, 16U}) {
    post_office post{way::by_the_queue, letters_each};
    post.run();
    post.expect_all_well();
  }
}

// spec: M7
// case: MB-02
TEST(mailbox_stress, each_message_in_a_side_queue_is_handled_once_and_in_its_senders_order) {
  for (const std::size_t letters_each : {1U, 16U}) {
    post_office post{way::by_a_lane, letters_each};
    post.run();
    post.expect_all_well();
  }
}

// Everything is evicted or handled, and each of a sender's that is handled is newer than the last.
// spec: M3
// case: MB-05
TEST(mailbox_stress, a_side_queue_that_is_too_small_drops_or_delivers_each_message_once) {
  receiver whom;
  whom.side_queue.open(&whom, tenancy, {.capacity = 3});
  whom.box.open();
  std::array<std::vector<letter>, producers> letters;
  std::atomic<std::size_t> sending{producers};
  std::atomic<std::uint64_t> sent{0};
  std::atomic<std::uint64_t> evicted{0};
  std::atomic<bool> ready{true};
  const time_box time;
  std::vector<std::thread> threads;
  for (std::size_t from = 0; from < producers; ++from) {
    letters[from] = std::vector<letter>(8);
    threads.emplace_back([&, from] {
      std::uint64_t number = 0;
      for (std::size_t turn = 0; time.open() || number == 0; ++turn) {
        letter& next = letters[from][turn % 8];
        if (next.on_its_way.load(std::memory_order_acquire)) continue;
        next.from = from;
        next.number = ++number;
        next.e.generation = tenancy;
        next.on_its_way.store(true, std::memory_order_relaxed);
        const auto outcome = whom.side_queue.push(&whom, next.e);
        if (whom.box.mark_side_queue() == push_result::make_ready) ready.store(true);
        if (outcome.evicted != nullptr) {
          evicted.fetch_add(1, std::memory_order_relaxed);
          kind_of(*outcome.evicted).on_its_way.store(false, std::memory_order_release);
        }
      }
      sent.fetch_add(number);
      sending.fetch_sub(1);
    });
  }
  std::uint64_t handled = 0;
  std::uint64_t out_of_order = 0;
  while (true) {
    const bool last = sending.load() == 0;
    if (!ready.exchange(false)) {
      if (last) break;
      std::this_thread::yield();
      continue;
    }
    for (bool running = true; running;) {
      envelope* const e = whom.reader.front(whom.box, whom.side_queue);
      if (e == nullptr) {
        running = !whom.reader.set_idle(whom.box);
        continue;
      }
      letter& l = kind_of(*e);
      if (l.number <= whom.next[l.from]) ++out_of_order;
      whom.next[l.from] = l.number;
      ++handled;
      running = whom.reader.advance(whom.box, whom.side_queue) != mailbox_reader::left::idle;
      l.on_its_way.store(false, std::memory_order_release);
    }
  }
  for (std::thread& each : threads)
    each.join();

  EXPECT_EQ(handled + evicted.load(), sent.load());
  EXPECT_EQ(out_of_order, 0u);
  EXPECT_GT(handled, 0u);
  EXPECT_EQ(whom.side_queue.size(), 0u);
}

}  // namespace
}  // namespace tactor::stress
