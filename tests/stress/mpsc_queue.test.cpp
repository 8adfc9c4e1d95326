// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/mpsc_queue.hpp"

#include "time_box.hpp"
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace tactor::stress {

using namespace tactor::internal;

namespace {

constexpr std::size_t producers = 4;

// A node of a producer; it comes back and is sent again as soon as the consumer has read it.
struct letter : mpsc_queue_node<letter> {
  std::size_t from = 0;
  std::uint64_t number = 0;
  std::atomic<bool> on_its_way{false};
};

// One run: producers with so few letters each that the same ones go round and round.
class postal_service {
public:
  explicit postal_service(std::size_t letters_each) {
    for (auto& own : letters_)
      own = std::vector<letter>(letters_each);
  }

  void run() {
    const time_box time;
    std::vector<std::thread> threads;
    threads.reserve(producers);
    for (std::size_t from = 0; from < producers; ++from)
      threads.emplace_back([this, from, &time] { send(from, time); });
    while (running_.load() > 0)
      collect();
    for (std::thread& each : threads)
      each.join();
    collect();
  }

  std::array<std::uint64_t, producers> sent{};
  std::array<std::uint64_t, producers> received{};
  std::uint64_t out_of_order = 0;
  std::uint64_t takes = 0;  // that found something
  std::atomic<std::uint64_t> wakes{0};

private:
  void send(std::size_t from, const time_box& time) {
    std::vector<letter>& own = letters_[from];
    std::uint64_t number = 0;
    for (std::size_t turn = 0; time.open() || number == 0; ++turn) {
      letter& next = own[turn % own.size()];
      if (next.on_its_way.load(std::memory_order_acquire)) {
        std::this_thread::yield();
        continue;
      }
      next.from = from;
      next.number = number++;
      next.on_its_way.store(true, std::memory_order_relaxed);
      if (queue_.push(next) == after_push::wake_consumer) wakes.fetch_add(1);
    }
    sent[from] = number;
    running_.fetch_sub(1);
  }

  void collect() {
    auto chain = queue_.take_all();
    if (chain.empty()) {
      std::this_thread::yield();
      return;
    }
    ++takes;
    while (letter* each = chain.pop()) {
      if (each->number != received[each->from]) ++out_of_order;
      ++received[each->from];
      each->on_its_way.store(false, std::memory_order_release);
    }
  }

  std::array<std::vector<letter>, producers> letters_;
  mpsc_queue<letter> queue_;
  std::atomic<std::size_t> running_{producers};
};

TEST(mpsc_queue_stress, each_element_arrives_once_and_in_its_producers_order) {
  for (const std::size_t letters_each : {1u, 16u}) {
    postal_service post{letters_each};

    post.run();

    EXPECT_EQ(post.received, post.sent);
    EXPECT_EQ(post.out_of_order, 0u);
    EXPECT_GT(post.takes, 0u);
    EXPECT_EQ(post.wakes.load(), post.takes) << "one push says wake, for each time it was emptied";
  }
}

}  // namespace
}  // namespace tactor::stress
