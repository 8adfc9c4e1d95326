// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/mapped_pages.hpp"

#include "tactor/base/memory_source.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <span>
#include <vector>

namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

std::span<std::byte> taken_from(mapped_pages& pages, std::size_t bytes, std::size_t alignment) {
  auto* const start = static_cast<std::byte*>(pages.allocate(bytes, alignment));
  return {start, start != nullptr ? bytes : 0};
}

bool all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte each) { return each == std::byte{0}; });
}

TEST(mapped_pages, are_zero_aligned_and_apart) {
  mapped_pages pages;
  std::byte* end = nullptr;
  for (const std::size_t alignment : {64u, 4096u, 8u, 65'536u}) {
    const auto taken = taken_from(pages, 1000, alignment);
    ASSERT_EQ(taken.size(), 1000u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(taken.data()) % alignment, 0u);
    EXPECT_GE(taken.data(), end);
    EXPECT_TRUE(all_zero(taken));
    std::ranges::fill(taken, std::byte{0xFF});
    end = taken.data() + taken.size();
  }
  EXPECT_EQ(pages.given_out(), 4000u);
}

TEST(mapped_pages, go_on_behind_the_end_of_a_chunk) {
  mapped_pages pages;
  for (unsigned i = 0; i < 300; ++i) {
    const auto taken = taken_from(pages, 65'536, 4096);
    ASSERT_EQ(taken.size(), 65'536u);
    EXPECT_TRUE(all_zero(taken.first(64)));
    EXPECT_TRUE(all_zero(taken.last(64)));
    taken.front() = taken.back() = std::byte{0xFF};
  }
}

TEST(mapped_pages, may_be_larger_than_a_chunk) {
  mapped_pages pages;
  const auto taken = taken_from(pages, std::size_t{40} << 20, 4096);
  ASSERT_EQ(taken.size(), std::size_t{40} << 20);
  taken.back() = std::byte{1};
}

TEST(mapped_pages, end_at_their_limit) {
  mapped_pages pages{10'000};
  EXPECT_EQ(taken_from(pages, 6'000, 64).size(), 6'000u);
  EXPECT_EQ(pages.allocate(4'001, 1), nullptr);
  EXPECT_EQ(taken_from(pages, 4'000, 1).size(), 4'000u);
  EXPECT_EQ(pages.allocate(1, 1), nullptr);
}

TEST(mapped_pages, that_the_system_does_not_have_are_refused) {
  mapped_pages pages;
  EXPECT_EQ(pages.allocate(SIZE_MAX - 100, 1), nullptr);
  EXPECT_EQ(pages.allocate(SIZE_MAX - 100, 4096), nullptr);
  EXPECT_EQ(pages.allocate(std::size_t{1} << 60, 4096), nullptr);
  EXPECT_NE(pages.allocate(100, 1), nullptr);
  EXPECT_EQ(pages.given_out(), 100u);
}

TEST(mapped_pages, are_zero_again_once_they_are_discarded_and_their_neighbours_are_not) {
  mapped_pages pages;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto taken = taken_from(pages, 4 * page, page);
  std::ranges::fill(taken, std::byte{0xFF});

  mapped_pages::discard(taken.data() + page - 1, 2 * page + 2);

  EXPECT_TRUE(all_zero(taken.subspan(page, 2 * page)));
  EXPECT_TRUE(std::ranges::all_of(taken.first(page), [](std::byte b) { return b != std::byte{}; }));
  EXPECT_TRUE(std::ranges::all_of(taken.last(page), [](std::byte b) { return b != std::byte{}; }));
  taken[page] = std::byte{1};
  EXPECT_EQ(taken[page], std::byte{1}) << "it is still mapped";
}

TEST(mapped_pages, less_than_a_page_is_not_discarded) {
  mapped_pages pages;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto taken = taken_from(pages, 2 * page, page);
  taken[0] = taken[page - 1] = taken[page] = std::byte{1};
  mapped_pages::discard(taken.data(), page - 1);
  mapped_pages::discard(taken.data() + 1, page);
  mapped_pages::discard(taken.data() + 1, 5);
  mapped_pages::discard(taken.data(), 0);
  EXPECT_EQ(taken[0], std::byte{1});
  EXPECT_EQ(taken[page - 1], std::byte{1});
  EXPECT_EQ(taken[page], std::byte{1});
}

TEST(mapped_pages, there_is_one_set_of_them_in_the_program) {
  mapped_pages& pages = mapped_pages::of_program();
  EXPECT_EQ(&pages, &mapped_pages::of_program());
  EXPECT_NE(pages.allocate(64, 64), nullptr);
}

TEST(mapped_pages, make_an_envelope_pool_that_ends_and_recovers) {
  mapped_pages pages{std::size_t{64} * 1024};
  envelope_pool pool{pages, nullptr};
  envelope_caches caches{};
  envelope* newest = nullptr;
  unsigned count = 0;
  while (envelope* const taken = pool.allocate(caches, 4)) {
    newest = taken;
    ++count;
  }
  EXPECT_EQ(count, 63u);
  ASSERT_NE(newest, nullptr);
  pool.release(caches, *newest);
  EXPECT_EQ(pool.allocate(caches, 4), newest);
  EXPECT_EQ(pool.allocate(caches, 0), nullptr);
}

bool is_resident(const void* page) {
  unsigned char state = 0;
  return ::mincore(const_cast<void*>(page), 1, &state) == 0 && (state & 1) != 0;
}

/// Gives back everything there is to give back.
class discard_all final : public page_discarder {
  void discard(void* start, std::size_t bytes) noexcept override {
    mapped_pages::discard(start, bytes);
  }
  [[nodiscard]] bool is_interrupted() noexcept override { return false; }
};

TEST(mapped_pages, cost_no_memory_once_the_envelopes_on_them_are_free) {
  constexpr std::size_t burst = 200'000;
  mapped_pages pages;
  envelope_pool pool{pages, nullptr};
  envelope_caches caches{};
  std::vector<envelope*> all(burst);
  std::set<const void*> touched;
  for (envelope*& each : all) {
    each = pool.allocate(caches, 0);
    ASSERT_NE(each, nullptr);
    touched.insert(reinterpret_cast<std::byte*>(each) - each->position * std::size_t{64});
  }
  EXPECT_EQ(std::ranges::count_if(touched, is_resident), std::ssize(touched));

  for (envelope* each : all)
    pool.release(caches, *each);
  discard_all by;
  pool.trim(by);

  const std::size_t reserve = envelope_pool::most_idle_bytes / 4096;
  EXPECT_LE(std::ranges::count_if(touched, is_resident),
            static_cast<std::ptrdiff_t>(reserve + touched.size() / 256 + 4));
  for (envelope*& each : all) {
    each = pool.allocate(caches, 0);
    ASSERT_NE(each, nullptr);
    EXPECT_EQ(each->size_class, 0u);
  }
  EXPECT_EQ(pages.given_out(), touched.size() * 4096);
}

}  // namespace
}  // namespace tactor::inline v0::host
