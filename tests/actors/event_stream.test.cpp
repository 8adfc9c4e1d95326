// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/event_stream.hpp"

#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct news {
  std::string text;
};
struct weather {
  int degrees = 0;
};
struct poke {};

// spec: A2g
// case: ES-01
TEST(event_stream, sends_a_copy_to_a_subscriber_until_it_unsubscribes) {
  simulation world{seed{1}};
  auto reader = world.spawn_probe<news>("reader");
  EXPECT_EQ(world.events().publish(news{"before"}), 0u);
  EXPECT_TRUE(world.events().subscribe<news>(reader.ref()));
  EXPECT_EQ(world.events().publish(news{"one"}), 1u);
  EXPECT_TRUE(world.events().unsubscribe<news>(reader.ref()));
  EXPECT_EQ(world.events().publish(news{"after"}), 0u);
  EXPECT_FALSE(world.events().unsubscribe<news>(reader.ref()));

  EXPECT_EQ(reader.expect<news>().text, "one");
  reader.expect_no_message();
  EXPECT_TRUE(world.events().has_no_subscriber());
}

// spec: A2g
// case: ES-03
TEST(event_stream, sends_one_copy_to_an_actor_that_subscribes_twice) {
  simulation world{seed{1}};
  auto reader = world.spawn_probe<news, weather>("reader");
  EXPECT_TRUE(world.events().subscribe<news>(reader.ref()));
  EXPECT_FALSE(world.events().subscribe<news>(reader.ref()));
  EXPECT_TRUE(world.events().subscribe<weather>(reader.ref()));
  EXPECT_EQ(world.events().publish(news{"x"}), 1u);
  EXPECT_EQ(reader.expect<news>().text, "x");
  reader.expect_no_message();
  EXPECT_EQ(world.events().unsubscribe_all(reader.ref()), 2u);
  EXPECT_EQ(world.events().unsubscribe_all(reader.ref()), 0u);
}

// spec: A2g
TEST(event_stream, goes_by_the_exact_type) {
  simulation world{seed{1}};
  auto reader = world.spawn_probe<news, weather>("reader");
  world.events().subscribe<weather>(reader.ref());
  EXPECT_EQ(world.events().publish(news{"x"}), 0u);
  EXPECT_EQ(world.events().publish(weather{20}), 1u);
  EXPECT_EQ(reader.expect<weather>().degrees, 20);
  reader.expect_no_message();
}

// spec: A2g
TEST(event_stream, reaches_any_number_in_the_order_in_which_they_subscribed) {
  simulation world{};  // first come, first served
  std::vector<int> order;
  std::vector<actor_ref<news>> readers;
  readers.reserve(20);
  for (int i = 0; i < 20; ++i) {  // more than are sent to at a time
    readers.push_back(
        world.spawn("reader", [i, &order](tactor::context&, const news&) { order.push_back(i); }));
  }
  world.run_to_idle();
  for (const auto& each : readers)
    EXPECT_TRUE(world.events().subscribe<news>(each));
  EXPECT_EQ(world.events().publish(news{"x"}), 20u);
  world.run_to_idle();
  ASSERT_EQ(order.size(), 20u);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(order[static_cast<std::size_t>(i)], i);

  // From the front, the middle and the end.
  for (const std::size_t gone : {0u, 10u, 19u})
    EXPECT_TRUE(world.events().unsubscribe<news>(readers[gone]));
  EXPECT_EQ(world.events().publish(news{"y"}), 17u);
  EXPECT_TRUE(world.events().subscribe<news>(readers[0]));
  order.clear();
  EXPECT_EQ(world.events().publish(news{"z"}), 18u);
  world.run_to_idle();
  EXPECT_EQ(order.back(), 0);  // now it is the last
}

// spec: A2g
// case: ES-04
TEST(event_stream, forgets_a_subscriber_that_stops_without_a_storm) {
  simulation world{seed{1}};
  auto reader = world.spawn_probe<news>("reader");
  world.events().subscribe<news>(reader.ref());
  world.run_to_idle();
  world.stop(reader.ref());
  world.run_to_idle();
  EXPECT_TRUE(world.events().has_no_subscriber());
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(world.events().publish(news{"x"}), 0u);
  EXPECT_EQ(world.metrics().all_dead_letters(), 0u);
  EXPECT_FALSE(world.events().subscribe<news>(reader.ref()));  // a stopped actor
  EXPECT_FALSE(world.events().subscribe<news>(actor_ref<news>{}));
}

// spec: A2g
TEST(event_stream, refuses_a_subscriber_that_has_stopped_and_keeps_nothing_of_it) {
  simulation world{seed{1}};
  auto reader = world.spawn_probe<news>("reader");
  const actor_ref<news> gone = reader.ref();
  world.stop(gone);
  world.run_to_idle();
  EXPECT_FALSE(world.events().subscribe<news>(gone));
  EXPECT_TRUE(world.events().has_no_subscriber());
  EXPECT_FALSE(world.events().unsubscribe<news>(gone));
  const auto next = world.spawn_probe<news>("next");  // perhaps in the same slot
  EXPECT_FALSE(world.events().subscribe<news>(gone));
  EXPECT_TRUE(world.events().subscribe<news>(next.ref()));
}

// An event whose copies do what its publisher does not expect: each subscribes one more actor.
struct spreading {
  explicit spreading(simulation& in) : world(&in) {}
  spreading(const spreading& other) : world(other.world) {
    if (copies >= most) return;
    ++copies;
    world->events().subscribe<spreading>(
        world->spawn("more", [](tactor::context&, const spreading&) {}));
  }
  spreading& operator=(const spreading&) = delete;
  ~spreading() = default;

  static constexpr std::size_t most = 100;
  static inline std::size_t copies = 0;
  simulation* world;
};

// spec: A2g
TEST(event_stream, sends_an_event_to_those_that_had_subscribed_before_and_copies_it_under_no_lock) {
  simulation world{seed{1}};
  for (int i = 0; i < 8; ++i) {
    const auto first = world.spawn("first", [](tactor::context&, const spreading&) {});
    ASSERT_TRUE(world.events().subscribe<spreading>(first));
  }
  EXPECT_EQ(world.events().publish(spreading{world}), 8u);
  EXPECT_EQ(spreading::copies, 8u);
  spreading::copies = spreading::most;
  EXPECT_EQ(world.events().publish(spreading{world}), 16u);
}

// spec: A2g
TEST(event_stream, sends_to_the_rest_when_subscribers_leave_meanwhile) {
  simulation world{seed{1}};
  struct leaving {
    leaving(simulation& in, std::vector<actor_ref<>>& all) : world(&in), readers(&all) {}
    leaving(const leaving& other) : world(other.world), readers(other.readers) {
      if (readers->size() != 20) return;  // once, when the first copy is made
      for (const std::size_t gone : {0u, 5u, 8u, 9u, 19u})
        world->events().unsubscribe<leaving>((*readers)[gone]);
      readers->clear();
    }
    leaving& operator=(const leaving&) = delete;
    ~leaving() = default;
    simulation* world;
    std::vector<actor_ref<>>* readers;
  };
  std::vector<actor_ref<>> readers;
  for (int i = 0; i < 20; ++i) {
    const auto reader = world.spawn("reader", [](tactor::context&, const leaving&) {});
    ASSERT_TRUE(world.events().subscribe<leaving>(reader));
    readers.push_back(reader);
  }
  // The first eight were chosen before they left; of the others three have gone.
  EXPECT_EQ(world.events().publish(leaving{world, readers}), 17u);
  EXPECT_EQ(world.events().publish(leaving{world, readers}), 15u);
}

// case: ES-04
TEST(event_stream, forgets_a_subscriber_that_refuses_because_it_drains) {
  simulation world{seed{1}};
  auto reader = world.spawn_probe<news>("reader");
  class parent : public actor<poke> {
  public:
    void receive(context&, poke) {}
  };
  // It waits for its child: its mailbox is closed, and it has not ended yet.
  const auto busy = world.spawn("busy", [](tactor::context& ctx, const news&) {
    (void)ctx.spawn<parent>("child");
    ctx.stop();
  });
  world.events().subscribe<news>(busy);
  world.events().subscribe<news>(reader.ref());
  world.run_to_idle();
  EXPECT_EQ(world.events().publish(news{"x"}), 2u);
  world.run_to_idle();
  EXPECT_EQ(world.events().publish(news{"y"}), 1u);
  EXPECT_EQ(world.metrics().all_dead_letters(), 0u);
}

// case: ES-04
TEST(event_stream, counts_what_a_full_subscriber_refuses_and_makes_no_dead_letter_of_it) {
  simulation world{seed{1}};
  int seen = 0;
  const auto small = world.spawn({.name = "small", .mailbox = {.capacity = 2}},
                                 [&seen](tactor::context&, const news&) { ++seen; });
  world.events().subscribe<news>(small);
  world.run_to_idle();
  for (int i = 0; i < 5; ++i)
    world.events().publish(news{"x"});
  EXPECT_EQ(world.events().refused(), 3u);
  EXPECT_EQ(world.metrics().events_refused, 3u);
  EXPECT_EQ(world.metrics().all_dead_letters(), 0u);
  world.run_to_idle();
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(world.events().publish(news{"x"}), 1u);  // still subscribed
}

// case: ES-04
TEST(event_stream, of_dead_letters_to_a_full_subscriber_comes_to_an_end) {
  for (const overflow_strategy rule :
       {overflow_strategy::drop_oldest, overflow_strategy::drop_newest, overflow_strategy::reject,
        overflow_strategy::dead_letter}) {
    simulation world{seed{1}};
    int seen = 0;
    const auto small = world.spawn({.name = "small", .mailbox = {.capacity = 2, .overflow = rule}},
                                   [&seen](tactor::context&, const dead_letter&) { ++seen; });
    world.events().subscribe<dead_letter>(small);
    auto gone = world.spawn_probe<news>("gone");
    world.stop(gone.ref());
    world.run_to_idle();
    for (int i = 0; i < 10; ++i)
      EXPECT_EQ(gone.ref().tell(news{"x"}), tell_result::closed);
    world.run_to_idle();
    EXPECT_EQ(seen, 2);
    EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::stopped), 10u);
  }
}

// case: ES-04
TEST(event_stream, makes_no_dead_letter_of_a_dead_letter) {
  simulation world{seed{1}};
  auto all = world.spawn_probe<dead_letter>("all");
  auto late = world.spawn_probe<dead_letter>("late");
  auto gone = world.spawn_probe<news>("gone");
  world.events().subscribe<dead_letter>(all.ref());
  world.events().subscribe<dead_letter>(late.ref());
  world.stop(gone.ref());
  world.run_to_idle();
  gone.ref().tell(news{"x"});
  world.stop(late.ref());  // with one in its mailbox
  EXPECT_NE(all.expect<dead_letter>().message_type.find("news"), std::string_view::npos);
  all.expect_no_message();
}

// spec: A2g
TEST(event_stream, of_an_actors_context_is_its_systems) {
  simulation world{seed{1}};
  auto reader = world.spawn_probe<news>("reader");
  world.events().subscribe<news>(reader.ref());
  const auto writer = world.spawn(
      "writer", [](tactor::context& ctx, poke) { ctx.events().publish(news{"from inside"}); });
  writer.tell(poke{});
  EXPECT_EQ(reader.expect<news>().text, "from inside");
  EXPECT_EQ(reader.sender(), writer);
}

// spec: A2g
TEST(event_stream, may_be_subscribed_to_by_a_subscriber_and_published_to_by_another) {
  // Nothing is sent under a lock: what a handler does while it runs may use the stream again.
  simulation world{seed{1}};
  auto second = world.spawn_probe<news>("second");
  const auto first = world.spawn("first", [&](tactor::context& ctx, const news& n) {
    if (n.text != "start") return;
    ctx.events().subscribe<news>(second.ref());
    ctx.events().publish(news{"again"});
  });
  world.events().subscribe<news>(first);
  world.events().publish(news{"start"});
  EXPECT_EQ(second.expect<news>().text, "again");
}

std::size_t all_blocks() {
  std::size_t sum = 0;
  for (unsigned each = 0; each < envelope_size_classes; ++each)
    sum += program_memory.envelopes.blocks_made(each);
  return sum;
}

// case: ES-04
TEST(event_stream, takes_no_new_memory_per_event) {
  simulation world{seed{1}};
  int seen = 0;
  for (int i = 0; i < 10; ++i) {
    world.events().subscribe<weather>(
        world.spawn("reader", [&seen](tactor::context&, const weather&) { ++seen; }));
  }
  for (int i = 0; i < 10; ++i) {
    world.events().publish(weather{i});
    world.run_to_idle();
  }
  const std::size_t before = all_blocks();
  for (int i = 0; i < 10'000; ++i) {
    world.events().publish(weather{i});
    world.run_to_idle();
  }
  EXPECT_EQ(all_blocks(), before);
  EXPECT_EQ(seen, 100'100);
}

}  // namespace
}  // namespace tactor
