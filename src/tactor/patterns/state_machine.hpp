// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"

#include <cstdint>
#include <expected>
#include <utility>

namespace tactor::inline v0::patterns {

/// Published on the event stream when a state machine enters a state.
template <class State>
struct state_changed {
  actor_ref<> who;
  State from;
  State to;
};

/// The state of an actor, as a member of it: each state may have a timeout, and transitions are
/// events. `State` is an enumeration, or any type that can be copied and compared.
///
///     void receive(context& ctx, open) {
///       door_.enter(ctx, state::open, 10s, close{});  // close comes after 10 s in this state
///     }
///     void receive(context& ctx, close) { door_.enter(ctx, state::closed); }
///
/// A timeout that the actor stashes is an ordinary message from then on: it is handled when it is
/// unstashed, in whatever state. A handler that stashes it compares the state then.
///
/// Context: the actor's own handlers and hooks. A restart makes a new instance, which begins in its
/// first state without a timeout.
template <class State>
class state_machine {
public:
  explicit state_machine(State first) : now_(std::move(first)) {}
  // Its address names its timer.
  state_machine(const state_machine&) = delete;
  state_machine& operator=(const state_machine&) = delete;
  ~state_machine() = default;

  [[nodiscard]] const State& state() const noexcept { return now_; }
  /// Returns: true if the machine is in `state`.
  [[nodiscard]] bool is(const State& state) const noexcept { return now_ == state; }

  /// Enters a state, which may be the present one. The timeout of the last state is cancelled: its
  /// message is not handled any more, even if it is queued, unless the actor has stashed it.
  template <class Context>
  void enter(Context& ctx, State next) {
    ctx.cancel_timer(key());
    change(ctx, std::move(next));
  }
  /// Enters a state. If the machine is still in this state after `timeout`, the actor gets
  /// `message`. Returns: the error if there is no timer; the state is entered all the same.
  template <class Context, class Message>
  std::expected<void, scheduler_error> enter(Context& ctx, State next, duration timeout,
                                             Message message) {
    ctx.cancel_timer(key());
    change(ctx, std::move(next));
    return ctx.start_timer(key(), after(timeout), std::move(message));
  }

private:
  [[nodiscard]] timer_key key() const noexcept {
    return reinterpret_cast<std::uintptr_t>(this);  // an actor may have several machines
  }
  template <class Context>
  void change(Context& ctx, State next) {
    State from = std::exchange(now_, std::move(next));
    ctx.events().publish(
        state_changed<State>{.who = ctx.self(), .from = std::move(from), .to = now_});
  }

  State now_;
};

}  // namespace tactor::inline v0::patterns
