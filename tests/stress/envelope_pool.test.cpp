// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/message/envelope_pool.hpp"

#include "tactor/base/magazine.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/host/os/mapped_pages.hpp"
#include "tactor/port/port.hpp"

#include "time_box.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace tactor::stress {

using namespace tactor::internal;

namespace {

constexpr std::size_t threads_in_all = 5;
constexpr unsigned classes_in_use = 3;
// The memory that a pool may keep beside what lives.
constexpr std::size_t most_at_hand = threads_in_all * 2 * magazine_capacity;

template <class Work>
void in_threads(Work work) {
  std::vector<std::thread> threads;
  threads.reserve(threads_in_all);
  for (std::size_t number = 0; number < threads_in_all; ++number)
    threads.emplace_back(work, number);
  for (std::thread& each : threads)
    each.join();
}

std::span<std::uint64_t> payload_words(envelope& e) {
  const std::size_t storage = envelope_pool::block_size(e.size_class) - sizeof(envelope);
  return {reinterpret_cast<std::uint64_t*>(&e + 1), storage / sizeof(std::uint64_t)};
}

// Fills an envelope with a unique value, so that a second holder is detected.
void sign(envelope& e, std::uint64_t signature) {
  e.generation = static_cast<std::uint32_t>(signature);
  std::ranges::fill(payload_words(e), signature);
}
bool is_signed_throughout(envelope& e) {
  const auto words = payload_words(e);
  const std::uint64_t signature = words.front();
  return e.generation == static_cast<std::uint32_t>(signature) &&
         std::ranges::all_of(words, [signature](std::uint64_t each) { return each == signature; });
}

// Envelopes change hands here: each place holds one at most.
class exchange_table {
public:
  static constexpr std::size_t places_in_all = 256;

  envelope* swap(std::size_t place, envelope* given) {
    return places_[place % places_in_all].exchange(given, std::memory_order_acq_rel);
  }
  bool offer(std::size_t place, envelope* given) {
    envelope* empty = nullptr;
    return places_[place % places_in_all].compare_exchange_strong(empty, given,
                                                                  std::memory_order_acq_rel);
  }

private:
  std::array<std::atomic<envelope*>, places_in_all> places_{};
};

// The most that live at once: one in each place, and one in each thread's hands.
constexpr std::size_t most_alive = exchange_table::places_in_all + threads_in_all;

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): the pool uses what precedes it
struct post_office {
  internal::mapped_pages pages;
  envelope_pool pool{pages, nullptr};
  exchange_table table;
  std::atomic<std::uint64_t> sent{0};
  std::atomic<std::uint64_t> received{0};
  std::atomic<std::uint64_t> spoiled{0};

  // For a while, and until enough were sent, however busy the machine is.
  bool goes_on(const time_box& time) const { return time.open() || sent.load() <= 1000; }

  // Requires: signatures are given once.
  envelope* make(envelope_caches& caches, unsigned size_class, std::uint64_t signature) {
    envelope* const made = pool.allocate(caches, size_class);
    if (made == nullptr || made->size_class != size_class) ++spoiled;
    sign(*made, signature);
    sent.fetch_add(1, std::memory_order_relaxed);
    return made;
  }
  void destroy(envelope_caches& caches, envelope* e) {
    if (e == nullptr) return;
    if (!is_signed_throughout(*e)) ++spoiled;
    received.fetch_add(1, std::memory_order_relaxed);
    pool.release(caches, *e);
  }

  void expect_all_well() {
    envelope_caches caches{};
    for (std::size_t place = 0; place < exchange_table::places_in_all; ++place)
      destroy(caches, table.swap(place, nullptr));
    EXPECT_GT(sent.load(), 1000u);
    EXPECT_EQ(received.load(), sent.load());
    EXPECT_EQ(spoiled.load(), 0u);
    for (unsigned c = 0; c < classes_in_use; ++c) {
      EXPECT_LE(pool.blocks_made(c), most_alive + most_at_hand);
      expect_each_block_once(caches, c);
    }
  }

  // All threads have given back what they had: every block is found, and none twice.
  void expect_each_block_once(envelope_caches& caches, unsigned size_class) {
    const std::size_t made = pool.blocks_made(size_class);
    std::vector<envelope*> all(made);
    for (envelope*& each : all)
      each = pool.allocate(caches, size_class);
    EXPECT_EQ(pool.blocks_made(size_class), made) << "a block was lost";
    std::ranges::sort(all);
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end()) << "a block was in two places";
    for (envelope* each : all)
      pool.release(caches, *each);
  }
};

std::uint64_t signature_of(std::size_t thread, std::uint64_t turn) {
  return (std::uint64_t{thread} + 1) << 48 | turn;
}

TEST(envelope_pool_stress, no_block_is_in_two_hands_while_all_send_to_all) {
  post_office office;
  in_threads([&](std::size_t self) {
    const time_box time;
    std::minstd_rand chance{static_cast<std::uint32_t>(self + 1)};
    envelope_caches caches{};
    for (std::uint64_t turn = 0; office.goes_on(time); ++turn) {
      const std::uint64_t draw = chance();
      envelope* const mine = office.make(caches, static_cast<unsigned>(draw % classes_in_use),
                                         signature_of(self, turn));
      office.destroy(caches, office.table.swap(draw / classes_in_use, mine));
    }
    office.pool.give_back_all(caches);
  });
  office.expect_all_well();
}

// The blocks go one way, so that all of them come back by way of the depot.
TEST(envelope_pool_stress, memory_is_bounded_when_some_only_send_and_others_only_receive) {
  post_office office;
  in_threads([&](std::size_t self) {
    const time_box time;
    envelope_caches caches{};
    std::size_t place = self;
    for (std::uint64_t turn = 0; office.goes_on(time); ++turn) {
      if (self % 2 == 0) {
        envelope* const mine = office.make(caches, 0, signature_of(self, turn));
        for (unsigned attempt = 0; !office.table.offer(place, mine); ++attempt) {
          ++place;
          if (attempt % exchange_table::places_in_all == 0) std::this_thread::yield();
          if (office.goes_on(time)) continue;
          office.destroy(caches, mine);
          break;
        }
      } else {
        office.destroy(caches, office.table.swap(place, nullptr));
      }
      ++place;
    }
    office.pool.give_back_all(caches);
  });
  office.expect_all_well();
}

TEST(envelope_pool_stress, threads_that_end_leave_nothing_behind) {
  post_office office;
  in_threads([&](std::size_t self) {
    const time_box time;
    std::atomic<std::uint64_t> turn{0};
    while (office.goes_on(time)) {
      std::thread short_lived{[&] {
        envelope_caches caches{};
        std::minstd_rand chance{static_cast<std::uint32_t>(turn.load() + self + 1)};
        for (std::uint64_t left = chance() % 300; left > 0; --left) {
          const std::uint64_t draw = chance();
          envelope* const mine = office.make(caches, static_cast<unsigned>(draw % classes_in_use),
                                             signature_of(self, turn.fetch_add(1)));
          office.destroy(caches, office.table.swap(draw / classes_in_use, mine));
        }
        office.pool.give_back_all(caches);
      }};
      short_lived.join();
    }
  });
  office.expect_all_well();
}

/// Gives memory back for real.
class counting_discarder final : public page_discarder {
public:
  explicit counting_discarder(std::atomic<std::uint64_t>& runs) : runs_(runs) {}
  void discard(void* start, std::size_t bytes) noexcept override {
    internal::mapped_pages::discard(start, bytes);
    runs_.fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_interrupted() noexcept override { return false; }

private:
  std::atomic<std::uint64_t>& runs_;
};

// Bursts that are larger than the reserve, while two threads give memory back.
TEST(envelope_pool_stress, memory_is_given_back_while_others_send) {
  post_office office;
  constexpr std::size_t in_burst = 6'000;
  std::atomic<std::size_t> senders{threads_in_all - 2};
  std::atomic<std::uint64_t> discarded{0};
  in_threads([&](std::size_t self) {
    const time_box time;
    if (self < 2) {
      counting_discarder by{discarded};
      while (senders.load() != 0) {
        office.pool.trim(by);
        std::this_thread::yield();
      }
      return;
    }
    std::minstd_rand chance{static_cast<std::uint32_t>(self)};
    std::vector<envelope*> all;
    envelope_caches caches{};
    for (std::uint64_t turn = 0; office.goes_on(time);) {
      const std::size_t burst = chance() % in_burst;
      for (std::size_t i = 0; i < burst; ++i)
        all.push_back(office.make(caches, classes_in_use - 1, signature_of(self, ++turn)));
      std::ranges::shuffle(all, chance);
      for (envelope* each : std::exchange(all, {}))
        office.destroy(caches, office.table.swap(chance(), each));
    }
    office.pool.give_back_all(caches);
    --senders;
  });
  EXPECT_EQ(office.spoiled.load(), 0u);
  envelope_caches caches{};
  for (std::size_t place = 0; place < exchange_table::places_in_all; ++place)
    office.destroy(caches, office.table.swap(place, nullptr));
  EXPECT_EQ(office.received.load(), office.sent.load());
  EXPECT_LE(office.pool.blocks_made(classes_in_use - 1),
            most_alive + most_at_hand + (threads_in_all - 2) * in_burst);
  office.expect_each_block_once(caches, classes_in_use - 1);

  // It is a matter of luck if a pass came to its end above; now nobody disturbs it.
  std::vector<envelope*> all(4 * in_burst);
  for (envelope*& each : all)
    each = office.pool.allocate(caches, classes_in_use - 1);
  for (envelope* each : all)
    office.pool.release(caches, *each);
  counting_discarder by{discarded};
  office.pool.trim(by);
  EXPECT_GT(discarded.load(), 0u);
  office.expect_each_block_once(caches, classes_in_use - 1);
}

struct plain_node {
  port::plain<plain_node*> next;
  std::atomic<int> holders{0};
  std::uint64_t written = 0;  // plain: a second holder would be a data race
};

// Few chains of one node, taken and put back in changing order: a stack without a tag mistakes one
// that comes back for its earlier self.
TEST(magazine_depot_stress, no_chain_is_in_two_hands) {
  using depot = magazine_depot<plain_node, 1>;
  struct alignas(depot::record_alignment) record_room {
    std::byte bytes[depot::record_size];
  };
  std::array<plain_node, 3> nodes;
  const auto records = std::make_unique<std::array<record_room, 3>>();
  depot shared;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    shared.reserve(&(*records)[i]);
    shared.put({.first = &nodes[i], .count = 1});
  }
  std::atomic<std::uint64_t> held_by_two{0};

  in_threads([&](std::size_t self) {
    const auto hold = [&](const node_chain<plain_node>& taken) {
      if (taken.count == 0) return;
      if (taken.first->holders.fetch_add(1, std::memory_order_relaxed) != 0) ++held_by_two;
      taken.first->written = self;
    };
    const auto put = [&](const node_chain<plain_node>& taken) {
      if (taken.count == 0) return;
      if (taken.first->written != self) ++held_by_two;
      taken.first->holders.fetch_sub(1, std::memory_order_relaxed);
      shared.put(taken);
    };
    const time_box time;
    while (time.open()) {
      for (unsigned turn = 0; turn < 1000; ++turn) {
        const auto first = shared.take();
        hold(first);
        const auto second = shared.take();
        hold(second);
        put(first);
        put(second);
      }
    }
  });

  EXPECT_EQ(held_by_two.load(), 0u);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    EXPECT_EQ(shared.take().count, 1u) << "a chain was lost";
  EXPECT_EQ(shared.take().count, 0u) << "a chain was in two places";
}

}  // namespace
}  // namespace tactor::stress
