// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/exceptions.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/asking.hpp"
#include "tactor/core/actor/unlisted_actor.hpp"
#include "tactor/core/ask/pending_asks.hpp"
#include "tactor/core/ask/thread_ask.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <chrono>
#include <cstdint>
#include <expected>
#include <new>  // IWYU pragma: keep (placement new)
#include <type_traits>
#include <utility>

namespace tactor::inline v0::internal {

/// Gives one error for each mistake with a callback.
template <class Reply, class Then, bool Fits, bool Moves>
struct callback_check {
  static_assert(Fits, "a callback is a lambda like [](std::expected<Message::reply, ask_error>) "
                      "{...}");
  static_assert(Moves, "a callback must move without throwing: it is kept until the answer comes");
};

inline namespace TACTOR_EXCEPTION_MODE {

/// A pending answer and the callback that gets it, exactly once. It is the continuation of the
/// courier.
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
    failure ignored;
    (void)guarded(ignored, [this] {
      if (!call_if_answered()) call_without_answer(ask_failure::would_never_answer);
      return call_result::done;
    });
  }

  /// Returns: the ask. Requires: no courier has taken it over.
  [[nodiscard]] thread_ask& asked() noexcept { return reply_.asked_; }
  /// Returns: the longest time that is left to wait.
  [[nodiscard]] duration time_left() const noexcept {
    const std::uint64_t now_ns = reply_.driver_->time_ns();
    const std::uint64_t left_ns = reply_.until_ns_ > now_ns ? reply_.until_ns_ - now_ns : 0;
    constexpr std::uint64_t most = duration::max().nanoseconds();
    return std::chrono::nanoseconds{static_cast<std::int64_t>(left_ns < most ? left_ns : most)};
  }
  /// Calls the callback if the answer has come to the thread's ask. Returns: true if it was called.
  bool call_if_answered() {
    if (!reply_.asked_.answered()) return false;
    call_with(reply_.answer());
    return true;
  }
  void call_without_answer(ask_failure why) { call_with(reply_.without(why)); }

  /// See `continuation_operations::run`.
  static call_result run(void* then, context& ctx, envelope* answer, const ask_error* without,
                         failure& why) noexcept {
    return guarded(why, [&] {
      auto& call = *static_cast<promised_call*>(then);
      ctx.stop();
      if (answer == nullptr) {
        call.call_without_answer(without->kind);
      } else if constexpr (std::is_void_v<Reply>) {
        call.call_with({});
      } else {
        call.call_with(std::expected<Reply, ask_error>{
            std::in_place, std::move(*static_cast<Reply*>(payload_of(*answer)))});
      }
      return call_result::done;
    });
  }
  static constexpr continuation_operations as_continuation{
      .run = run, .object = contents::of_object<promised_call>()};

private:
  void call_with(std::expected<Reply, ask_error> outcome) {
    owed_ = false;
    then_(std::move(outcome));
  }

  pending_reply<Reply> reply_;
  Then then_;
  bool owed_ = true;
};

/// Takes over the ask of a thread, with the callback as its continuation, and ends.
template <class Reply, class Then>
class answer_courier : public actor<> {
public:
  using call_type = promised_call<Reply, Then>;

  explicit answer_courier(call_type&& call) noexcept : call_(std::move(call)) {}

  void pre_start(context& ctx) {
    if (call_.call_if_answered()) return ctx.stop();
    const duration left = call_.time_left();
    if (left <= duration{}) return finish(ctx, ask_failure::timed_out);
    const actor_ref<> self = ctx.self();
    const adopted_ask taken =
        adopt_ask(this_thread(), *self.slot(), call_.asked(), left, call_type::as_continuation);
    switch (taken.went) {
    case adoption::adopted:
      ::new (taken.then) call_type(std::move(call_));
      return;
    case adoption::answered:
      call_.asked().await_settled();
      return finish(ctx, ask_failure::timed_out);
    case adoption::refused:
      return finish(ctx, ask_failure::refused);
    }
  }

private:
  void finish(context& ctx, ask_failure why) {
    if (!call_.call_if_answered()) call_.call_without_answer(why);
    ctx.stop();
  }

  call_type call_;
};

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
    using call = internal::promised_call<Reply, Then>;
    internal::unlisted_actor<internal::answer_courier<Reply, Then>, call> courier{
        {std::move(*this), std::move(callback)}};
    (void)courier.spawn(services);
  }
}

}  // namespace tactor::inline v0
