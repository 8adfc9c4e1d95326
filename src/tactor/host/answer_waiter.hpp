// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/asking.hpp"
#include "tactor/core/ask/thread_ask.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

/// Lets threads that belong to no system sleep until their asks are answered. There is one for the
/// program: a waiting thread needs nothing of the system that it asked, which may end meanwhile.
///
/// Thread safety: every function from any thread. Panics when a thread that runs actors waits,
/// unless it is one for what blocks.
class answer_waiter final : public answer_driver {
public:
  constexpr answer_waiter() noexcept = default;
  answer_waiter(const answer_waiter&) = delete;
  answer_waiter& operator=(const answer_waiter&) = delete;
  ~answer_waiter() = default;

  /// Returns: the instance of the program.
  [[nodiscard]] static answer_waiter& of_program() noexcept;

  [[nodiscard]] bool run_until_answered(thread_ask& asked, std::uint64_t until_ns) override;
  /// Returns: the time of the operating system's monotonic clock.
  [[nodiscard]] std::uint64_t time_ns() noexcept override;
};

}  // namespace tactor::inline v0::internal
