// SPDX-License-Identifier: BSL-1.0
// Many senders to mailboxes with priorities: every message is handled or dropped, once and in
// order.
#include "tactor/core/actor/context.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/host/actor_system.hpp"

#include "all_memory.hpp"
#include "time_box.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace tactor::stress {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t senders = 3;
constexpr std::size_t levels = 4;

struct parcel {
  std::size_t from = 0;
  std::uint64_t number = 0;  // of its sender and level
  int priority = 0;
};
struct command {
  using control_message = void;
  std::size_t from = 0;
  std::uint64_t number = 0;
};
void ignore(const log_record& /*what*/) noexcept {}

// Records what arrived. Written by: the receiver.
struct arrivals {
  std::array<std::array<std::uint64_t, levels>, senders> last{};
  std::array<std::uint64_t, senders> last_command{};
  std::atomic<std::uint64_t> parcels = 0;
  std::atomic<std::uint64_t> commands = 0;
  std::uint64_t out_of_order = 0;
};

struct receiver : actor<parcel, command> {
  explicit receiver(arrivals* seen) : seen_(seen) {}
  void receive(context&, const parcel& p) {
    std::uint64_t& last = seen_->last[p.from][static_cast<std::size_t>(p.priority)];
    if (p.number <= last) ++seen_->out_of_order;
    last = p.number;
    seen_->parcels.fetch_add(1, std::memory_order_relaxed);
  }
  void receive(context&, const command& c) {
    if (c.number != seen_->last_command[c.from] + 1) ++seen_->out_of_order;
    seen_->last_command[c.from] = c.number;
    seen_->commands.fetch_add(1, std::memory_order_relaxed);
  }
  arrivals* seen_;
};

struct sent_by_threads {
  std::uint64_t parcels = 0;
  std::uint64_t commands = 0;
  std::uint64_t refused = 0;
};

// Each thread sends parcels of all levels, and now and then a command.
sent_by_threads send_from_threads(const receiver::ref& to) {
  std::array<sent_by_threads, senders> sent;
  std::vector<std::thread> threads;
  for (std::size_t from = 0; from < senders; ++from)
    threads.emplace_back([&, from] {
      sent_by_threads& mine = sent[from];
      std::array<std::uint64_t, levels> numbers{};
      const time_box time;
      for (std::uint64_t turn = 0; time.open(); ++turn) {
        const std::size_t level = turn * 7 % levels;
        const tell_result said = to.tell(
            parcel{.from = from, .number = ++numbers[level], .priority = static_cast<int>(level)});
        ++mine.parcels;
        if (said != tell_result::ok) ++mine.refused;
        if (turn % 16 == 0 &&
            to.tell(command{.from = from, .number = mine.commands + 1}) == tell_result::ok)
          ++mine.commands;
      }
    });
  for (std::thread& each : threads)
    each.join();
  sent_by_threads sum;
  for (const sent_by_threads& each : sent) {
    sum.parcels += each.parcels;
    sum.commands += each.commands;
    sum.refused += each.refused;
  }
  return sum;
}

// spec: M8
TEST(priorities_stress, every_message_is_handled_or_dropped_once_and_in_order) {
  for (const overflow_strategy rule : {overflow_strategy::reject, overflow_strategy::drop_oldest,
                                       overflow_strategy::block_producer}) {
    arrivals seen;
    {
      actor_system system{{.workers = 2, .log = {.sink = ignore}}};
      const receiver::ref to =
          system.spawn<receiver>({.mailbox = {.capacity = 16,
                                              .overflow = rule,
                                              .push_timeout_ms = 60'000,
                                              .order = mailbox_order::priority}},
                                 &seen);
      const sent_by_threads sent = send_from_threads(to);
      EXPECT_TRUE(system.shutdown(60s).complete);
      const std::uint64_t dropped =
          system.metrics().dead_letters_for(drop_reason::dropped_oldest) + sent.refused;
      EXPECT_EQ(seen.parcels + dropped, sent.parcels);
      EXPECT_EQ(seen.commands, sent.commands);
      EXPECT_EQ(seen.out_of_order, 0u);
      EXPECT_EQ(system.metrics().all_dead_letters(), dropped);
      EXPECT_TRUE(dropped == 0 || rule != overflow_strategy::block_producer);
    }
    expect_all_memory_is_back();
  }
}

// Also of those messages in which the time is noted at which they are sent.
// spec: M8
TEST(priorities_stress, every_message_of_many_has_its_own_number) {
  std::vector<int> handled;
  std::atomic<bool> all_sent = false;
  {
    actor_system system{{.workers = 1, .log = {.sink = ignore}}};
    const auto to =
        system.spawn({.mailbox = mailbox_presets::prioritized}, [&](context&, const parcel& p) {
          all_sent.wait(false);
          handled.push_back(p.priority);
        });
    to.tell(parcel{});
    for (int i = 0; i < 2'000; ++i)
      to.tell(parcel{.priority = i % 200});
    all_sent = true;
    all_sent.notify_all();
    EXPECT_TRUE(system.shutdown(60s).complete);
  }
  EXPECT_EQ(handled.size(), 2'001u);
  EXPECT_TRUE(std::is_sorted(handled.begin(), handled.end()));
}

// The receiver stops and is spawned again, often in the same slot, with and without priorities.
// spec: M8 M5
TEST(priorities_stress, stops_and_stale_senders_lose_the_count_of_nothing) {
  std::atomic<std::uint64_t> handled = 0;
  std::atomic<std::uint64_t> refused = 0;
  std::atomic<std::uint64_t> sent = 0;
  {
    actor_system system{{.workers = 2, .log = {.sink = ignore}}};
    std::atomic<bool> over = false;
    std::atomic<actor_ref<parcel>*> current = nullptr;
    std::vector<actor_ref<parcel>> all(4'000);
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i)
      threads.emplace_back([&] {
        for (std::uint64_t turn = 0; !over; ++turn) {
          const actor_ref<parcel>* const to = current.load(std::memory_order_acquire);
          if (to == nullptr) continue;
          sent.fetch_add(1, std::memory_order_relaxed);
          if (to->tell(parcel{.number = turn, .priority = static_cast<int>(turn % 300)}) !=
              tell_result::ok)
            refused.fetch_add(1, std::memory_order_relaxed);
        }
      });
    const time_box time;
    for (std::size_t i = 0; i < all.size() && time.open(); ++i) {
      const mailbox_order order = i % 3 == 0 ? mailbox_order::arrival : mailbox_order::priority;
      all[i] = system.spawn(
          {.mailbox = {.capacity = 4, .overflow = overflow_strategy::reject, .order = order}},
          [&](context&, const parcel&) { handled.fetch_add(1, std::memory_order_relaxed); });
      current.store(&all[i], std::memory_order_release);
      for (int pause = 0; pause < 20; ++pause)
        std::this_thread::yield();
      system.stop(all[i]);
    }
    over = true;
    for (std::thread& each : threads)
      each.join();
    EXPECT_TRUE(system.shutdown(60s).complete);
    EXPECT_EQ(handled + system.metrics().all_dead_letters(), sent);
    EXPECT_LE(refused, system.metrics().all_dead_letters());
  }
  expect_all_memory_is_back();
}

}  // namespace
}  // namespace tactor::stress
