// SPDX-License-Identifier: BSL-1.0
// Counts the instructions of the operations of a timer wheel on this processor, with few and with
// many live timers. The emulator counts time by instructions (-icount), and SysTick counts that
// time: a long stretch of known length calibrates it.
#include "tactor/base/tick.hpp"
#include "tactor/core/timing/timer_entry.hpp"
#include "tactor/core/timing/timer_wheel.hpp"

#include "embedded/board.hpp"
#include "embedded/semihosting.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace {

using namespace tactor;
using namespace tactor::internal;

constexpr std::size_t slots = 64;
constexpr std::size_t standing = 128;  // timers that stay live
constexpr std::size_t measured = 32;   // timers operated on, at most

struct wheel_memory {
  static_timing_storage<slots, 1> storage;
  std::array<timer_entry, standing + measured> entries{};
};
wheel_memory memory;
std::array<timer_entry, standing + measured>& entries = memory.entries;

// SysTick counts down, in 24 bits.
template <class Work>
std::uint32_t counts_of(Work work) {
  const std::uint32_t before = embedded::sys_tick::value();
  work();
  return (before - embedded::sys_tick::value()) & 0xFF'FFFFU;
}

[[gnu::noinline]] void run_instructions(std::uint32_t rounds) {
  // Two instructions in each round.
  asm volatile(".syntax unified\n1: subs %0, %0, #1\n\tbne 1b" : "+l"(rounds) : : "cc");
}

// Counts of SysTick in 65 536 instructions.
std::uint32_t counts_per_64k() {
  const std::uint32_t few = counts_of([] { run_instructions(1000); });
  const std::uint32_t many = counts_of([] { run_instructions(1000 + 32'768); });
  return many - few;
}

enum class operation : std::uint8_t { insert, cancel, expire, next_deadline };

// The counts of `count` operations on a wheel with `live` other timers, which are in its second
// half.
std::uint32_t counts_of(operation what, std::size_t live, std::size_t count) {
  memory.storage = {};
  timer_wheel wheel{memory.storage.view(), tick{}, {}};
  for (std::size_t n = 0; n < live; ++n)
    (void)wheel.insert(entries[measured + n], tick{slots / 2 + 1 + n % (slots / 2 - 1)});
  const auto deadline = [](std::size_t n) { return tick{1 + n / 4}; };
  if (what != operation::insert) {
    for (std::size_t n = 0; n < count; ++n)
      (void)wheel.insert(entries[n], deadline(n));
  }
  const std::uint32_t counts = counts_of([&] {
    for (std::size_t n = 0; n < count; ++n) {
      if (what == operation::insert) (void)wheel.insert(entries[n], deadline(n));
      if (what == operation::cancel) (void)wheel.cancel(entries[n]);
      if (what == operation::expire) (void)wheel.pop_due(deadline(n));
      if (what == operation::next_deadline) (void)wheel.next_deadline();
    }
  });
  for (timer_entry& each : entries)
    (void)wheel.cancel(each);
  return counts;
}

// Instructions of one operation: the slope between two counts, so what is around it does not
// matter.
std::uint32_t instructions_of(operation what, std::size_t live, std::uint32_t per_64k) {
  constexpr std::size_t few = 8;
  const std::uint32_t counts = counts_of(what, live, measured) - counts_of(what, live, few);
  const auto all = std::uint64_t{counts} * 65'536 / per_64k;
  return static_cast<std::uint32_t>((all + (measured - few) / 2) / (measured - few));
}

}  // namespace

int main() {
  embedded::sys_tick::start_silently();
  const std::uint32_t per_64k = counts_per_64k();
  bool constant = per_64k > 0;
  // The first measured values on the slowest board and a tenth; they only go down.
  const auto show = [&](operation what, const char* name, std::uint32_t most) {
    const std::uint32_t small = instructions_of(what, standing / 8, per_64k);
    const std::uint32_t large = instructions_of(what, standing, per_64k);
    embedded::write(name);
    embedded::write_number(std::uint64_t{small});
    embedded::write(" ");
    embedded::write_number(std::uint64_t{large});
    embedded::write("\n");
    // However many timers are live.
    constant = constant && small > 0 && large <= small + small / 10 && large <= most;
  };
  show(operation::insert, "insert ", 88);
  show(operation::cancel, "cancel ", 70);
  show(operation::expire, "expire ", 178);
  show(operation::next_deadline, "next_deadline ", 108);
  return constant ? 0 : 1;
}
