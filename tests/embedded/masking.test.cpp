// SPDX-License-Identifier: BSL-1.0
#include "tactor/port/port.hpp"

#include "embedded/board.hpp"
#include <gtest/gtest.h>

#include <cstdint>

extern "C" {
extern std::uint32_t bss_begin, bss_end;
}

namespace {

constinit tactor::port::atomic<std::uint32_t> interrupts_taken;
constinit tactor::port::atomic<tactor::port::panic_handler> default_pointer;
constinit tactor::port::counter default_counter;
constinit tactor::port::interrupt_mutex default_mutex;

}  // namespace

extern "C" void irq_0_handler() {
  using namespace tactor;
  interrupts_taken.fetch_add(1, relaxed);  // relaxed: statistic only
}

namespace tactor {
namespace {

bool masked() noexcept {
  std::uint32_t primask;
  asm volatile("mrs %0, primask" : "=r"(primask) : : "memory");
  return (primask & 1) != 0;
}

std::uint32_t taken() noexcept {
  return interrupts_taken.load(relaxed);
}

template <class Object>
bool costs_no_flash(const Object& object) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(&object);
  return at >= reinterpret_cast<std::uintptr_t>(&bss_begin) &&
         at < reinterpret_cast<std::uintptr_t>(&bss_end);
}

TEST(masking, an_interrupt_waits_for_the_end_of_the_section) {
  embedded::enable_interrupt(0);
  port::interrupt_mutex section;
  const std::uint32_t before = taken();

  section.lock();
  embedded::pend_interrupt(0);
  EXPECT_EQ(taken(), before);

  section.unlock();
  embedded::finish_accesses();
  EXPECT_EQ(taken(), before + 1);
}

TEST(masking, the_end_of_an_inner_section_does_not_end_the_outer_one) {
  embedded::enable_interrupt(0);
  port::interrupt_mutex outer;
  port::interrupt_mutex inner;
  const std::uint32_t before = taken();

  outer.lock();
  inner.lock();
  embedded::pend_interrupt(0);
  inner.unlock();
  embedded::finish_accesses();
  EXPECT_TRUE(masked());
  EXPECT_EQ(taken(), before);

  outer.unlock();
  embedded::finish_accesses();
  EXPECT_FALSE(masked());
  EXPECT_EQ(taken(), before + 1);
}

TEST(masking, no_operation_of_the_port_unmasks_interrupts_that_the_caller_masked) {
  port::atomic<std::uint32_t> number;
  port::counter count;
  std::uint32_t expected = 7;

  {
    const port::interrupts_masked section;
    number.exchange(1, acq_rel);
    number.fetch_add(1, relaxed);
    EXPECT_FALSE(number.compare_exchange(expected, 3, acq_rel));
    count.add(1);
    EXPECT_EQ(count.value(), 1u);
    EXPECT_TRUE(masked());
  }
  EXPECT_FALSE(masked());
  EXPECT_EQ(number.load(relaxed), 2u);
}

TEST(masking, objects_that_start_empty_cost_no_flash) {
  EXPECT_TRUE(costs_no_flash(interrupts_taken));
  EXPECT_TRUE(costs_no_flash(default_pointer));
  EXPECT_TRUE(costs_no_flash(default_counter));
  EXPECT_TRUE(costs_no_flash(default_mutex));
}

TEST(atomic_sizes, bytes_and_halves_wrap_at_their_own_width) {
  port::atomic<std::uint8_t> byte{255};
  port::atomic<std::int16_t> half{32767};

  EXPECT_EQ(byte.fetch_add(1, relaxed), 255);
  EXPECT_EQ(byte.load(relaxed), 0);
  EXPECT_EQ(half.fetch_add(1, relaxed), 32767);
  EXPECT_EQ(half.load(relaxed), -32768);
}

TEST(atomic_sizes, enumerations_and_small_structures_are_compared_and_exchanged_whole) {
  enum class state : std::uint8_t { idle, busy };
  struct status {
    std::uint16_t suspends;
    std::uint16_t flags;
    bool operator==(const status&) const = default;
  };
  port::atomic<state> phase;
  port::atomic<status> word{status{.suspends = 1, .flags = 2}};
  status expected{.suspends = 1, .flags = 3};

  EXPECT_EQ(phase.exchange(state::busy, acq_rel), state::idle);
  EXPECT_EQ(phase.load(relaxed), state::busy);
  EXPECT_FALSE(word.compare_exchange(expected, status{}, acq_rel));
  EXPECT_EQ(expected, (status{.suspends = 1, .flags = 2}));
  EXPECT_TRUE(word.compare_exchange(expected, status{}, acq_rel));
  EXPECT_EQ(word.load(relaxed), status{});
}

}  // namespace
}  // namespace tactor
