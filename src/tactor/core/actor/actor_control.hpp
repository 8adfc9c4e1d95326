// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/dispatch/suspend_reason.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/send/actor_ref.hpp"

#include <cstdint>
#include <expected>

namespace tactor::inline v0 {

/// Control of other actors, for classes with `now_ns()` and `timers()`. Nothing here waits: the
/// actor applies a request between two messages. Context: like `Self`.
template <class Self>
class actor_control {
public:
  /// Stops an actor: queued messages become dead letters. No effect if it has stopped.
  void stop(const actor_ref<>& whom) const noexcept {
    if (whom) request_stop(*whom.slot(), whom.generation());
  }
  /// Makes an actor, and then its children, handle what is queued, accept nothing new, and stop. If
  /// it fails meanwhile, or has failed, it ends at once unless it is resumed.
  void drain(const actor_ref<>& whom) const noexcept {
    if (whom) request_drain(*whom.slot(), whom.generation());
  }

  /// Suspends an actor: messages wait in its mailbox until `until` holds, or until `resume`.
  std::expected<void, suspend_error> suspend(const actor_ref<>& whom,
                                             suspend_reason reason = suspend_reason::user_defined,
                                             const resume_condition& until = {}) const noexcept {
    return internal::post_suspension_command(
        whom,
        {.what = internal::suspension_command::kind::suspend, .reason = reason, .until = until},
        until.kind == resume_on::after ? &self().timers() : nullptr);
  }
  /// Removes a reason; when none is left, the actor continues.
  std::expected<void, suspend_error>
  resume(const actor_ref<>& whom,
         suspend_reason reason = suspend_reason::user_defined) const noexcept {
    return notify_resume(whom.index(), reason, asked_ns());
  }
  /// Sends a signal to an actor: ends every suspension that waits for it. If none does, it is kept
  /// for the next suspension that will; the newest sixteen are kept.
  std::expected<void, suspend_error> signal(const actor_ref<>& whom,
                                            signal_key key) const noexcept {
    return internal::post_suspension_command(
        whom,
        {.what = internal::suspension_command::kind::signal, .key = key, .asked_ns = asked_ns()});
  }

protected:
  actor_control() = default;
  ~actor_control() = default;

private:
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }
  /// Returns: the time. It is not 0, which would say that it is not known: a manual clock begins
  /// there.
  [[nodiscard]] std::uint64_t asked_ns() const noexcept {
    const std::uint64_t now_ns = self().now_ns();
    return now_ns == 0 ? 1 : now_ns;
  }
};

}  // namespace tactor::inline v0
