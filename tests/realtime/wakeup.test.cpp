// SPDX-License-Identifier: BSL-1.0
// No parked worker is missed: a message that comes at any moment of falling asleep wakes a worker.
#include "tactor/host/actor_system.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

namespace tactor::realtime {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

struct twice {
  int number;
  using reply = int;
};

constexpr auto as_long_as = 1s;
// Nothing here takes that long, however loaded the machine is.
constexpr auto lost = 20s;

void let_pass(std::chrono::microseconds time) {
  const auto end = steady_clock::now() + time;
  while (steady_clock::now() < end) {
  }
}

// spec: D7
TEST(wakeup, an_ask_to_a_system_that_falls_asleep_is_never_missed) {
  for (const std::uint32_t workers : {1U, 2U, 4U}) {
    actor_system system{{.workers = workers}};
    const auto answer = [](context&, const twice& t) { return 2 * t.number; };
    std::vector<actor_ref<twice>> all;
    for (const dispatcher where : {dispatcher::pool, dispatcher::pinned, dispatcher::blocking})
      all.push_back(system.spawn({.dispatcher = where}, answer));
    std::atomic<std::uint64_t> rounds = 0;
    {
      std::vector<std::jthread> askers;
      for (std::uint32_t self = 0; self < 2; ++self) {
        askers.emplace_back([&, self] {
          std::minstd_rand chance{self + 1};
          const auto end = steady_clock::now() + as_long_as;
          while (steady_clock::now() < end) {
            const int number = static_cast<int>(chance() % 1000);
            // Gaps that end while a worker spins, watches, parks or sleeps.
            let_pass(std::chrono::microseconds{chance() % 4 == 0 ? 0 : chance() % 300});
            ASSERT_EQ(system.ask(all[chance() % all.size()], twice{number}, lost).get(),
                      2 * number);
            ++rounds;
          }
        });
      }
    }
    EXPECT_GT(rounds, 0u);
  }
}

struct token {
  std::uint32_t left;
};

// From worker to worker, through mailboxes of actors that live on different threads.
class hop : public actor<token> {
public:
  hop(const std::vector<actor_ref<token>>* all, std::size_t next, std::atomic<bool>* over)
      : all_(all), next_(next), over_(over) {}
  void receive(context&, const token& t) {
    if (t.left == 0) {
      *over_ = true;
      over_->notify_all();
    } else {
      (*all_)[next_].tell(token{t.left - 1});
    }
  }

private:
  const std::vector<actor_ref<token>>* all_;
  std::size_t next_;
  std::atomic<bool>* over_;
};

// spec: D7
TEST(wakeup, a_token_that_goes_from_thread_to_thread_is_never_lost) {
  constexpr std::uint32_t hops = 5000;
  std::atomic<bool> over = false;
  std::vector<actor_ref<token>> ring(4);
  actor_system system{{.workers = 2}};
  const std::vector<dispatcher> places{dispatcher::pool, dispatcher::pinned, dispatcher::blocking,
                                       dispatcher::pinned};
  for (std::size_t i = 0; i < ring.size(); ++i)
    ring[i] = system.spawn<hop>({.dispatcher = places[i]}, &ring, (i + 1) % ring.size(), &over);
  ring[0].tell(token{hops});
  over.wait(false);
  EXPECT_TRUE(system.shutdown().complete);
}

}  // namespace
}  // namespace tactor::realtime
