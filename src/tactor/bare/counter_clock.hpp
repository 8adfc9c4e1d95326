// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/timing/monotonic_clock.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>

namespace tactor::inline v0::bare {

/// A free-running 32-bit hardware counter, extended to 64 bits. Needs no interrupt of its own, so
/// the processor may sleep from deadline to deadline without drift.
///
/// Requires: `now` is called at least once per turn of the counter (71 minutes at 1 MHz).
class counter_clock final : public monotonic_clock {
public:
  /// Reads the hardware: counts up, wraps from 2^32 - 1 to 0.
  using read_counter = std::uint32_t (*)() noexcept;

  /// A clock that starts at 0 when the counter reads `first_reading`; one unit lasts `unit_ns`.
  constexpr counter_clock(read_counter read, std::uint32_t unit_ns,
                          std::uint32_t first_reading = 0) noexcept
      : read_(read), unit_ns_(unit_ns), last_reading_(first_reading) {}

  [[nodiscard]] timer_instant now() const noexcept override {
    section_.lock();
    const std::uint32_t reading = read_();
    units_ += reading - last_reading_;  // correct across a wrap: unsigned difference
    last_reading_ = reading;
    const std::uint64_t units = units_;
    section_.unlock();
    return {.ticks = units, .resolution_ns = unit_ns_};
  }
  [[nodiscard]] clock_kind kind() const noexcept override { return clock_kind::realtime; }

private:
  read_counter read_;
  std::uint32_t unit_ns_;
  mutable port::interrupt_mutex section_;
  // protected by section_
  mutable std::uint32_t last_reading_;
  mutable std::uint64_t units_ = 0;
};

}  // namespace tactor::inline v0::bare
