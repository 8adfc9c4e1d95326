// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/cell/cell.hpp"

#include "cell_world.hpp"
#include "scenario.hpp"
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace tactor::model {

using namespace tactor::internal;

namespace {

// The first tenant stops and the second begins, while a sender still addresses the first.

template <bool Late>
struct stale_message : house {
  static constexpr unsigned threads = 2;
  item stale;
  item fresh;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void before() {
    house::before();
    first = make();
    open(first_desk);
    static_cast<void>(run(first_desk));  // it starts, and becomes idle
    request_stop(slot, first);
  }
  void thread(unsigned index) {
    if (index == 1) return Late ? tell_late(first, stale) : tell(first, stale);
    require(run(first_desk), "not stopped");
    first_desk.close();
    second = make();
    open(second_desk);
    tell(second, fresh);
    static_cast<void>(run(second_desk));
  }
  void after() {
    static_cast<void>(run(second_desk));
    require(stale.handled == 0, "handled after the request to stop");
    require(stale.dead == 1, "not one dead item for a stale message");
    require(fresh.handled == 1 && fresh.dead == 0, "the second tenant lacks its message");
    require(slot.generation() == second && services.ended_generation == first,
            "the second tenant has ended");
    require(slot.box.peek() == mailbox_word::opened().as_idle(), "the second tenant is not idle");
  }
};

TEST(cell_model, a_stale_message_never_reaches_the_next_tenant) {
  EXPECT_TRUE(passes(explore<stale_message<false>>(preemptions(3))));
  EXPECT_TRUE(passes(explore<stale_message<true>>(preemptions(3))));
}

// The second tenant is idle, and the stale message wakes it.
struct stale_message_wakes : house {
  static constexpr unsigned threads = 2;
  item stale;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void before() {
    house::before();
    first = make();
    open(first_desk);
    static_cast<void>(run(first_desk));
    request_stop(slot, first);
  }
  void thread(unsigned index) {
    if (index == 1) return tell_late(first, stale);
    require(run(first_desk), "not stopped");
    first_desk.close();
    second = make();
    open(second_desk);
    static_cast<void>(run(second_desk));
  }
  void after() {
    static_cast<void>(run(second_desk));
    require(stale.handled == 0 && stale.dead == 1, "not one dead item for a stale message");
    require(slot.box.peek() == mailbox_word::opened().as_idle(), "the second tenant is not idle");
  }
};

TEST(cell_model, a_tenant_woken_by_a_stale_message_is_woken_in_its_own_system) {
  EXPECT_TRUE(passes(explore<stale_message_wakes>()));
}

struct stale_system_message : house {
  static constexpr unsigned threads = 2;
  item stale;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void before() {
    house::before();
    first = make();
    open(first_desk);
    static_cast<void>(run(first_desk));
    request_stop(slot, first);
  }
  void thread(unsigned index) {
    if (index == 1) {
      stale.write();
      if (post_system_reserved(slot, first, stale.head) != tell_result::ok) ++stale.dead;
      return;
    }
    require(run(first_desk), "not stopped");
    first_desk.close();
    second = make();
    open(second_desk);
    static_cast<void>(run(second_desk));
  }
  void after() {
    static_cast<void>(run(second_desk));
    require(stale.handled == 0 && stale.dead == 1, "not one end of a stale system message");
    require(slot.box.peek() == mailbox_word::opened().as_idle(), "the second tenant is not idle");
  }
};

TEST(cell_model, a_stale_system_message_never_reaches_the_next_tenant) {
  EXPECT_TRUE(passes(explore<stale_system_message>(preemptions(3))));
}

// Two threads stop the first tenant; at the slower request the second may occupy the slot.
struct stale_request : house {
  static constexpr unsigned threads = 2;
  item fresh;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void before() {
    house::before();
    first = make();
    open(first_desk);
    static_cast<void>(run(first_desk));
  }
  void thread(unsigned index) {
    request_stop(slot, first);
    if (index == 1) return;
    if (!run(first_desk)) return;  // the other thread makes it ready
    second = make();
    open(second_desk);
    tell(second, fresh);
    static_cast<void>(run(second_desk));
  }
  void after() {
    if (second == 0) {
      require(run(first_desk), "a request to stop is lost");
      return;
    }
    static_cast<void>(run(second_desk));
    require(fresh.handled == 1, "the second tenant lacks its message");
    require(slot.generation() == second && services.ended_generation == first,
            "the second tenant has ended");
    require(slot.box.peek() == mailbox_word::opened().as_idle(), "the second tenant is not idle");
  }
};

TEST(cell_model, a_stale_request_to_stop_never_reaches_the_next_tenant) {
  EXPECT_TRUE(passes(explore<stale_request>(preemptions(3))));
}

// A request comes while the cell runs, becomes idle, or is idle; another worker may act on it.
struct request_against_mail : house {
  static constexpr unsigned threads = 3;
  item mail;
  std::uint32_t first = 0;
  std::array<bool, 2> stopped{};

  void before() {
    house::before();
    first = make();
    open(first_desk);
    static_cast<void>(run(first_desk));
  }
  void thread(unsigned index) {
    switch (index) {
    case 0:
      return tell(first, mail);
    case 1:
      return request_stop(slot, first);
    default:
      stopped[0] = run(first_desk);
    }
  }
  void after() {
    stopped[1] = run(first_desk);
    require(stopped[0] != stopped[1], "a request to stop is lost, or acted on twice");
    require(mail.handled + mail.dead == 1, "a message is lost, or there twice");
  }
};

TEST(cell_model, a_request_to_stop_is_seen_by_the_worker_that_takes_the_notice) {
  EXPECT_TRUE(passes(explore<request_against_mail>(preemptions(3))));
}

// A guardian finds the new child in its list and requests it to stop before its mailbox is open.
struct request_before_open : house {
  static constexpr unsigned threads = 2;
  std::uint32_t first = 0;
  bool stopped = false;

  void before() {
    house::before();
    first = make();
  }
  void thread(unsigned index) {
    if (index == 1) return request_stop(slot, first);
    open(first_desk);
    stopped = run(first_desk);
  }
  void after() {
    if (!stopped) stopped = run(first_desk);
    require(stopped, "a request to stop is lost");
  }
};

TEST(cell_model, a_request_is_not_lost_while_the_mailbox_is_opened) {
  EXPECT_TRUE(passes(explore<request_before_open>(preemptions(3))));
}

// Permits of a bounded mailbox: a message of one tenancy that arrives in the next neither keeps a
// permit for ever nor releases a permit that it did not acquire.
template <std::uint32_t First, std::uint32_t Second>
struct stale_message_and_limits : house {
  static constexpr unsigned threads = 2;
  item stale;
  std::uint32_t first = 0;

  void before() {
    house::before();
    first = make(First);
    open(first_desk);
    static_cast<void>(run(first_desk));
    request_stop(slot, first);
  }
  void thread(unsigned index) {
    if (index == 1) return tell(first, stale);
    require(run(first_desk), "not stopped");
    static_cast<void>(make(Second));
    open(second_desk);
    static_cast<void>(run(second_desk));
  }
  void after() {
    static_cast<void>(run(second_desk));
    require(stale.dead == 1, "not one dead item for a stale message");
    require(slot.permits_taken.load(relaxed) == 0, "a permit is lost, or there twice");
  }
};

TEST(cell_model, a_stale_message_leaves_the_permits_of_a_mailbox_unchanged) {
  using unbounded_first = stale_message_and_limits<mailbox_options::unbounded, 1>;
  using bounded_first = stale_message_and_limits<1, mailbox_options::unbounded>;
  EXPECT_TRUE(passes(explore<unbounded_first>(preemptions(3))));
  EXPECT_TRUE(passes(explore<bounded_first>(preemptions(3))));
}

// A parent that stops and its children, each on its own worker. The parent ends after them, and
// their slots are free.
template <unsigned Children>
struct parent_and_children {
  static constexpr unsigned threads = 1 + Children;
  fresh_runtime runtime;
  town services;
  std::array<cell, threads> family;  // the parent is first
  std::array<desk, threads> desks;
  std::array<unsigned, threads> ends{};

  void spawn(unsigned index) {
    cell& who = family[index];
    cell* const parent = index == 0 ? nullptr : &family[0];
    require(this_thread().cells.try_put(who), "no capacity for a slot");
    static_cast<void>(move_in(who, parent, mailbox_options::unbounded));
    who.coordinator.store(&desks[index], relaxed);  // relaxed: opening publishes it
    if (parent != nullptr) adopt(*parent, who);
    who.box.open();
    desks[index].register_ready(who);
    run(index);
  }
  void run(unsigned index) {
    cell* const c = desks[index].take();
    if (c == nullptr) return;
    const invoke_result result =
        run_turn({.system = services, .thread = this_thread(), .actor = *c});
    if (result.how == invoke_result::outcome::stopped) ++ends[index];
  }
  void before() {
    this_thread().services = &services;
    for (unsigned i = 0; i < threads; ++i)
      spawn(i);
    request_stop(family[0], family[0].generation());
    run(0);  // it has stopped its children
  }
  void thread(unsigned index) { run(index); }
  void after() {
    run(0);
    for (unsigned i = 0; i < threads; ++i)
      require(ends[i] == 1, "an actor has not ended, or ended twice");
    require(services.last_ended == &family[0], "the parent has ended before a child");
    for (unsigned i = 0; i < Children; ++i)
      require(this_thread().cells.try_take() != nullptr, "a child's slot is not free");
  }
};

TEST(cell_model, a_parent_learns_of_the_end_of_its_children) {
  EXPECT_TRUE(passes(explore<parent_and_children<1>>(preemptions(3))));
  EXPECT_TRUE(passes(explore<parent_and_children<2>>(preemptions(2))));
}

}  // namespace
}  // namespace tactor::model
