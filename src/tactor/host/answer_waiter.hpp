// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/asking.hpp"
#include "tactor/core/actor/waiting/reply_slot.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::inline v0::internal {

/// Lets threads that belong to no system sleep until their asks are answered. There is one for the
/// program, and it is never destroyed: a waiting thread needs nothing of the system that it asked,
/// which may end meanwhile.
///
/// Thread safety: every function from any thread. Panics when a thread that runs actors waits.
class answer_waiter final : public answer_driver, public ready_queue_coordinator {
public:
  constexpr answer_waiter() noexcept = default;
  answer_waiter(const answer_waiter&) = delete;
  answer_waiter& operator=(const answer_waiter&) = delete;
  ~answer_waiter() = default;

  /// The program's instance.
  [[nodiscard]] static answer_waiter& of_program() noexcept;

  [[nodiscard]] bool run_until_answered(reply_slot& asked, std::uint64_t until_ns) override;
  /// The system's monotonic clock.
  [[nodiscard]] std::uint64_t time_ns() noexcept override;

  /// An answer has arrived in the reply slot `asked`, whose thread sleeps or is about to.
  void register_ready(ready_cell& asked) noexcept override;

  // Reply slots are never run.
  void unregister(ready_cell&) noexcept override {}
  [[nodiscard]] std::size_t drain_ready_cycle(std::span<ready_cell*>) noexcept override {
    return 0;
  }
  [[nodiscard]] wait_signal poll_wait_signal() noexcept override { return wait_signal::pending; }
  void handle_invoke_result(ready_cell&, const invoke_result&) noexcept override {}
  [[nodiscard]] ready_queue_usage usage() noexcept override { return {}; }
};

}  // namespace tactor::inline v0::internal
