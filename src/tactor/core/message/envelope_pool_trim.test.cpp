// SPDX-License-Identifier: BSL-1.0
// Not on targets: 32-bit machines make blocks singly, and give none back.
#include "tactor/base/magazine.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/port/memory_poison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t burst = 4 * mebibyte;
constexpr std::size_t storage_size = 5 * mebibyte;
constinit page_storage<storage_size> storage{};

/// Counts what is discarded, and makes it zero. Is interrupted after `steps`.
class counting_discarder final : public page_discarder {
public:
  void discard(void* start, std::size_t bytes) noexcept override {
    port::unpoison(start, bytes);
    std::memset(start, 0, bytes);
    discarded += bytes;
  }
  [[nodiscard]] bool is_interrupted() noexcept override {
    if (steps == 0) return true;
    --steps;
    return false;
  }

  std::size_t discarded = 0;
  std::size_t steps = std::numeric_limits<std::size_t>::max();
};

class bench {
public:
  bench() {
    port::unpoison(storage.bytes, sizeof storage.bytes);
    std::memset(storage.bytes, 0, sizeof storage.bytes);
  }

  std::vector<envelope*> allocate(std::size_t count, unsigned size_class) {
    std::vector<envelope*> all(count);
    for (envelope*& each : all) {
      each = pool.allocate(caches, size_class);
      if (each == nullptr) ADD_FAILURE() << "no memory";
      each->generation = 7;
      std::memset(static_cast<void*>(each + 1), 0xAB,
                  envelope_pool::block_size(size_class) - sizeof(envelope));
    }
    return all;
  }
  std::vector<envelope*> allocate_bytes(std::size_t bytes, unsigned size_class) {
    const std::size_t runs = bytes / (64 * envelope_pool::block_size(size_class));
    return allocate(runs * magazine_capacity, size_class);
  }
  void release(const std::vector<envelope*>& all) {
    for (envelope* each : all) {
      EXPECT_TRUE(is_intact(*each));
      pool.release(caches, *each);
    }
  }
  static bool is_intact(const envelope& e) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&e + 1);
    const std::size_t size = envelope_pool::block_size(e.size_class) - sizeof(envelope);
    return e.generation == 7 && bytes[0] == 0xAB && std::memcmp(bytes, bytes + 1, size - 1) == 0;
  }

  static_pages pages{storage.bytes};
  envelope_pool pool{pages, nullptr};
  envelope_caches caches{};
  counting_discarder by;
};

class envelope_pool_trim_of_class : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(all, envelope_pool_trim_of_class,
                         testing::Range(0U, envelope_size_classes));

TEST_P(envelope_pool_trim_of_class, gives_back_the_memory_of_a_burst_except_a_reserve) {
  bench b;
  b.release(b.allocate_bytes(burst, GetParam()));
  b.pool.trim(b.by);
  EXPECT_GE(b.by.discarded, burst - 3 * mebibyte / 2);
  EXPECT_LE(b.by.discarded, burst - mebibyte);

  const std::size_t before = b.by.discarded;
  b.pool.trim(b.by);
  EXPECT_EQ(b.by.discarded, before) << "there is no more";
}

TEST_P(envelope_pool_trim_of_class, uses_what_it_gave_back_before_it_takes_more) {
  bench b;
  for (unsigned round = 0; round < 3; ++round) {
    const std::vector<envelope*> all = b.allocate_bytes(burst, GetParam());
    std::vector<envelope*> sorted = all;
    std::ranges::sort(sorted);
    EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end()) << "a block was given twice";
    b.release(all);
    b.by.discarded = 0;
    b.pool.trim(b.by);
    EXPECT_GE(b.by.discarded, burst - 3 * mebibyte / 2);
  }
  EXPECT_EQ(b.pages.used(), burst);
  EXPECT_EQ(b.pool.blocks_made(GetParam()) * envelope_pool::block_size(GetParam()),
            burst / 64 * 63);
}

TEST_P(envelope_pool_trim_of_class, does_not_touch_what_is_in_use) {
  bench b;
  const std::vector<envelope*> all = b.allocate_bytes(burst, GetParam());
  std::vector<envelope*> in_use;
  std::vector<envelope*> free;
  for (envelope* each : all) {
    const std::size_t index = free.size() + in_use.size();
    (index % 200 == 0 ? in_use : free).push_back(each);  // in about every third run
  }
  b.release(free);
  b.pool.trim(b.by);
  EXPECT_GE(b.by.discarded, mebibyte);
  EXPECT_LE(b.by.discarded, 2 * mebibyte);
  b.release(in_use);
}

TEST(envelope_pool_trim, leaves_little_memory_alone) {
  bench b;
  for (unsigned size_class = 0; size_class < envelope_size_classes; ++size_class)
    b.release(b.allocate_bytes(mebibyte, size_class));
  b.pool.trim(b.by);
  EXPECT_EQ(b.by.discarded, 0u);
}

TEST(envelope_pool_trim, what_it_has_in_its_hands_is_not_out_of_reach) {
  for (std::size_t steps = 0; steps < 400; steps += 13) {
    bench b;
    const std::size_t count = storage_size / 65'536 * magazine_capacity;  // all there is
    b.release(b.allocate(count, 4));
    b.by.steps = steps;
    b.pool.trim(b.by);

    const std::vector<envelope*> again = b.allocate(count, 4);
    EXPECT_EQ(b.pool.allocate(b.caches, 4), nullptr);
    EXPECT_EQ(b.pages.used(), storage_size);
    b.release(again);
  }
}

TEST(envelope_pool_trim, continues_where_it_was_interrupted) {
  bench b;
  b.release(b.allocate_bytes(burst, 2));
  unsigned calls = 0;
  for (; b.by.discarded < 2 * mebibyte && calls < 1000; ++calls) {
    b.by.steps = 10;
    b.pool.trim(b.by);
    b.release(b.allocate(20, 2));  // from the thread's own cache
  }
  EXPECT_GE(b.by.discarded, 2 * mebibyte);
  EXPECT_GT(calls, 10u);
}

}  // namespace
}  // namespace tactor
