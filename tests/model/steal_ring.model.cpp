// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/workers/steal_ring.hpp"

#include "tactor/base/memory_source.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace tactor::model {

using namespace tactor::internal;

namespace {

// A cell with content, which only its owner may touch.
struct item : ready_cell {
  port::plain<unsigned> content;
  unsigned taken = 0;

  void fill() { content.set(1); }
  void use() {
    require(content.get() == 1, "not filled, or used before");
    content.set(2);
    ++taken;
  }
};

template <std::size_t Capacity, std::size_t Items>
struct rings {
  using ring = tactor::internal::steal_ring<Capacity>;
  ring owned;
  std::array<ring, 2> stolen;
  std::array<item, Items> items;
  unsigned refused = 0;

  static void use(ready_cell* taken) {
    require(taken != nullptr, "an empty slot was taken");
    static_cast<item*>(taken)->use();
  }
  void push(std::size_t which) {
    items[which].fill();
    if (!owned.push(items[which])) {
      items[which].use();  // the owner still has it
      ++refused;
    }
  }
  void pop() {
    if (ready_cell* const taken = owned.pop()) use(taken);
  }
  static void use_all_of(ring& which) {
    while (ready_cell* const taken = which.pop())
      use(taken);
  }
  void steal(unsigned thief) {
    (void)owned.steal_half_into(stolen[thief]);
    use_all_of(stolen[thief]);
  }
  void after() {
    use_all_of(owned);
    for (ring& each : stolen)
      use_all_of(each);
    for (const item& each : items)
      require(each.taken == 1, "a cell is lost, or was taken twice");
  }
};

struct push_and_pop_against_a_thief : rings<2, 3> {
  static constexpr unsigned threads = 2;
  void thread(unsigned index) {
    if (index == 1) return steal(0);
    push(0);
    push(1);
    pop();
    push(2);
  }
};

struct push_and_pop_against_two_thieves : rings<2, 3> {
  static constexpr unsigned threads = 3;
  void before() { push(0); }
  void thread(unsigned index) {
    if (index != 0) return steal(index - 1);
    push(1);
    pop();
    push(2);
  }
};

// The ring is full: a thief copies what the owner would overwrite next.
struct overwrite_against_a_thief : rings<2, 4> {
  static constexpr unsigned threads = 2;
  void before() {
    push(0);
    push(1);
  }
  void thread(unsigned index) {
    if (index == 1) {
      steal(0);
      steal(0);
      return;
    }
    pop();
    push(2);
    push(3);
  }
};

struct half_taken_by_the_owner_against_a_thief : rings<4, 4> {
  static constexpr unsigned threads = 2;
  void before() {
    for (std::size_t i = 0; i < 4; ++i)
      push(i);
  }
  void thread(unsigned index) {
    if (index == 1) return steal(0);
    std::array<ready_cell*, 2> half{};
    const std::size_t count = owned.take_oldest(half);
    for (std::size_t i = 0; i < count; ++i)
      use(half[i]);
  }
};

// Memory for one larger block of slots.
class memory_of_slots final : public page_source {
public:
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t) noexcept override {
    require(bytes <= sizeof storage_, "there is memory for one block");
    return storage_;
  }

private:
  alignas(64) std::byte storage_[4096];
};

// The ring grows while a thief copies two cells: what the thief reads may be in either block.
struct growth_against_a_thief : rings<4, 7> {
  static constexpr unsigned threads = 2;
  memory_of_slots memory;
  void before() {
    for (std::size_t i = 0; i < 4; ++i)
      push(i);
    for (std::size_t i = 0; i < 3; ++i)
      pop();
  }
  void thread(unsigned index) {
    if (index == 1) return steal(0);
    require(owned.grow(memory), "there is memory");
    push(4);  // only the larger block has a slot for it
    push(5);
    push(6);
  }
};

// One thief steals from another what that thief has just stolen.
struct stolen_twice : rings<4, 4> {
  static constexpr unsigned threads = 3;
  void thread(unsigned index) {
    if (index == 0) {
      for (std::size_t i = 0; i < 3; ++i)
        push(i);
      pop();
    } else if (index == 1) {
      (void)owned.steal_half_into(stolen[0]);
    } else {
      (void)stolen[0].steal_half_into(stolen[1]);
      use_all_of(stolen[1]);
    }
  }
  void after() {
    push(3);
    rings::after();
  }
};

// spec: K3 D1
TEST(steal_ring_model, each_cell_is_taken_once) {
  EXPECT_TRUE(passes(explore<push_and_pop_against_a_thief>(preemptions(5))));
  EXPECT_TRUE(passes(explore<overwrite_against_a_thief>(preemptions(4))));
}

// spec: K3 D1
TEST(steal_ring_model, a_full_ring_gives_half_to_its_owner_or_to_a_thief) {
  EXPECT_TRUE(passes(explore<half_taken_by_the_owner_against_a_thief>(preemptions(4))));
}

// spec: K3 D1
TEST(steal_ring_model, each_cell_is_taken_once_also_when_the_ring_grows) {
  EXPECT_TRUE(passes(explore<growth_against_a_thief>(preemptions(4))));
}

// spec: K3 D1
TEST(steal_ring_model, what_was_stolen_may_be_stolen_again) {
  EXPECT_TRUE(passes(explore<stolen_twice>(preemptions(3))));
}

// spec: K3 D1
TEST(steal_ring_model, each_cell_is_taken_once_by_two_thieves_or_the_owner) {
  EXPECT_TRUE(passes(explore<push_and_pop_against_two_thieves>(preemptions(3))));
  EXPECT_TRUE(passes(explore<push_and_pop_against_two_thieves>(random_schedules(100'000))));
}

}  // namespace
}  // namespace tactor::model
