// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace tactor::inline v0::internal {

/// Reads the time of a call from the processor's counter without a fence: never before the clock's
/// time then, and at most `longest_ns / 4 + 2 * guard_ns` after it, mostly half of that. A clock's
/// fence waits for every load that is under way, which costs more than the rest of a schedule call.
///
/// One object per thread. It reads the clock every `longest_ns`, or `most_uses` calls, and in
/// between adds what the counter says has passed, at a rate measured over the last millisecond or
/// more.
///
/// `Machine` has `clock_ns()`, whose reading is ordered after what the thread did before;
/// `count()`, not ordered; and `counter_drives_clock()`, whether that clock is computed from that
/// counter. Then the counter cannot stop, or jump, without the clock; if it does nevertheless, the
/// next reading of the clock shows it and the counter is not used any more.
///
/// inv 1  `anchor_.count` was read before `anchor_.ns`, so at a later count c the clock is at most
///        at `anchor_.ns` + (c - `anchor_.count`) × the rate of that time.
/// inv 2  `rate_` is 1/8 above the measured rate. The measurement is wrong by less than 1/64, and
///        an operating system that corrects its clock changes the rate by at most 1/10: it is not
///        too low.
/// inv 3  A reading of the counter may overtake loads in front of it, and so an earlier reading of
///        the clock that waits for them: `guard_ns` is the time of more than twenty that depend on
///        each other.
/// inv 4  No result is less than the previous result.
class counter_stamp {
public:
  static constexpr std::uint64_t guard_ns = 4'000;
  static constexpr std::uint64_t longest_ns = 16'000;
  static constexpr std::uint32_t most_uses = 64;

  /// Returns: nanoseconds of the clock.
  template <class Machine>
  [[nodiscard]] std::uint64_t read(const Machine& machine) noexcept {
    const std::uint64_t passed = machine.count() - anchor_.count;
    if (uses_left_ == 0 || passed > longest_passed_) return never_back(read_clock(machine));
    --uses_left_;
    return never_back(anchor_.ns + scaled(passed) + guard_ns);
  }

private:
  struct reading {
    std::uint64_t count = 0;  // before `ns`
    std::uint64_t ns = 0;
    std::uint64_t width = 0;  // the count after `ns`, minus `count`
  };

  static constexpr unsigned rate_bits = 24;
  static constexpr std::uint64_t far = std::uint64_t{1} << 33;  // counts: its scaled value fits
  static constexpr std::uint64_t least_measured_ns = 1'000'000;
  static constexpr std::uint64_t precision = 128;  // a measurement lasts that many times its widths

  [[nodiscard]] std::uint64_t scaled(std::uint64_t counts) const noexcept {
    return counts * rate_ >> rate_bits;
  }
  std::uint64_t never_back(std::uint64_t ns) noexcept { return last_ns_ = std::max(last_ns_, ns); }

  template <class Machine>
  std::uint64_t read_clock(const Machine& machine) noexcept {
    uses_left_ = 0;
    if (broken_ || !machine.counter_drives_clock()) return machine.clock_ns();
    reading now{.count = machine.count(), .ns = machine.clock_ns()};
    now.width = machine.count() - now.count;
    compare(now);
    measure(now);
    anchor_ = now;
    const bool interrupted = now.width > longest_passed_ / 8;  // a guess from it would be late
    if (rate_ != 0 && !broken_ && !interrupted) uses_left_ = most_uses;
    return now.ns;
  }

  /// Notes a counter that was slower than `rate_` allows for.
  void compare(const reading& now) noexcept {
    const std::uint64_t passed = now.count + now.width - anchor_.count;
    const bool comparable = rate_ != 0 && passed < far;
    if (comparable && now.ns - anchor_.ns > scaled(passed) + guard_ns / 4) broken_ = true;
  }

  /// Measures the rate; after a long pause, or a jump of the counter, anew.
  void measure(const reading& now) noexcept {
    const std::uint64_t counts = now.count - start_.count;
    const std::uint64_t ns = now.ns - start_.ns;
    const bool begun = start_.ns != 0;
    if (!begun || counts == 0 || counts >= far || ns >= far) {
      rate_ = 0;
      longest_passed_ = 0;
      start_ = now;
      return;
    }
    if (ns < least_measured_ns || now.width * 2 * precision > counts) return;
    if (start_.width * 2 * precision <= counts) {
      const std::uint64_t measured = (ns << rate_bits) / counts;
      rate_ = measured + measured / 8 + 1;
      longest_passed_ = (longest_ns << rate_bits) / rate_;
    }
    start_ = now;
  }

  reading anchor_;
  std::uint64_t rate_ = 0;            // ns per count × 2^`rate_bits`; 0: not yet measured
  std::uint64_t longest_passed_ = 0;  // `longest_ns` in counts
  std::uint64_t last_ns_ = 0;
  std::uint32_t uses_left_ = 0;
  bool broken_ = false;
  reading start_;  // of the measurement
};

}  // namespace tactor::inline v0::internal
