// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include "embedded/board.hpp"

#include <cstdint>

/// A counter that runs freely and an alarm, of each board: two CMSDK timers, or SysTick started
/// anew for each alarm. The counter begins 100 ms before it wraps.
namespace embedded {

#if defined(__ARM_FEATURE_LDREX)

class alarm_board {
public:
  static constexpr bool restarts = false;
  static constexpr std::uint32_t unit_ns = 1'000'000'000 / TACTOR_CORE_HZ;
  static constexpr std::uint32_t first_reading = 0u - TACTOR_CORE_HZ / 10u;

  static void start() noexcept {
    at(0, reload) = 0xFFFF'FFFF;
    at(0, value) = ~first_reading;
    at(0, control) = 1;
    enable_interrupt(alarm_interrupt);
  }
  [[nodiscard]] static std::uint32_t read() noexcept { return ~at(0, value); }
  /// Interrupts once, after `units`.
  static void set_alarm(std::uint32_t units) noexcept {
    at(1, control) = 0;
    at(1, reload) = 0;
    at(1, value) = units;
    at(1, control) = 9;
  }
  static void on_alarm() noexcept {
    at(1, control) = 0;
    at(1, status) = 1;
  }

private:
#if defined(__ARM_FEATURE_CMSE)  // ARMv8-M, in its secure state
  static constexpr std::uintptr_t timers = 0x5000'0000;
  static constexpr unsigned alarm_interrupt = 4;
#else
  static constexpr std::uintptr_t timers = 0x4000'0000;
  static constexpr unsigned alarm_interrupt = 9;
#endif
  static constexpr std::uintptr_t control = 0;
  static constexpr std::uintptr_t value = 4;
  static constexpr std::uintptr_t reload = 8;
  static constexpr std::uintptr_t status = 12;

  static volatile std::uint32_t& at(unsigned timer, std::uintptr_t what) noexcept {
    return system_register(timers + timer * 0x1000 + what);
  }
};

#else

class alarm_board {
public:
  static constexpr bool restarts = true;
  static constexpr std::uint32_t unit_ns = 1000;
  static constexpr std::uint32_t first_reading = 0u - 100'000u;

  static void start() noexcept { sys_tick::start(most); }
  [[nodiscard]] static std::uint32_t read() noexcept {
    const tactor::port::interrupts_masked section;
    return first_reading + static_cast<std::uint32_t>(counts() / counts_per_unit);
  }
  /// Interrupts once, after `units`. Requires: interrupts are masked.
  static void set_alarm(std::uint32_t units) noexcept {
    passed_ = counts();
    const std::uint32_t wanted = units * counts_per_unit + counts_per_unit;
    sys_tick::start(wanted < most ? wanted : most);
  }
  static void on_alarm() noexcept {
    passed_ += sys_tick::period();
    passed_ += sys_tick::period() - 1 - sys_tick::value();
    sys_tick::start(most);
  }

private:
  static constexpr std::uint32_t counts_per_unit = TACTOR_CORE_HZ / 1'000'000;
  static constexpr std::uint32_t most = 0x100'0000;

  static std::uint64_t counts() noexcept {
    const std::uint32_t before = sys_tick::value();
    const bool pending =
        (system_register(0xE000'ED04) & (1u << 26)) != 0;  // its handler has not run yet
    const std::uint32_t left = pending ? sys_tick::value() : before;
    return passed_ + (pending ? sys_tick::period() : 0) + (sys_tick::period() - 1 - left);
  }

  static inline std::uint64_t passed_ = 0;
};

#endif

}  // namespace embedded
