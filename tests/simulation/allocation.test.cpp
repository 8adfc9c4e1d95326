// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

// Every allocation of the program is counted, also those of the C library's clients. Not under a
// sanitizer, which has functions of its own there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TACTOR_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TACTOR_COUNTS_ALLOCATIONS 0
#endif
#endif
#if !defined(TACTOR_COUNTS_ALLOCATIONS)
#define TACTOR_COUNTS_ALLOCATIONS 1
#endif

namespace {
std::size_t allocations = 0;
}

#if TACTOR_COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void* malloc(std::size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}
#endif

namespace tactor::testkit {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

struct ball {
  std::uint64_t number = 0;
};
struct large_ball {
  std::array<std::uint64_t, 30> numbers{};
};
struct quote {
  std::uint64_t number = 0;
  using reply = std::uint64_t;
};

std::size_t all_blocks() {
  std::size_t sum = 0;
  for (unsigned each = 0; each < envelope_size_classes; ++each)
    sum += program_memory.envelopes.blocks_made(each);
  return sum;
}

/// Runs `once` often, and expects that nothing more is allocated after the first few times.
template <class Once>
void expect_no_allocation(int often, Once once) {
  for (int i = 0; i < 200; ++i)
    once();
  const std::size_t blocks = all_blocks();
  const std::size_t before = allocations;
  for (int i = 0; i < often; ++i)
    once();
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_EQ(all_blocks(), blocks);
}

class no_allocation : public ::testing::Test {
protected:
  simulation world{seed{1}};
  std::uint64_t sum = 0;
};

TEST_F(no_allocation, counts_at_all) {
  const std::size_t before = allocations;
  void* const volatile block = std::malloc(10);
  std::free(block);
  EXPECT_EQ(allocations - before, TACTOR_COUNTS_ALLOCATIONS ? 1u : 0u);
}

TEST_F(no_allocation, of_a_hundred_thousand_messages) {
  const auto to = world.spawn("to", [this](tactor::context&, const ball& b) { sum += b.number; });
  const auto relay = world.spawn("relay", [to](tactor::context&, const ball& b) { to.tell(b); });
  expect_no_allocation(5'000, [&] {
    for (int i = 0; i < 10; ++i)
      relay.tell(ball{1});
    world.run_to_idle();
  });
  EXPECT_EQ(sum, 52'000u);
}

TEST_F(no_allocation, of_messages_of_other_sizes) {
  const auto to =
      world.spawn("to", [this](tactor::context&, const large_ball& b) { sum += b.numbers[29]; });
  large_ball message;
  message.numbers[29] = 1;
  expect_no_allocation(5'000, [&] {
    to.tell(message);
    world.run_to_idle();
  });
  EXPECT_EQ(sum, 5'200u);
}

TEST_F(no_allocation, of_asks_and_their_answers) {
  const auto to = world.spawn("to", [](tactor::context&, const quote& q) { return q.number + 1; });
  expect_no_allocation(5'000, [&] { sum += world.ask(to, quote{1}, 1s).get().value_or(0); });
  EXPECT_EQ(sum, 10'400u);
}

// spec: S8
TEST_F(no_allocation, of_timers_messages) {
  const auto to = world.spawn("to", [this](tactor::context&, const ball& b) { sum += b.number; });
  auto job = world.schedule_at_fixed_rate(10ms, 10ms, to, ball{1});
  ASSERT_TRUE(job.has_value());
  expect_no_allocation(5'000, [&] {
    (void)world.schedule_once(10ms, to, ball{1});
    world.run_for(10ms);
  });
  EXPECT_EQ(sum, 2 * 5'200u);
}

TEST_F(no_allocation, of_dead_letters_and_refusals) {
  const auto full = world.spawn({.name = "full", .mailbox = {.capacity = 1}},
                                [](tactor::context&, const ball&) {});
  full.tell(ball{});
  const auto gone = world.spawn("gone", [](tactor::context&, const ball&) {});
  world.stop(gone);
  while (world.live() > 1)
    (void)world.run_one();
  full.tell(ball{});
  expect_no_allocation(10'000, [&] {
    full.tell(ball{});
    gone.tell(ball{});
  });
}

TEST_F(no_allocation, of_actors_that_come_and_go) {
  expect_no_allocation(2'000, [&] {
    const auto one = world.spawn("one", [this](tactor::context& ctx, const ball&) {
      ++sum;
      ctx.stop();
    });
    one.tell(ball{});
    world.run_to_idle();
  });
  EXPECT_EQ(sum, 2'200u);
}

}  // namespace
}  // namespace tactor::testkit
