// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/host/os/mapped_pages.hpp"
#include "tactor/host/workers/pool_settings.hpp"
#include "tactor/host/workers/pool_worker.hpp"
#include "tactor/host/workers/work_stealing_coordinator.hpp"

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

// An actor as far as a pool knows one: who sends to it makes it ready if it was at rest.
struct member : ready_cell {
  std::atomic<std::uint32_t> mail{0};
  // Plain: only who runs it touches them. Two at once would be a data race, too.
  std::uint64_t handled = 0;
  std::uint64_t turns = 0;
  std::atomic<int> inside{0};
};

// Members that send to each other, and others that send from outside, until the time is up; then
// what is under way comes to its end.
class club {
public:
  club(std::uint32_t workers, internal::pool_kind kind) : workers_(workers) {
    EXPECT_TRUE(pool_.open({.workers = workers, .kind = kind, .pages = &pages_}));
  }

  void run() {
    std::vector<std::thread> outside;
    std::vector<std::thread> inside;
    for (std::uint32_t number = 0; number < workers_; ++number)
      inside.emplace_back([this, number] { work(number); });
    for (unsigned i = 0; i < 3; ++i)
      outside.emplace_back([this, i] { send_from_outside(i); });
    for (std::thread& each : outside)
      each.join();
    while (handled_.load() != sent_.load())
      std::this_thread::yield();
    pool_.shut_down();
    for (std::thread& each : inside)
      each.join();
  }

  void expect_all_well() {
    std::uint64_t handled = 0;
    std::uint64_t turns = 0;
    for (const member& each : members_) {
      handled += each.handled;
      turns += each.turns;
      EXPECT_EQ(each.mail.load(), 0u);
      EXPECT_EQ(each.ready.load(relaxed), ready_cell::mark::out);
    }
    EXPECT_EQ(handled, sent_.load());
    EXPECT_EQ(at_once_.load(), 0u) << "a cell ran on two workers at once";
    EXPECT_GT(handled, 1000u);
    std::uint64_t counted = 0;
    for (std::uint32_t number = 0; number < workers_; ++number)
      counted += pool_.worker(number).progress.value();
    EXPECT_EQ(counted, turns);
    EXPECT_EQ(pool_.injected(), 0u);
    pool_.close();
  }

private:
  void send(member& whom) {
    sent_.fetch_add(1);
    if (whom.mail.fetch_add(1, std::memory_order_acq_rel) == 0) pool_.register_ready(whom);
  }
  void send_from_outside(unsigned who) {
    std::uint64_t random = who + 1;
    while (time_.open() || sent_.load() <= 1000) {  // however busy the machine is
      send(members_[next(random) % members_.size()]);
      // From time to time all workers get a chance to fall asleep.
      if (next(random) % 16 == 0)
        while (handled_.load() != sent_.load() && time_.open())
          std::this_thread::yield();
    }
  }
  void work(std::uint32_t number) {
    internal::pool_worker& here = pool_.attach(number);
    std::uint64_t random = number + 100;
    do {
      while (ready_cell* const next_one = pool_.next_for(here))
        turn(here, static_cast<member&>(*next_one), random);
    } while (pool_.wait(here));
    pool_.detach(here);
  }
  void turn(internal::pool_worker& here, member& who, std::uint64_t& random) {
    if (who.inside.fetch_add(1, std::memory_order_relaxed) != 0) ++at_once_;
    ++who.turns;
    const std::uint32_t most = static_cast<std::uint32_t>(next(random) % 4) + 1;
    const std::uint32_t waiting = who.mail.load(std::memory_order_acquire);
    const std::uint32_t some = waiting < most ? waiting : most;
    who.handled += some;
    // A chain reaction that dies out: each message makes less than one of its own.
    for (std::uint32_t i = 0; i < some; ++i)
      for (std::uint64_t n = next(random) % 16; n > 13; --n)
        send(members_[next(random) % members_.size()]);
    if (next(random) % 512 == 0)  // a burst, more than a ring has room for
      for (unsigned i = 0; i < 300 && time_.open(); ++i)
        send(members_[next(random) % members_.size()]);
    who.inside.fetch_sub(1, std::memory_order_relaxed);
    const bool at_rest = who.mail.fetch_sub(some, std::memory_order_acq_rel) == some;
    handled_.fetch_add(some);
    const member* const overload_target = next(random) % 8 == 0 ? &members_[0] : nullptr;
    if (!at_rest) pool_.go_on_later(here, who, overload_target);
  }
  static std::uint64_t next(std::uint64_t& state) {
    state = state * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
    return state >> 33;
  }

  std::uint32_t workers_;
  time_box time_;
  internal::mapped_pages pages_;
  internal::work_stealing_coordinator pool_;
  std::array<member, 400> members_;
  std::atomic<std::uint64_t> sent_{0};
  std::atomic<std::uint64_t> handled_{0};
  std::atomic<std::uint64_t> at_once_{0};
};

// spec: D1 D7
TEST(pool_stress, each_registration_runs_and_no_cell_on_two_workers_at_once) {
  for (const std::uint32_t workers : {1u, 2u, 4u, 8u}) {
    SCOPED_TRACE(workers);
    club all{workers, internal::pool_kind::computing};
    all.run();
    all.expect_all_well();
  }
}

// spec: D1 D5 D7
TEST(pool_stress, each_registration_in_a_blocking_pool_runs) {
  for (const std::uint32_t workers : {1u, 4u}) {
    SCOPED_TRACE(workers);
    club all{workers, internal::pool_kind::blocking};
    all.run();
    all.expect_all_well();
  }
}

}  // namespace
}  // namespace tactor::stress
