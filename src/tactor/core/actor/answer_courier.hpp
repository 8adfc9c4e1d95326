// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/exceptions.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/asking.hpp"
#include "tactor/core/actor/cell/actor_type.hpp"
#include "tactor/core/actor/cell/spawn_options.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/cell/trace_recorder.hpp"
#include "tactor/core/actor/delivery/actor_ref.hpp"
#include "tactor/core/actor/delivery/answer.hpp"
#include "tactor/core/actor/delivery/noted_sends.hpp"
#include "tactor/core/actor/lifecycle/extras/receive_timeout.hpp"
#include "tactor/core/actor/waiting/reply_slot.hpp"
#include "tactor/core/dispatch/ready_queue_coordinator.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/port/port.hpp"

#include <chrono>
#include <cstdint>
#include <expected>
#include <new>  // IWYU pragma: keep (placement new)
#include <type_traits>
#include <utility>

namespace tactor::inline v0::internal {

/// Tells a courier that its reply slot may hold an answer.
struct answer_arrived {
  using suppress_dead_letter = void;
  using ignored_by_receive_timeout = void;
  static constexpr const char* type_name = "tactor::answer_arrived";
};

/// Sends `answer_arrived` to the courier of a reply slot. There is one for the program, and it is
/// never destroyed.
[[nodiscard]] ready_queue_coordinator& courier_waker() noexcept;

/// One error for each mistake with a callback.
template <class Reply, class Then, bool Fits, bool Moves>
struct callback_check {
  static_assert(Fits, "a callback is a lambda like [](std::expected<Message::reply, ask_error>) "
                      "{...}");
  static_assert(Moves, "a callback must move without throwing: it is kept until the answer comes");
};

inline namespace TACTOR_EXCEPTION_MODE {

/// A pending answer and the callback that gets it, exactly once.
///
/// inv 1  While `waiting_`, the reply slot is neither read nor closed: see `reply_slot`.
template <class Reply, class Then>
class promised_call {
public:
  promised_call(pending_reply<Reply>&& reply, Then&& then) noexcept
      : reply_(std::move(reply)), then_(std::move(then)) {}
  promised_call(promised_call&& other) noexcept
      : reply_(std::move(other.reply_)),
        then_(std::move(other.then_)),
        owed_(std::exchange(other.owed_, false)) {}
  promised_call& operator=(promised_call&&) = delete;
  promised_call(const promised_call&) = delete;
  promised_call& operator=(const promised_call&) = delete;
  ~promised_call() {
    if (!owed_) return;
    if (waiting_ && !reply_.asked_.woken() && !reply_.asked_.cancel_wait()) {
      while (!reply_.asked_.woken())  // an answer arrives at this moment
        port::cpu_relax();
    }
    failure ignored;
    (void)guarded(ignored, [this] {
      call_with(reply_.asked_.answered() ? reply_.answer()
                                         : reply_.without(ask_failure::would_never_answer));
      return call_result::done;
    });
  }

  /// How long to wait at most.
  [[nodiscard]] duration time_left() const noexcept {
    const std::uint64_t now_ns = reply_.driver_->time_ns();
    const std::uint64_t left_ns = reply_.until_ns_ > now_ns ? reply_.until_ns_ - now_ns : 0;
    constexpr std::uint64_t most = duration::max().nanoseconds();
    return std::chrono::nanoseconds{static_cast<std::int64_t>(left_ns < most ? left_ns : most)};
  }
  /// Calls the callback if the answer has come. Otherwise `courier` will be told. Returns: whether it
  /// was called.
  bool call_if_answered(const actor_ref<>& courier) {
    if (waiting_ && !reply_.asked_.woken()) return false;
    waiting_ = false;
    while (!reply_.asked_.answered()) {
      reply_.asked_.wake_courier(courier_waker(), courier);
      waiting_ = reply_.asked_.prepare_wait();
      if (waiting_) return false;
    }
    call_with(reply_.answer());
    return true;
  }
  /// The time is over. Returns: false if an answer arrives at this moment: the courier will be told.
  bool call_without_answer(ask_failure why) {
    if (waiting_ && !reply_.asked_.cancel_wait()) return false;
    waiting_ = false;
    call_with(reply_.without(why));
    return true;
  }

private:
  void call_with(std::expected<Reply, ask_error> outcome) {
    owed_ = false;
    const going_on asked{this_thread(), trace_key::of_ask(reply_.asked_.as_origin())};
    then_(std::move(outcome));
  }

  pending_reply<Reply> reply_;
  Then then_;
  bool owed_ = true;
  bool waiting_ = false;
};

/// Waits for an answer in place of a thread, calls the callback, and ends.
template <class Reply, class Then>
class answer_courier : public actor<answer_arrived> {
public:
  explicit answer_courier(promised_call<Reply, Then>&& call) noexcept : call_(std::move(call)) {}

  void pre_start(context& ctx) {
    if (call_.call_if_answered(ctx.self())) return ctx.stop();
    const duration left = call_.time_left();
    if (left <= duration{}) return finish(ctx, ask_failure::timed_out);
    const auto set = ctx.set_receive_timeout(left, *this);
    const bool too_long = !set && set.error() == scheduler_error::invalid_delay;
    if (!set && !too_long) finish(ctx, ask_failure::refused);
  }
  void receive(context& ctx, answer_arrived) {
    if (call_.call_if_answered(ctx.self())) ctx.stop();
  }
  void receive(context& ctx, const receive_timeout&) { finish(ctx, ask_failure::timed_out); }

private:
  void finish(context& ctx, ask_failure why) {
    if (call_.call_if_answered(ctx.self()) || call_.call_without_answer(why)) ctx.stop();
  }

  promised_call<Reply, Then> call_;
};

/// Builds a courier, once: it is never restarted.
template <class Reply, class Then>
struct courier_maker {
  mutable promised_call<Reply, Then> call;

  void operator()(void* storage) const {
    ::new (storage) answer_courier<Reply, Then>(std::move(call));
  }
};
template <class Reply, class Then>
inline constexpr const actor_recipe& courier_recipe =
    recipe_of<answer_courier<Reply, Then>, courier_maker<Reply, Then>>::value;

}  // namespace TACTOR_EXCEPTION_MODE
}  // namespace tactor::inline v0::internal

namespace tactor::inline v0 {

/// Calls `callback` with the answer, or why there is none: see the declaration.
template <class Reply>
template <class Then>
void pending_reply<Reply>::then(Then callback) && {
  constexpr bool fits = std::is_invocable_v<Then&, std::expected<Reply, ask_error>>;
  constexpr bool moves = std::is_nothrow_move_constructible_v<Then>;
  (void)internal::callback_check<Reply, Then, fits, moves>{};
  if constexpr (fits && moves) {
    if (!asked_) return (void)callback(std::expected<Reply, ask_error>{std::unexpected{error_}});
    internal::system_services& services = *services_;
    internal::courier_maker<Reply, Then> make{{std::move(*this), std::move(callback)}};
    (void)services.spawn({.recipe = internal::courier_recipe<Reply, Then>,
                          .arguments = &make,
                          .options = spawn_options{},
                          .if_taken = internal::spawn_request::taken_name::is_an_error,
                          .unlisted = true},
                         nullptr);
  }
}

}  // namespace tactor::inline v0
