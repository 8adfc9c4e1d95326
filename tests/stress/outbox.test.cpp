// SPDX-License-Identifier: BSL-1.0
// Actors that send to full mailboxes: pipelines, actors that fill each other, and both sides
// stopping.
#include "tactor/core/actor/context.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/host/actor_system.hpp"

#include "all_memory.hpp"
#include "time_box.hpp"
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace tactor::stress {
namespace {

using namespace std::chrono_literals;

struct parcel {
  std::uint64_t number;
};

void ignore(const log_record& /*what*/) noexcept {}

constexpr mailbox_options waits_for(std::uint32_t capacity) {
  return {.capacity = capacity,
          .overflow = overflow_strategy::block_producer,
          .push_timeout_ms = 60'000};
}

// spec: M4b M4c
TEST(outbox_stress, a_pipeline_of_bounded_stages_keeps_order_and_loses_nothing) {
  std::atomic<std::uint64_t> arrived = 0;
  std::uint64_t sent = 0;
  {
    actor_system system{{.workers = 2, .log = {.sink = ignore}}};
    actor_ref<parcel> next =
        system.spawn({.name = "last", .mailbox = waits_for(8)}, [&](context&, const parcel& p) {
          EXPECT_EQ(p.number, arrived.load(std::memory_order_relaxed));
          arrived.store(p.number + 1, std::memory_order_relaxed);
        });
    for (int stage = 0; stage < 3; ++stage)
      next = system.spawn({.mailbox = waits_for(8)}, [to = next](context&, const parcel& p) {
        EXPECT_EQ(to.tell(p), tell_result::ok);
      });
    for (const time_box box; box.open(); ++sent)
      ASSERT_EQ(next.tell(parcel{sent}), tell_result::ok) << "this thread waits, too";
    while (arrived != sent)
      std::this_thread::yield();
    EXPECT_EQ(system.metrics().all_dead_letters(), 0u);
    EXPECT_TRUE(system.shutdown(30s).complete);
  }
  expect_all_memory_is_back();
}

// Each actor passes a parcel on to two others, until the parcel has made its steps.
struct crowd {
  void spawn_in(actor_system& in) {
    for (std::size_t i = 0; i < size; ++i)
      all[i] = in.spawn({.mailbox = waits_for(2)}, [this, i](context&, const parcel& p) {
        ++handled;
        if (p.number == 0) return;
        send((i * 5 + p.number) % size, p.number - 1);
        send((i * 3 + 1) % size, p.number - 1);
      });
  }
  void send(std::size_t to, std::uint64_t steps) {
    ++sent;
    const tell_result said = all[to].tell(parcel{steps});
    if (said != tell_result::ok) ++refused;
  }

  static constexpr std::size_t size = 12;
  std::atomic<std::uint64_t> sent = 0;
  std::atomic<std::uint64_t> handled = 0;
  std::atomic<std::uint64_t> refused = 0;
  actor_ref<parcel> all[size];
};

// spec: M4b M4c M4d M4f
TEST(outbox_stress, actors_that_fill_each_other_go_on_and_every_parcel_has_one_end) {
  std::uint64_t cycles = 0;
  std::atomic<std::uint64_t> reported = 0;
  for (const time_box box; box.open();) {
    crowd them;
    actor_system system{{.workers = 2, .log = {.sink = ignore}}};
    const auto warned = system.spawn("warned", [&](context&, const backpressure_cycle& each) {
      ASSERT_LE(each.size, crowd::size);
      ++reported;
    });
    ASSERT_TRUE(system.events().subscribe<backpressure_cycle>(warned));
    them.spawn_in(system);
    for (std::size_t i = 0; i < crowd::size; ++i)
      them.send(i, 8);
    // Whoever waits in vain would keep a parcel. The ends are read before the sends: none is in
    // between.
    for (std::uint64_t ended = 0; ended != them.sent;) {
      ended = them.handled + system.metrics().all_dead_letters();
      std::this_thread::yield();
    }
    for (std::size_t i = 0; i < crowd::size; ++i)
      them.send(i, 8);
    for (std::size_t i = 0; i < crowd::size; i += 3)
      system.stop(them.all[i]);
    ASSERT_TRUE(system.shutdown(30s).complete);
    const metrics_snapshot all = system.metrics();
    ASSERT_EQ(them.sent, them.handled + all.all_dead_letters());
    cycles += all.dead_letters_for(drop_reason::would_deadlock);
  }
  EXPECT_GT(cycles, 0u);
  EXPECT_GT(reported, 0u);
  EXPECT_LE(reported, cycles) << "once for each that is refused, at most";
  expect_all_memory_is_back();
}

}  // namespace
}  // namespace tactor::stress
