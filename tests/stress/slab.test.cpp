// SPDX-License-Identifier: BSL-1.0
#include "tactor/base/slab.hpp"

#include "time_box.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace tactor::stress {

using namespace tactor::internal;

namespace {

constexpr std::size_t threads_in_all = 4;

struct tenant {
  std::atomic<int> holders{0};
  std::uint64_t written = 0;  // plain: a second holder would be a data race
};

template <class Work>
void in_threads(Work work) {
  std::vector<std::thread> threads;
  threads.reserve(threads_in_all);
  for (std::size_t number = 0; number < threads_in_all; ++number)
    threads.emplace_back(work, number);
  for (std::thread& each : threads)
    each.join();
}

// Names to be released by the first thread that takes them.
class notice_board {
public:
  using handle = slab<tenant>::handle;

  explicit notice_board(std::size_t places) : places_(places) {}

  void post(std::size_t place, handle name) {
    const auto packed = std::uint64_t{name.generation} << 32 | name.index;
    places_[place].store(packed, std::memory_order_release);
  }
  [[nodiscard]] handle read(std::size_t place) const {
    const auto packed = places_[place].load(std::memory_order_acquire);
    return {.index = static_cast<std::uint32_t>(packed),
            .generation = static_cast<std::uint32_t>(packed >> 32)};
  }

private:
  std::vector<std::atomic<std::uint64_t>> places_;
};

struct tally {
  std::size_t slots;
  std::atomic<std::uint64_t> taken{0};
  std::atomic<std::uint64_t> given_back{0};
  std::atomic<std::uint64_t> held_by_two{0};
  std::atomic<std::uint64_t> not_found{0};
  std::atomic<std::uint64_t> woken_up{0};
};

// Takes, uses and gives back, together with the other threads under the same names: for a while,
// and until more was taken than there are slots, however busy the machine is.
void take_and_give_back(std::size_t self, slab<tenant>& pool, notice_board& board, tally& count) {
  const time_box time;
  slab<tenant>::handle stale;
  for (std::uint64_t turn = 0; time.open() || count.taken <= count.slots; ++turn) {
    const auto mine = pool.take();
    if (mine.object == nullptr) {
      std::this_thread::yield();
    } else {
      count.taken.fetch_add(1, std::memory_order_relaxed);
      if (mine.object->holders.fetch_add(1, std::memory_order_relaxed) != 0) ++count.held_by_two;
      mine.object->written = turn;
      if (pool.find(mine.name) != mine.object) ++count.not_found;
      if (mine.object->written != turn) ++count.held_by_two;
      mine.object->holders.fetch_sub(1, std::memory_order_relaxed);

      // From here on the name is anybody's; of all who give it back one succeeds.
      board.post(self, mine.name);
      if (pool.give_back(mine.name)) ++count.given_back;
      stale = mine.name;
    }
    if (pool.find(stale) != nullptr) ++count.woken_up;
    const auto other = board.read(turn % threads_in_all);
    if (pool.give_back(other)) ++count.given_back;
  }
}

TEST(slab_stress, no_object_has_two_holders_and_no_old_name_wakes_up) {
  for (const std::size_t slots : {1u, 2u, 3u}) {
    std::vector<slab<tenant>::slot> storage(slots);
    slab<tenant> pool{storage};
    notice_board board{threads_in_all};
    tally count{.slots = slots};

    in_threads([&](std::size_t self) { take_and_give_back(self, pool, board, count); });

    EXPECT_GT(count.taken.load(), slots);
    EXPECT_EQ(count.given_back.load(), count.taken.load());
    EXPECT_EQ(count.held_by_two.load(), 0u);
    EXPECT_EQ(count.not_found.load(), 0u);
    EXPECT_EQ(count.woken_up.load(), 0u);
    std::set<tenant*> all;
    for (std::size_t i = 0; i < slots; ++i)
      all.insert(pool.take().object);
    EXPECT_EQ(all.size(), slots);
    EXPECT_FALSE(all.contains(nullptr)) << "a slot was lost";
    EXPECT_EQ(pool.take().object, nullptr) << "a slot was in two places";
  }
}

// With numbers of 8 bits each slot has 128 tenancies, then it is retired: the sum is exact.
TEST(slab_stress, each_tenancy_is_given_out_once_until_all_numbers_are_used_up) {
  using pool_type = slab<int, std::uint8_t>;
  constexpr std::size_t slots = 3;
  const time_box time;
  do {
    std::vector<pool_type::slot> storage(slots);
    pool_type pool{storage};
    std::mutex guard;
    std::vector<std::pair<std::uint32_t, unsigned>> names;

    in_threads([&](std::size_t) {
      std::vector<std::pair<std::uint32_t, unsigned>> own;
      int empty_handed = 0;
      // Others may hold what is left for a moment. More than there are: it would never end.
      while (empty_handed < 1000 && own.size() <= slots * 128) {
        const auto taken = pool.take();
        if (taken.object == nullptr) {
          ++empty_handed;
          std::this_thread::yield();
          continue;
        }
        own.emplace_back(taken.name.index, taken.name.generation);
        ++*taken.object;
        (void)pool.give_back(taken.name);
      }
      const std::scoped_lock lock{guard};
      names.insert(names.end(), own.begin(), own.end());
    });

    ASSERT_EQ(names.size(), slots * 128);
    std::ranges::sort(names);
    ASSERT_TRUE(std::ranges::adjacent_find(names) == names.end());
    int uses = 0;
    for (const auto& slot : storage)
      uses += slot.object;
    ASSERT_EQ(uses, static_cast<int>(slots * 128));
  } while (time.open());
}

}  // namespace
}  // namespace tactor::stress
