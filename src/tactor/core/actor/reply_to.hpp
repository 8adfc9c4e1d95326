// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/context.hpp"
#include "tactor/core/actor/definition/delegated.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/send/answer.hpp"

#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

/// The obligation to answer a message later, from any handler. If it is dropped without an answer,
/// the ask fails: with `no_reply`, or with `target_terminated` if it ends with its actor.
///
///     tactor::delegated<int> receive(context& ctx, const quote&) {
///       waiting_ = ctx.reply_later<int>();
///       return waiting_.as_delegated();
///     }
template <class Reply>
class reply_to {
  using answer = std::conditional_t<std::is_void_v<Reply>, internal::acknowledged, Reply>;

public:
  /// Makes no obligation.
  reply_to() noexcept = default;
  /// For the runtime: the obligation to answer `from`.
  explicit reply_to(internal::origin from) noexcept : from_(from) {}
  reply_to(reply_to&& other) noexcept : from_(std::exchange(other.from_, {})) {}
  reply_to& operator=(reply_to&& other) noexcept {
    reply_to before{std::exchange(from_, std::exchange(other.from_, {}))};
    return *this;
  }
  reply_to(const reply_to&) = delete;
  reply_to& operator=(const reply_to&) = delete;
  ~reply_to() { internal::abandon_reply(internal::this_thread(), from_); }

  /// Returns: true if an ask waits for the answer.
  [[nodiscard]] explicit operator bool() const noexcept {
    return from_.what() == internal::origin::kind::reply_slot;
  }

  /// Answers, if an ask waits. A second answer is discarded. Converts like `return` in a handler.
  void send(answer value)
    requires(!std::is_void_v<Reply>)
  {
    const internal::origin to = std::exchange(from_, {});
    if (to.what() == internal::origin::kind::reply_slot)
      internal::answer_reply_slot<Reply>(to, std::move(value));
  }
  /// Acknowledges, if an ask waits.
  void send()
    requires std::is_void_v<Reply>
  {
    const internal::origin to = std::exchange(from_, {});
    if (to.what() == internal::origin::kind::reply_slot)
      internal::answer_reply_slot<answer>(to, answer{});
  }

  /// Ends the ask with an error, if one waits: with what an ask of this actor failed with, for
  /// example.
  void fail(ask_failure why) noexcept {
    internal::refuse_answer(internal::this_thread(), std::exchange(from_, {}), why);
  }

  /// Returns: the result of the handler that keeps the obligation.
  [[nodiscard]] delegated<Reply> as_delegated() const noexcept { return delegated<Reply>::made(); }

private:
  internal::origin from_;
};

template <class Reply>
reply_to<Reply> context::reply_later() const noexcept {
  return reply_to<Reply>{pass_on_current()};
}

}  // namespace tactor::inline v0
