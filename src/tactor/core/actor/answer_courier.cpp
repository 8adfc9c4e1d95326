// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/answer_courier.hpp"

#include "tactor/core/actor/waiting/reply_slot.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"

#include <cstddef>
#include <span>

namespace tactor::inline v0::internal {
namespace {

class waker final : public ready_queue_coordinator {
public:
  constexpr waker() noexcept = default;

  void register_ready(ready_cell& asked) noexcept override {
    const actor_ref<> who = reply_slot::courier_of(asked);
    (void)reply_slot::wake(asked);  // from now on the courier may close the slot
    actor_ref<answer_arrived>{who.slot(), who.generation()}.tell(answer_arrived{});
  }

  // Reply slots are never run.
  void unregister(ready_cell&) noexcept override {}
  [[nodiscard]] std::size_t drain_ready_cycle(std::span<ready_cell*>) noexcept override {
    return 0;
  }
  [[nodiscard]] wait_signal poll_wait_signal() noexcept override { return wait_signal::pending; }
  void handle_invoke_result(ready_cell&, const invoke_result&) noexcept override {}
  [[nodiscard]] ready_queue_usage usage() noexcept override { return {}; }
};

constinit waker of_program;

}  // namespace

ready_queue_coordinator& courier_waker() noexcept {
  return of_program;
}

}  // namespace tactor::inline v0::internal
