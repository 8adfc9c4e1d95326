// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "embedded/board.hpp"
#include "embedded/semihosting.hpp"

#include <cstdint>

/// Shared by the tests of interrupts: numbers that both sides access, pseudo-random periods, and
/// instructions counted by SysTick.
namespace embedded {

using shared_number =
    volatile std::uint32_t;  // written by an interrupt or by the loop, not by both

inline void increment(shared_number& number) noexcept {
  number = number + 1;
}

inline void print(const char* label, std::uint64_t number) noexcept {
  write(label);
  write_number(number);
  write("\n");
}

/// Pseudo-random numbers, the same in each run.
class random_numbers {
public:
  std::uint32_t next() noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }

private:
  std::uint32_t state_ = 0x2545'F491;
};

/// The longest section with masked interrupts, in instructions: the first measured value and a
/// tenth. It only goes down.
inline constexpr std::uint32_t longest_masked = 56;

/// Two instructions in each round.
[[gnu::noinline]] inline void run_instructions(std::uint32_t rounds) noexcept {
  asm volatile(".syntax unified\n1: subs %0, %0, #1\n\tbne 1b" : "+l"(rounds) : : "cc");
}

/// Counts of SysTick for 65 536 instructions. Changes SysTick.
inline std::uint32_t counts_per_64k() noexcept {
  sys_tick::start_silently();
  const auto counts = [](std::uint32_t rounds) {
    const std::uint32_t before = sys_tick::value();
    run_instructions(rounds);
    return (before - sys_tick::value()) & 0xFF'FFFFU;
  };
  const std::uint32_t few = counts(1000);
  const std::uint32_t result = counts(1000 + 32'768) - few;
  sys_tick::stop();
  return result;
}

}  // namespace embedded
