// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/slab.hpp"

#include "tactor/port/port.hpp"

#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace tactor::model {

using namespace tactor::internal;

namespace {

// An object detects two tenants that use it at once, or one after the other without an order.
struct room_for_one {
  port::plain<unsigned> tenant;

  void use_as(unsigned who) {
    tenant.set(who);
    require(tenant.get() == who, "another tenant was here");
  }
};

using rooms = slab<room_for_one>;
using handle = rooms::handle;

template <std::size_t Capacity>
struct house {
  std::array<rooms::slot, Capacity> slots;
  rooms all{slots};

  // Takes and gives back everything, so that every slot is in the free list.
  void fill_the_free_list() {
    std::array<handle, Capacity> names;
    for (handle& name : names)
      name = all.take().name;
    for (const handle name : names)
      require(all.give_back(name), "a name of our own");
  }

  // Exactly `count` slots can be taken, each once.
  void require_free(std::size_t count) {
    std::array<bool, Capacity> seen{};
    for (std::size_t i = 0; i < count; ++i) {
      const auto got = all.take();
      require(got.object != nullptr, "a slot is lost");
      require(!seen[got.name.index], "a slot is given out twice");
      seen[got.name.index] = true;
    }
    require(all.take().object == nullptr, "more slots than there are");
  }
};

// One thread takes from the free list while another gives back a slot whose link changes: the slot
// that followed it is taken.
struct taking_while_giving_back : house<3> {
  static constexpr unsigned threads = 2;
  handle name;

  void before() {
    fill_the_free_list();
    name = all.take().name;
    require(all.take().object != nullptr, "there were two free slots");
  }
  void thread(unsigned index) {
    if (index == 1) {
      all.find(name)->use_as(1);
      require(all.give_back(name), "a name of our own is not accepted");
      return;
    }
    const auto got = all.take();
    require(got.object != nullptr, "there was a free slot");
    got.object->use_as(0);
  }
  void after() { require_free(1); }
};

TEST(slab_model, a_take_and_a_give_back_leave_the_free_list_whole) {
  EXPECT_TRUE(passes(explore<taking_while_giving_back>()));
}

// Two threads give back, so that one of them has to link its slot again.
struct giving_back_together : house<2> {
  static constexpr unsigned threads = 2;
  std::array<handle, 2> names;

  void before() {
    for (handle& name : names)
      name = all.take().name;
  }
  void thread(unsigned index) {
    all.find(names[index])->use_as(index);
    require(all.give_back(names[index]), "a name of our own is not accepted");
  }
  void after() { require_free(2); }
};

TEST(slab_model, two_slots_given_back_at_once_are_both_free) {
  EXPECT_TRUE(passes(explore<giving_back_together>()));
}

// Two threads hold one name, and one of them takes again what it has given back.
struct one_name_given_back_twice : house<1> {
  static constexpr unsigned threads = 2;
  handle name;
  std::array<bool, 2> accepted{};
  rooms::tenancy next;

  void before() { name = all.take().name; }
  void thread(unsigned index) {
    accepted[index] = all.give_back(name);
    if (index == 0) next = all.take();
  }
  void after() {
    require(accepted[0] != accepted[1], "not exactly one of them gave it back");
    require(all.find(name) == nullptr, "a name outlives its tenancy");
    if (next.object != nullptr)
      require(all.find(next.name) == next.object, "an old name ended a new tenancy");
    require_free(next.object != nullptr ? 0 : 1);
  }
};

TEST(slab_model, of_two_threads_that_give_back_one_name_one_succeeds) {
  EXPECT_TRUE(passes(explore<one_name_given_back_twice>()));
}

// Every thread takes a slot, uses it and gives it back, `Rounds` times.
template <unsigned Threads, std::size_t Capacity, unsigned Rounds>
struct comings_and_goings : house<Capacity> {
  static constexpr unsigned threads = Threads;

  void thread(unsigned index) {
    for (unsigned round = 0; round < Rounds; ++round) {
      const auto got = this->all.take();
      if (got.object == nullptr) {
        require(Capacity < Threads, "there was a slot for every thread");
        continue;
      }
      got.object->use_as(index);
      require(this->all.find(got.name) == got.object, "a name of our own does not lead back");
      require(this->all.give_back(got.name), "a name of our own is not accepted");
    }
  }
  void after() { this->require_free(Capacity); }
};

TEST(slab_model, two_tenants_never_share_a_fresh_slot) {
  EXPECT_TRUE(passes(explore<comings_and_goings<2, 1, 1>>()));
}

// The shape that breaks a free list without a tag: while one thread is about to take the first
// slot, another takes the first two and gives the first back.
struct first_slot_comes_back : house<2> {
  static constexpr unsigned threads = 2;
  rooms::tenancy second;

  void before() { fill_the_free_list(); }
  void thread(unsigned index) {
    if (index == 0) {
      for (unsigned i = 0; i < 2; ++i) {
        const auto got = all.take();
        if (got.object != nullptr) got.object->use_as(0);
      }
      return;
    }
    const auto first = all.take();
    second = all.take();
    if (second.object != nullptr) second.object->use_as(1);
    if (first.object == nullptr) return;
    first.object->use_as(1);
    require(all.give_back(first.name), "a name of our own is not accepted");
    if (second.object != nullptr) second.object->use_as(1);
  }
};

TEST(slab_model, a_slot_that_comes_back_is_not_mistaken_for_its_earlier_self) {
  EXPECT_TRUE(passes(explore<first_slot_comes_back>()));
}

// The longest searches stand last: a mutant should not have to wait for them. Bounds where needed;
// the first search has also been run to its end once (14,647,066 schedules, half a minute).
TEST(slab_model, what_one_tenant_left_is_ordered_before_the_next) {
  EXPECT_TRUE(passes(explore<comings_and_goings<2, 1, 2>>(preemptions(5))));
  EXPECT_TRUE(passes(explore<comings_and_goings<2, 2, 2>>(preemptions(4))));
  EXPECT_TRUE(passes(explore<comings_and_goings<2, 2, 2>>(random_schedules(200'000))));
}

TEST(slab_model, every_thread_gets_a_slot_while_others_come_and_go) {
  EXPECT_TRUE(passes(explore<comings_and_goings<2, 2, 1>>()));
}

TEST(slab_model, three_threads_on_two_slots) {
  EXPECT_TRUE(passes(explore<comings_and_goings<3, 2, 1>>(preemptions(3))));
}

}  // namespace
}  // namespace tactor::model
