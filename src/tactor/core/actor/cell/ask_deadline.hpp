// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tactor::inline v0::internal {

/// When an ask from outside of actors ends, and by which clock, in one odd number. All-zero: never. Exact to 4 ns,
/// and never early.
struct ask_deadline {
  enum class clock : std::uint8_t { of_system, of_threads };

  std::uint64_t bits = 0;

  [[nodiscard]] static constexpr ask_deadline at(std::uint64_t until_ns, clock which) noexcept {
    const std::uint64_t threads = which == clock::of_threads ? threads_bit : 0;
    return {(until_ns & ~(set_bit | threads_bit)) | threads | set_bit};
  }
  [[nodiscard]] constexpr bool set() const noexcept { return (bits & set_bit) != 0; }
  [[nodiscard]] constexpr clock by() const noexcept {
    return (bits & threads_bit) != 0 ? clock::of_threads : clock::of_system;
  }
  [[nodiscard]] constexpr bool over(std::uint64_t now_ns) const noexcept {
    return now_ns > (bits | set_bit | threads_bit);
  }

private:
  static constexpr std::uint64_t set_bit = 1;
  static constexpr std::uint64_t threads_bit = 2;
};

static_assert(!ask_deadline{}.set() && ask_deadline::at(0, ask_deadline::clock::of_system).set());
static_assert(ask_deadline::at(0, ask_deadline::clock::of_threads).by() ==
              ask_deadline::clock::of_threads);
static_assert(!ask_deadline::at(100, ask_deadline::clock::of_system).over(100));
static_assert(ask_deadline::at(100, ask_deadline::clock::of_system).over(104));

}  // namespace tactor::inline v0::internal
