// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/idle_runs.hpp"

#include "tactor/base/magazine.hpp"
#include "tactor/base/tagged_stack.hpp"
#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

// Memory of free runs is given back while other threads use the depot. A page that is given back
// becomes zero under the eyes of a thread that still reads a record in it.
namespace tactor::model {

using namespace tactor::internal;

namespace {

struct node {
  port::plain<node*> next;
  port::plain<unsigned> user;
  chain_record<node>* run = nullptr;

  void use_as(unsigned who) {
    user.set(who);
    require(user.get() == who, "another thread has it, too");
  }
};

using depot = magazine_depot<node, 1>;
using record = chain_record<node>;

// A run of one node, on a page of its own.
struct alignas(depot::record_alignment) page {
  alignas(record) std::byte front[sizeof(record) + 64];  // a record, and space for a directory
  node behind;

  record& in_front() { return *std::launder(reinterpret_cast<record*>(front)); }
  // Does what the system does. The record stays an object: its contents change.
  void become_zero() {
    record& all = in_front();
    all.below.store(nullptr, relaxed);
    all.first.set(nullptr);
    all.pass.set(0);
    all.found.set(0);
    behind.next.set(nullptr);
    behind.user.set(0);
  }
};

// The first thread takes a record, gives its page back and uses it again, while the second is about
// to take the same record.
struct late_reader {
  static constexpr unsigned threads = 2;
  std::array<page, 2> pages;
  tagged_stack<record> stack;

  void before() {
    for (page& each : pages)
      stack.push(*::new (each.front) record);
  }
  void thread(unsigned index) {
    record* const mine = stack.pop();
    require(mine != nullptr, "there is one for each");
    page& on = *reinterpret_cast<page*>(mine);
    on.behind.use_as(index);
    if (index != 0) return;
    on.become_zero();
    stack.push(*mine);
  }
  void after() {
    require(stack.pop() != nullptr, "a record is lost");
    require(stack.pop() == nullptr, "a record is there twice");
    for (page& each : pages)
      std::destroy_at(&each.in_front());
  }
};

TEST(idle_runs_model, a_late_reader_does_not_mind_a_page_that_was_given_back) {
  EXPECT_TRUE(passes(explore<late_reader>()));
}

// A depot with `Runs` runs, all of them free.
template <std::size_t Runs>
struct depot_of_runs {
  struct description {
    std::size_t bytes = sizeof(page::front);
    std::uint32_t reserve = 0;

    static record& run_of(node& each) noexcept { return *each.run; }
    static void discard(void* start, std::size_t) noexcept {
      static_cast<page*>(start)->become_zero();
    }
  };

  std::array<page, Runs> pages;
  depot shared;
  idle_runs<node, 1> idle;
  description runs;

  void before() {
    for (page& each : pages) {
      shared.reserve(each.front);
      each.behind.run = &each.in_front();
      each.behind.next.set(nullptr);
      shared.put({.first = &each.behind, .count = 1});
    }
  }
  void after() {
    std::array<bool, Runs> seen{};
    for (node* each = find(); each != nullptr; each = find()) {
      const auto index = static_cast<std::size_t>(reinterpret_cast<page*>(each->run) - &pages[0]);
      require(!seen[index], "a node is in two places");
      seen[index] = true;
    }
    for (const bool each : seen)
      require(each, "a node is lost");
    for (page& each : pages)
      std::destroy_at(&each.in_front());
  }

  // Like a thread that sends.
  node* find() {
    node_chain<node> taken = shared.take();
    if (taken.count == 0) {
      const idle_memory<node> found = idle.take(shared);
      if (found.run != nullptr) {
        page& on = *reinterpret_cast<page*>(found.run);
        shared.reserve_again(*found.run);
        on.behind.next.set(nullptr);
        return &on.behind;
      }
      taken = found.chain;
    }
    return taken.first;
  }
  void give(node& mine) {
    mine.next.set(nullptr);
    shared.put({.first = &mine, .count = 1});
  }
  void use_one(unsigned who) {
    node* const mine = find();
    require(mine != nullptr, "something was free");
    mine->use_as(who);
    give(*mine);
  }
  void trim() {
    while (idle.has_work(shared, runs))
      idle.step(shared, runs);
  }
};

// One thread trims, others send.
template <std::size_t Runs, unsigned Senders>
struct sends_against_trim : depot_of_runs<Runs> {
  static constexpr unsigned threads = 1 + Senders;

  void thread(unsigned index) {
    if (index == 0) return this->trim();
    this->use_one(index);
  }
};

TEST(idle_runs_model, a_sender_finds_a_block_whatever_a_trimmer_does) {
  EXPECT_TRUE((passes(explore<sends_against_trim<2, 1>>(preemptions(2)))));
  EXPECT_TRUE((passes(explore<sends_against_trim<3, 2>>(preemptions(1)))));
  EXPECT_TRUE((passes(explore<sends_against_trim<3, 2>>(random_schedules(20'000)))));
}

// Two workers of different pools trim at once.
struct trims_against_trim : depot_of_runs<3> {
  static constexpr unsigned threads = 3;

  void thread(unsigned index) {
    if (index < 2) return trim();
    use_one(index);
  }
};

TEST(idle_runs_model, two_threads_may_trim_at_once) {
  EXPECT_TRUE(passes(explore<trims_against_trim>(preemptions(1))));
  EXPECT_TRUE(passes(explore<trims_against_trim>(random_schedules(20'000))));
}

}  // namespace
}  // namespace tactor::model
