// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/message/envelope_pool.hpp"

#include "tactor/base/magazine.hpp"
#include "tactor/base/memory_source.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/port/memory_poison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor {

using namespace tactor::internal;

template <std::size_t Size, std::size_t Alignment = 1>
struct alignas(Alignment) sized_message {
  std::array<std::byte, Size> bytes;
};

namespace {

constexpr bool wide = sizeof(void*) == 8;
constexpr std::size_t smallest = wide ? 64 : 32;
constexpr std::size_t head = sizeof(envelope);

// On a wide machine blocks are made a run at a time, on a narrow machine singly.
constexpr std::size_t made_at_once = wide ? magazine_capacity : 1;
constexpr std::size_t run_size = wide ? 64 * smallest : smallest;

// One storage for all tests: a board has little memory.
constexpr std::size_t most_runs = 48;
constinit page_storage<most_runs * run_size> storage{};

std::span<std::byte> zeroed_room(std::size_t runs) {
  port::unpoison(storage.bytes, sizeof storage.bytes);
  for (std::byte& each : storage.bytes)
    each = std::byte{0};
  return std::span{storage.bytes}.first(runs * run_size);
}

constexpr std::size_t strictest = wide ? 4096 : 256;
alignas(strictest) constinit std::byte large_room[4 * strictest]{};

/// One block at a time, which records what it is asked for.
class one_block final : public block_source {
public:
  void* allocate(std::size_t size, std::size_t alignment) noexcept override {
    if (taken || size > sizeof large_room || alignment > strictest) return nullptr;
    taken = true;
    size_ = size;
    alignment_ = alignment;
    return large_room;
  }
  void release(void* block, std::size_t size, std::size_t alignment) noexcept override {
    EXPECT_EQ(block, static_cast<void*>(large_room));
    EXPECT_EQ(size, size_);
    EXPECT_EQ(alignment, alignment_);
    taken = false;
  }

  bool taken = false;

private:
  std::size_t size_ = 0;
  std::size_t alignment_ = 0;
};
constinit one_block one_large{};

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): the pool uses what precedes it
struct bench {
  explicit bench(std::size_t runs = most_runs) : pages(zeroed_room(runs)) {}

  [[nodiscard]] std::size_t made(unsigned size_class) const { return pool.blocks_made(size_class); }

  static_pages pages;
  envelope_pool pool{pages, &one_large};
  envelope_caches caches{};
};

std::uintptr_t address_of(const void* object) {
  return reinterpret_cast<std::uintptr_t>(object);
}

template <std::size_t Size, std::size_t Alignment = 1>
constexpr unsigned class_of = envelope_pool::size_class_for<sized_message<Size, Alignment>>();

static_assert(class_of<1> == 0);
static_assert(class_of<smallest - head> == 0);
static_assert(class_of<smallest - head + 1> == 1);
static_assert(class_of<2 * smallest - head> == 1);
static_assert(class_of<2 * smallest - head + 1> == 2);
static_assert(class_of<16 * smallest - head> == 4);
static_assert(class_of<16 * smallest - head + 1> == large_size_class);
static_assert(class_of<smallest, smallest> == 1,
              "behind a head that takes as much as its alignment");
static_assert(class_of<2 * smallest, 2 * smallest> == large_size_class);
static_assert(envelope_pool::size_class_for(0, 1) == 0, "an envelope without payload");
static_assert(envelope_pool::block_size(4) == 16 * smallest);

TEST(envelope_pool, gives_blocks_of_every_class_that_do_not_overlap) {
  bench b;
  std::array<envelope*, envelope_size_classes> all{};
  for (unsigned c = 0; c < envelope_size_classes; ++c) {
    all[c] = b.pool.allocate(b.caches, c);
    ASSERT_NE(all[c], nullptr);
    EXPECT_EQ(all[c]->size_class, c);
    EXPECT_EQ(address_of(all[c]) % smallest, 0u);
    all[c]->generation = c;
    auto* const behind = reinterpret_cast<std::byte*>(all[c]) + head;
    for (std::size_t i = 0; i < envelope_pool::block_size(c) - head; ++i)
      behind[i] = static_cast<std::byte>(c);
  }
  for (unsigned c = 0; c < envelope_size_classes; ++c) {
    EXPECT_EQ(all[c]->generation, c);
    EXPECT_EQ(all[c]->size_class, c);
    b.pool.release(b.caches, *all[c]);
  }
}

TEST(envelope_pool, gives_the_block_again_that_was_released_last) {
  bench b;
  envelope* const first = b.pool.allocate(b.caches, 1);
  ASSERT_NE(first, nullptr);
  b.pool.release(b.caches, *first);

  for (unsigned turn = 0; turn < 1000; ++turn) {
    envelope* const again = b.pool.allocate(b.caches, 1);
    ASSERT_EQ(again, first);
    EXPECT_EQ(again->size_class, 1u);
    b.pool.release(b.caches, *again);
  }
  EXPECT_EQ(b.made(1), made_at_once);
  EXPECT_TRUE(!wide || b.made(0) == 0u);
}

TEST(envelope_pool, is_exhausted_without_harm_and_goes_on_after_a_release) {
  constexpr std::size_t runs = 3;
  bench b{runs};
  std::array<envelope*, runs * made_at_once> all{};
  for (envelope*& each : all) {
    each = b.pool.allocate(b.caches, 0);
    ASSERT_NE(each, nullptr);
  }
  EXPECT_EQ(b.pool.allocate(b.caches, 0), nullptr);
  EXPECT_EQ(b.pool.allocate(b.caches, 1), nullptr);

  b.pool.release(b.caches, *all[0]);

  EXPECT_EQ(b.pool.allocate(b.caches, 0), all[0]);
  EXPECT_EQ(b.pool.allocate(b.caches, 0), nullptr);
  EXPECT_EQ(b.made(0), all.size());
}

TEST(envelope_pool, takes_no_more_memory_for_what_comes_and_goes) {
  bench b;
  std::array<envelope*, 40> all{};
  for (unsigned turn = 0; turn < 100; ++turn) {
    for (envelope*& each : all) {
      each = b.pool.allocate(b.caches, 0);
      ASSERT_NE(each, nullptr);
    }
    for (envelope* each : all)
      b.pool.release(b.caches, *each);
  }
  EXPECT_LE(b.made(0), all.size() + std::size_t{2} * magazine_capacity);
}

TEST(envelope_pool, reuses_blocks_released_by_another_thread) {
  constexpr std::size_t runs = 2;
  bench b{runs};
  std::array<envelope*, runs * made_at_once> all{};
  for (envelope*& each : all)
    each = b.pool.allocate(b.caches, 0);
  for (envelope* each : all)
    b.pool.release(b.caches, *each);
  envelope_caches other{};

  b.pool.give_back_all(b.caches);

  EXPECT_EQ(b.pool.allocate(b.caches, 0) == nullptr, false);
  constexpr std::size_t taken = std::max<std::size_t>(magazine_capacity, 1);  // by the first one
  for (std::size_t i = 0; i + taken < all.size(); ++i)
    EXPECT_NE(b.pool.allocate(other, 0), nullptr);
  EXPECT_EQ(b.made(0), all.size());
}

// A sender allocates, the receiver releases: the blocks come back by way of the depot.
TEST(envelope_pool, is_flat_when_one_thread_allocates_and_another_releases) {
  bench b;
  envelope_caches receiver{};
  for (unsigned turn = 0; turn < 5000; ++turn) {
    envelope* const sent = b.pool.allocate(b.caches, 0);
    ASSERT_NE(sent, nullptr);
    b.pool.release(receiver, *sent);
  }
  EXPECT_LE(b.made(0), 1u + 4 * magazine_capacity);
}

template <class Message>
void expect_an_aligned_payload(bench& b) {
  envelope* const e = b.pool.allocate(b.caches, envelope_pool::size_class_for<Message>());
  ASSERT_NE(e, nullptr);
  e->operations = &operations_of<Message>;
  EXPECT_EQ(address_of(payload_of(*e)) % alignof(Message), 0u);
  b.pool.release(b.caches, *e);
}

TEST(envelope_pool, a_block_suits_a_payload_as_strictly_aligned_as_itself) {
  bench b;
  expect_an_aligned_payload<sized_message<8, 8>>(b);
  expect_an_aligned_payload<sized_message<16, 16>>(b);
  expect_an_aligned_payload<sized_message<smallest, smallest>>(b);
}

template <class Message>
void allocate_and_release_a_large_one(bench& b) {
  static_assert(envelope_pool::size_class_for<Message>() == large_size_class);
  envelope* const e = b.pool.allocate_large(sizeof(Message), alignof(Message));
  ASSERT_NE(e, nullptr);
  EXPECT_TRUE(one_large.taken);
  EXPECT_EQ(e->size_class, large_size_class);
  e->operations = &operations_of<Message>;
  EXPECT_EQ(address_of(e) % envelope_alignment, 0u);
  EXPECT_EQ(address_of(payload_of(*e)) % alignof(Message), 0u);
  static_cast<Message*>(payload_of(*e))->bytes.back() = std::byte{1};

  EXPECT_EQ(b.pool.allocate_large(sizeof(Message), alignof(Message)), nullptr);
  b.pool.release(b.caches, *e);
  EXPECT_FALSE(one_large.taken);
}

TEST(envelope_pool, what_is_too_large_comes_from_elsewhere_and_goes_back_there) {
  bench b;
  allocate_and_release_a_large_one<sized_message<16 * smallest - head + 1>>(b);
}

TEST(envelope_pool, what_is_too_strictly_aligned_comes_from_elsewhere_and_goes_back_there) {
  bench b;
  allocate_and_release_a_large_one<sized_message<2 * smallest, 2 * smallest>>(b);
  allocate_and_release_a_large_one<sized_message<strictest, strictest>>(b);
}

TEST(envelope_pool, without_a_block_source_refuses_large_envelopes) {
  static_pages pages{zeroed_room(1)};
  envelope_pool pool{pages, nullptr};
  EXPECT_EQ(pool.allocate_large(10'000, 8), nullptr);
}

TEST(static_pages, are_cut_off_in_turn_aligned_and_zero_until_none_are_left) {
  static_pages pages{zeroed_room(2).first(256)};
  auto* const first = static_cast<std::byte*>(pages.allocate(1, 1));
  auto* const second = static_cast<std::byte*>(pages.allocate(64, 64));

  EXPECT_EQ(first, storage.bytes);
  EXPECT_EQ(second, storage.bytes + 64);
  EXPECT_EQ(second[63], std::byte{0});
  EXPECT_EQ(pages.used(), 128u);
  EXPECT_EQ(pages.allocate(129, 1), nullptr);
  EXPECT_EQ(pages.allocate(SIZE_MAX, 1), nullptr);
  EXPECT_EQ(pages.allocate(128, 1), storage.bytes + 128);
  EXPECT_EQ(pages.allocate(1, 1), nullptr);
  EXPECT_EQ(pages.allocate(1, 64), nullptr);
}

}  // namespace
}  // namespace tactor
