// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/definition/delegated.hpp"
#include "tactor/core/actor/definition/handler_obstacle.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/message_traits.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <new>
#include <type_traits>
#include <utility>

// How the handler for a message is found in a class or lambda, and called. All of it happens at
// compile time; a mistake is one error with the advice in its first line.
namespace tactor::inline v0::internal {

/// The ways in which a handler takes its message.
enum class taking : std::uint8_t { by_value, by_reference, by_move };

template <class Result, class Context, taking How>
struct handler {
  using result = Result;
  using context_type = Context;
  static constexpr taking how = How;
};

// Exact types, no conversions: the message is given, and everything else is deduced from the
// overload that fits. `exactly` makes all of these equally good: where two of them fit there is no
// handler.
template <class M>
using exactly = std::type_identity_t<M>;
template <class M, class R, class C, class X>
handler<R, X, taking::by_value> fitting(R (C::*)(X&, exactly<M>));
template <class M, class R, class C, class X>
handler<R, X, taking::by_value> fitting(R (C::*)(X&, exactly<M>) const);
template <class M, class R, class C, class X>
handler<R, X, taking::by_reference> fitting(R (C::*)(X&, const exactly<M>&));
template <class M, class R, class C, class X>
handler<R, X, taking::by_reference> fitting(R (C::*)(X&, const exactly<M>&) const);
template <class M, class R, class C, class X>
handler<R, X, taking::by_move> fitting(R (C::*)(X&, exactly<M>&&));
template <class M, class R, class C, class X>
handler<R, X, taking::by_move> fitting(R (C::*)(X&, exactly<M>&&) const);

struct no_handler {
  using result = void;
};
template <class T, class M>
auto find_handler(int) -> decltype(fitting<M>(&T::receive));
template <set_of_lambdas T, class M>
auto find_handler(int) -> decltype(fitting<M>(&T::operator()));
template <class T, class M>
no_handler find_handler(long);
template <class T, class M>
using handler_of = decltype(find_handler<T, M>(0));

/// Describes the result of a handler. coroutine.hpp specialises it for tasks.
template <class Result>
struct task_traits {
  using result = Result;
  static constexpr bool is_task = false;
};

template <class Result, class Reply>
inline constexpr bool is_reply =
    std::is_same_v<Result, Reply> || std::is_same_v<Result, std::expected<Reply, failure>>;
template <class Result, class Reply>
inline constexpr bool fits_reply = is_reply<typename task_traits<Result>::result, Reply> ||
                                   std::is_same_v<Result, delegated<Reply>>;

/// Is true for a handler that is no coroutine, or takes its message by value.
template <class Found>
inline constexpr bool outlives_message =
    !task_traits<typename Found::result>::is_task || Found::how == taking::by_value;
template <>
inline constexpr bool outlives_message<no_handler> = true;

/// Is true for a handler that is no coroutine, or whose frame is aligned for its message: compilers
/// align the parts of a frame no further than `operator new` does.
template <class Found, class Message>
inline constexpr bool frame_is_aligned = !task_traits<typename Found::result>::is_task ||
                                         alignof(Message) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;

/// Is true for a handler that takes the actor's own context, or `tactor::context`.
template <class Found, class Context>
inline constexpr bool takes_context = std::is_base_of_v<typename Found::context_type, Context>;
template <class Context>
inline constexpr bool takes_context<no_handler, Context> = true;

/// The properties of an actor's handler for a message, and the mistakes in it.
template <class Actor, class Message, class Context>
struct handler_facts {
  using found = handler_of<Actor, Message>;
  static constexpr bool message_is_an_object = is_message<Message>;
  static constexpr bool exact = !std::is_same_v<found, no_handler>;
  static constexpr bool fits = !exact || fits_reply<typename found::result, reply_of<Message>>;
  static constexpr bool context_fits = takes_context<found, Context>;
  static constexpr bool by_value = outlives_message<found>;
  static constexpr bool aligned = !exact || frame_is_aligned<found, Message>;
  static constexpr bool ok =
      message_is_an_object && exact && context_fits && fits && by_value && aligned;
};

/// Gives one error for each mistake, with the names of actor and message in the line beside it. It
/// has no other members, because clang rejects the uses of a class with a failed assertion.
template <class Actor, class Message, class Context,
          bool Ok = handler_facts<Actor, Message, Context>::ok>
struct handler_check {};
template <class Actor, class Message, class Context>
struct handler_check<Actor, Message, Context, false> {
  using facts = handler_facts<Actor, Message, Context>;
  static constexpr bool message_is_an_object = facts::message_is_an_object;
  static constexpr auto why_not = facts::exact || !message_is_an_object
                                      ? handler_obstacle::none
                                      : obstacle_of<Actor, Message, Context>();
  static constexpr bool is_missing = why_not == handler_obstacle::missing;
  static constexpr bool has_receive = !is_missing || set_of_lambdas<Actor>;
  static constexpr bool has_lambda = !is_missing || !set_of_lambdas<Actor>;
  static constexpr bool only_one = why_not != handler_obstacle::two;
  static constexpr bool is_public = why_not != handler_obstacle::not_public;
  static constexpr bool takes_the_context = why_not != handler_obstacle::no_context;
  static constexpr bool leaves_message = why_not != handler_obstacle::not_const;
  static constexpr bool not_by_conversion = why_not != handler_obstacle::inexact;
  static constexpr bool context_fits = facts::context_fits || set_of_lambdas<Actor>;
  static constexpr bool lambda_context_fits = facts::context_fits || !set_of_lambdas<Actor>;
  static constexpr bool result_fits = facts::fits || !has_reply<Message>;
  static constexpr bool value_needs_reply = facts::fits || has_reply<Message>;
  static constexpr bool by_value = facts::by_value;
  static constexpr bool aligned = facts::aligned;

  static_assert(message_is_an_object, "a message is an object: no reference, no array, not const, "
                                      "with a destructor that does not throw");
  static_assert(has_receive,
                "no handler: give the actor a public receive(context&, const Message&) "
                "or receive(context&, Message)");
  static_assert(has_lambda,
                "no handler: give the behaviour a lambda [](context&, const Message&) or "
                "[](context&, Message)");
  static_assert(only_one,
                "two handlers for this message: keep the one that takes const Message& or "
                "the one that takes Message");
  static_assert(is_public, "the handler is private: make receive(context&, const Message&) public");
  static_assert(takes_the_context, "the handler lacks the context: write receive(context&, const "
                                   "Message&)");
  static_assert(leaves_message, "the handler takes its message by a reference that is not const: "
                                "write const Message&, or Message to change a copy");
  static_assert(not_by_conversion,
                "receive() takes this message only by conversion or as a template: write "
                "receive(context&, const Message&) or receive(context&, Message)");
  static_assert(context_fits, "receive() takes the context of another actor: write context& or "
                              "tactor::context&");
  static_assert(lambda_context_fits,
                "the lambda takes the context of another actor: write tactor::context& (inside of "
                "an actor class, `context` alone is the context of that class)");
  static_assert(result_fits, "receive() must return Message::reply, expected<Message::reply, "
                             "failure>, a task of either, or delegated<Message::reply>");
  static_assert(value_needs_reply,
                "receive() returns a value, but the message declares no `using reply = ...;`");
  static_assert(by_value,
                "a coroutine handler takes its message by value: a reference dangles after "
                "the first co_await");
  static_assert(aligned,
                "the frame of a coroutine is not aligned for this message: let it hold its "
                "over-aligned part in a unique_ptr, or handle it without a coroutine");
};

/// Turns the value of a handler into a result, and sends the answer if the message can be asked.
template <class Reply, bool Asked, class Call>
// The branches are decided at compile time.
// NOLINTNEXTLINE(readability-function-cognitive-complexity)
call_result settle(envelope& e, failure& why, Call&& call) {
  using result = decltype(call());
  if constexpr (task_traits<result>::is_task) {
    return task_traits<result>::template start<Reply, Asked>(call(), e, why);
  } else if constexpr (std::is_same_v<result, delegated<Reply>>) {
    (void)call();
  } else if constexpr (std::is_same_v<result, Reply>) {
    if constexpr (std::is_void_v<Reply>) {
      call();
      if constexpr (Asked) acknowledge(e);
    } else {
      answer<Reply>(e, call());
    }
  } else {
    result said = call();
    if (!said) {
      why = std::move(said.error());
      return call_result::failed;
    }
    if constexpr (std::is_void_v<Reply>) {
      if constexpr (Asked) acknowledge(e);
    } else {
      answer<Reply>(e, std::move(*said));
    }
  }
  return call_result::done;
}

/// Calls the handler of `actor` with the message in `e`.
template <class Actor, class Message, class Context>
call_result call_handler(Actor& actor, Context& ctx, envelope& e, failure& why) {
  auto* const at = reinterpret_cast<std::byte*>(&e) + payload_offset(alignof(Message));
  Message& message = *std::launder(reinterpret_cast<Message*>(at));
  constexpr taking how = handler_of<Actor, Message>::how;
  return settle<reply_of<Message>, has_reply<Message>>(e, why, [&]() -> decltype(auto) {
    if constexpr (set_of_lambdas<Actor> && how == taking::by_reference) {
      return actor(ctx, std::as_const(message));
    } else if constexpr (set_of_lambdas<Actor>) {
      return actor(ctx, std::move(message));
    } else if constexpr (how == taking::by_reference) {
      return actor.receive(ctx, std::as_const(message));
    } else {
      return actor.receive(ctx, std::move(message));
    }
  });
}

}  // namespace tactor::inline v0::internal
