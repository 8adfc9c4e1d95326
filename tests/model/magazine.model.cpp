// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/magazine.hpp"

#include "tactor/base/tagged_stack.hpp"
#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace tactor::model {

using namespace tactor::internal;

namespace {

// A node detects two threads that use it at once, or one after the other without an order.
struct node {
  port::plain<node*> next;
  port::plain<unsigned> user;

  void use_as(unsigned who) {
    user.set(who);
    require(user.get() == who, "another thread has it, too");
  }
};

struct stack_node {
  port::atomic<stack_node*> below;
  port::plain<unsigned> user;

  void use_as(unsigned who) {
    user.set(who);
    require(user.get() == who, "another thread has it, too");
  }
};

// Nodes as far apart as the stack requires.
struct alignas(tagged_stack<stack_node>::alignment) padded_node {
  stack_node on_it;
};

template <std::size_t Count>
struct pile {
  std::array<padded_node, Count> padded_nodes;
  tagged_stack<stack_node> stack;

  void before() {
    for (padded_node& each : padded_nodes)
      stack.push(each.on_it);
  }
  void require_plates(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      require(stack.pop() != nullptr, "a node is lost");
    require(stack.pop() == nullptr, "a node is there twice");
  }
};

// Each thread takes the topmost node, uses it and puts it back.
struct plates_come_and_go : pile<1> {
  static constexpr unsigned threads = 2;

  void thread(unsigned index) {
    stack_node* const mine = stack.pop();
    if (mine == nullptr) return;
    mine->use_as(index);
    stack.push(*mine);
  }
  void after() { require_plates(1); }
};

TEST(tagged_stack_model, a_use_of_an_object_is_ordered_before_the_next_use) {
  EXPECT_TRUE(passes(explore<plates_come_and_go>()));
}

// Two threads push their nodes while a third pops: none is lost, none comes twice.
struct plates_put_at_once {
  static constexpr unsigned threads = 3;
  std::array<padded_node, 2> padded_nodes;
  tagged_stack<stack_node> stack;
  bool taken = false;

  void thread(unsigned index) {
    if (index < 2) {
      padded_nodes[index].on_it.use_as(index);
      stack.push(padded_nodes[index].on_it);
    } else if (stack_node* const mine = stack.pop()) {
      mine->use_as(index);
      taken = true;
    }
  }
  void after() {
    for (unsigned left = taken ? 1 : 2; left > 0; --left)
      require(stack.pop() != nullptr, "a node is lost");
    require(stack.pop() == nullptr, "a node is there twice");
  }
};

TEST(tagged_stack_model, of_what_two_push_at_once_nothing_is_lost) {
  EXPECT_TRUE(passes(explore<plates_put_at_once>()));
}

// The shape that breaks a stack without a tag: while one thread is about to take the topmost node,
// another takes the topmost two and puts the first back.
struct topmost_comes_back : pile<2> {
  static constexpr unsigned threads = 2;

  void thread(unsigned index) {
    if (index == 0) {
      for (unsigned i = 0; i < 2; ++i)
        if (stack_node* const mine = stack.pop()) mine->use_as(0);
      return;
    }
    stack_node* const first = stack.pop();
    stack_node* const second = stack.pop();
    if (first != nullptr) stack.push(*first);
    if (second != nullptr) second->use_as(1);
  }
};

TEST(tagged_stack_model, an_object_that_comes_back_is_not_mistaken_for_its_earlier_self) {
  EXPECT_TRUE(passes(explore<topmost_comes_back>()));
}

// Storage for a record, with a page to itself.
template <class Depot>
struct alignas(Depot::record_alignment) record_room {
  std::byte bytes[Depot::record_size];
};

// A depot with `Records` records and `Nodes` nodes, which begin in it.
template <std::uint32_t Capacity, std::size_t Nodes, std::size_t Records>
struct store {
  using cache = magazine_cache<node, Capacity>;
  using depot = cache::depot;
  using chain = node_chain<node>;

  store() {
    for (auto& each : records)
      shared.reserve(&each);
  }
  store(const store&) = delete;
  store& operator=(const store&) = delete;
  ~store() {
    for (auto& each : records)
      std::destroy_at(reinterpret_cast<chain_record<node>*>(&each));
  }

  void before() {
    chain made;
    for (node& each : nodes) {
      made.push(each);
      if (made.count == Capacity) shared.put(std::exchange(made, {}));
    }
    shared.put(made);
  }

  void use(chain taken, unsigned who) {
    for (node* each = taken.first; each != nullptr; each = each->next.get()) {
      each->use_as(who);
      --taken.count;
    }
    require(taken.count == 0, "a chain is not as long as it says");
  }

  void require_nodes(std::size_t count) {
    std::array<bool, Nodes> seen{};
    for (chain taken = shared.take(); taken.count != 0; taken = shared.take()) {
      use(taken, 9);
      for (node* each = taken.first; each != nullptr; each = each->next.get()) {
        const auto index = static_cast<std::size_t>(each - nodes.data());
        require(!seen[index], "a node is in two places");
        seen[index] = true;
        --count;
      }
    }
    require(count == 0, "a node is lost");
  }

  std::array<node, Nodes> nodes;
  std::array<record_room<depot>, Records> records;
  depot shared;
};

// One thread takes a full chain, the other puts one: there is a record for each, or just for one.
template <std::size_t Records>
struct full_chains_cross : store<1, 2, Records> {
  static constexpr unsigned threads = 2;
  node_chain<node> mine;

  void before() {
    store<1, 2, Records>::before();
    mine = this->shared.take();
  }
  void thread(unsigned index) {
    if (index == 0) {
      this->use(mine, 0);
      this->shared.put(mine);
      return;
    }
    const auto taken = this->shared.take();
    require(taken.count == 1, "there was a chain");
    this->use(taken, 1);
    this->shared.put(taken);
  }
  void after() { this->require_nodes(2); }
};

TEST(magazine_model, a_chain_put_and_a_chain_taken_do_not_disturb_each_other) {
  ASSERT_TRUE(passes(explore<full_chains_cross<2>>()));
  EXPECT_TRUE(passes(explore<full_chains_cross<1>>()));
}

// With a record for each chain, a put always finds a record, however often others take theirs.
struct records_suffice {
  static constexpr unsigned threads = 2;
  using depot = magazine_depot<node, 1>;

  std::array<node, 2> nodes;
  std::array<record_room<depot>, 2> records;
  full_chains<node, true> full;

  void before() {
    for (unsigned i = 0; i < 2; ++i) {
      full.reserve(&records[i]);
      require(full.put(&nodes[i]), "there is a record for each");
    }
  }
  void thread(unsigned index) {
    for (unsigned round = 0; round < 2; ++round) {
      node* const mine = full.take();
      require(mine != nullptr, "there is a chain for each");
      mine->use_as(index);
      require(full.put(mine), "there is a record for each");
    }
  }
  void after() {
    for (auto& each : records)
      std::destroy_at(reinterpret_cast<chain_record<node>*>(&each));
  }
};

TEST(magazine_model, a_record_for_each_chain_suffices) {
  EXPECT_TRUE(passes(explore<records_suffice>(preemptions(3))));
}

// Two ending threads leave nodes over, while a third takes nodes.
struct leftovers : store<2, 2, 0> {
  static constexpr unsigned threads = 3;
  std::array<cache, 2> ending;
  std::size_t taken = 0;

  void before() {
    for (unsigned i = 0; i < 2; ++i)
      require(ending[i].try_put(nodes[i]), "an empty cache has capacity");
  }
  void thread(unsigned index) {
    if (index < 2) {
      nodes[index].user.set(index);
      ending[index].give_all_to(shared);
      return;
    }
    const chain found = shared.take();
    use(found, index);
    taken = found.count;
  }
  void after() { require_nodes(2 - taken); }
};

TEST(magazine_model, what_threads_leave_over_is_found_by_others) {
  EXPECT_TRUE(passes(explore<leftovers>()));
}

// Two threads take nodes from one pile of leftovers that is more than one magazine.
struct leftovers_shared_out : store<2, 3, 0> {
  static constexpr unsigned threads = 2;

  void thread(unsigned index) {
    const chain found = shared.take();
    require(found.count != 0, "there was something for both");
    use(found, index);
  }
  void after() { require_nodes(0); }
};

TEST(magazine_model, leftovers_are_given_out_once) {
  EXPECT_TRUE(passes(explore<leftovers_shared_out>()));
}

// Each thread takes three nodes and puts them back, through magazines of one node: every operation
// reaches the depot.
template <std::size_t Nodes>
struct messages_come_and_go : store<1, Nodes, Nodes> {
  static constexpr unsigned threads = 2;
  std::array<typename store<1, Nodes, Nodes>::cache, 2> caches;

  void thread(unsigned index) {
    auto& mine = caches[index];
    std::array<node*, 3> held{};
    for (node*& each : held) {
      each = mine.take(this->shared);
      if (each != nullptr) each->use_as(index);
    }
    for (node* const each : held) {
      if (each == nullptr) continue;
      each->use_as(index);
      mine.put(*each, this->shared);
    }
  }
  void after() {
    for (auto& each : caches)
      each.give_all_to(this->shared);
    this->require_nodes(Nodes);
  }
};

// The longest searches stand last: a mutant should not have to wait for them.
TEST(magazine_model, no_node_has_two_owners_and_none_is_lost) {
  EXPECT_TRUE(passes(explore<messages_come_and_go<4>>(preemptions(3))));
  EXPECT_TRUE(passes(explore<messages_come_and_go<4>>(random_schedules(100'000))));
}

}  // namespace
}  // namespace tactor::model
