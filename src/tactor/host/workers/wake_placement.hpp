// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>

namespace tactor::inline v0::internal {

/// From which processor a worker stays away, so that it and the worker that wakes it run at the same time.
///
/// A system that knows which processors are idle wakes a thread on one of these. The system of a virtual machine may
/// not know: processors that were halted count as taken, and a thread is woken on the processor of the thread that wakes
/// it, where the two take turns while the other processors are idle. A worker that sees this happen moves away, and
/// sleeps, for some time, such that it is not woken there again. If it then has to wait for another processor, those
/// are busy, and it leaves the choice to the system. A value of the worker; makes no system calls.
class wake_placement {
public:
  /// How often the worker sleeps away from the processor before it leaves the choice to the system again.
  static constexpr std::uint32_t lasts = 64;

  /// A worker that starts this much later than it should had to wait for a processor. A halted one starts within a
  /// fifth of it.
  static constexpr std::uint64_t late_ns = 500'000;

  /// The worker was woken by another one that runs on `waker`, `delay_ns` ago. Returns: whether it has to move away
  /// from its own processor, `here`.
  [[nodiscard]] constexpr bool is_shared(std::uint32_t waker, std::uint32_t here,
                                         std::uint64_t delay_ns) noexcept {
    avoided_ = waker;
    if (is_away_) came_after(delay_ns);
    if (ignored_ != 0) {
      --ignored_;
      return false;
    }
    if (here != waker) return false;
    left_ = lasts;
    return true;
  }
  /// The worker runs elsewhere, `delay_ns` after it was woken, or after it began to move away.
  constexpr void came_after(std::uint64_t delay_ns) noexcept {
    if (delay_ns < late_ns) return;
    left_ = 0;
    ignored_ = lasts;
  }
  /// The processor from which the worker stays away while it sleeps; nothing: the system decides.
  [[nodiscard]] constexpr std::optional<std::uint32_t> before_sleep() noexcept {
    is_away_ = left_ != 0;
    if (!is_away_) return {};
    --left_;
    return avoided_;
  }

private:
  std::uint32_t left_ = 0;     // sleeps away from `avoided_`
  std::uint32_t ignored_ = 0;  // wake-ups beside the waker that are left to the system
  std::uint32_t avoided_ = 0;
  bool is_away_ = false;
};

}  // namespace tactor::inline v0::internal
