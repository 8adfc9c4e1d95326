// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/definition/hooks.hpp"
#include "tactor/core/send/message_traits.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>

// Why no handler for a message was found: evaluated only after a mistake, for the text of the
// error.
namespace tactor::inline v0::internal {

/// Is true for lambdas in place of a class with `receive`: their call operators are the handlers.
template <class T>
concept set_of_lambdas = requires { typename T::lambdas; };

template <class T, class C, class M>
concept takes_somehow = requires(T& actor, C& ctx, M m) {
  actor.receive(ctx, std::forward<M>(m));
} || (set_of_lambdas<T> && requires(T& actor, C& ctx, M m) { actor(ctx, std::forward<M>(m)); });
template <class T, class C, class M>
concept takes_without_context = requires(T& actor, M m) {
  actor.receive(std::move(m));
} || requires(T& actor, C& ctx, M m) { actor.receive(std::move(m), ctx); };
template <class P, class R, class C, class X>
void taking_just(R (C::*)(X&, std::type_identity_t<P>));
template <class P, class R, class C, class X>
void taking_just(R (C::*)(X&, std::type_identity_t<P>) const);
template <class T, class P>
concept takes_just = requires { taking_just<P>(&T::receive); } ||
                     (set_of_lambdas<T> && requires { taking_just<P>(&T::operator()); });

/// Converts to each context that a handler may take, so that none of them fits better.
template <class Context>
struct any_context_of {
  template <class T>
    requires std::is_base_of_v<T, Context>
  operator T&() const;
};

/// Converts to both messages and to nothing else.
template <class One, class Other>
struct either {
  template <class T>
    requires(std::is_same_v<T, One> || std::is_same_v<T, Other>)
  operator T() const;
};
struct receive_name {
  template <class Class>
  static constexpr bool leads_to_one = requires { &Class::receive; };
  struct namesake {
    int receive;
  };
};
/// Returns: true if a class has a `receive` for `M` that is not public. Requires: none that is
/// public. Beside a public one for another message, a call that fits both is ambiguous.
template <class T, class C, class M, class... Listed>
consteval bool hides_handler(message_list<Listed...>) noexcept {
  if constexpr ((takes_somehow<T, C, Listed> || ...)) {
    return (
        (takes_somehow<T, C, Listed> && !takes_somehow<T, any_context_of<C>, either<M, Listed>>) ||
        ...);
  } else {
    return names_hook<T, receive_name>::value && !receive_name::leads_to_one<T>;
  }
}

/// Names the reason why no handler for a message was found.
enum class handler_obstacle : std::uint8_t {
  none,
  missing,
  two,
  not_public,
  no_context,
  not_const,
  inexact
};
template <class T, class M, class C>
consteval handler_obstacle obstacle_of() noexcept {
  if (takes_just<T, M> + takes_just<T, const M&> + takes_just<T, M&&> > 1)
    return handler_obstacle::two;
  if (takes_somehow<T, C, M>) return handler_obstacle::inexact;
  if (takes_somehow<T, C, M&>) return handler_obstacle::not_const;
  if (takes_without_context<T, C, M>) return handler_obstacle::no_context;
  if constexpr (set_of_lambdas<T>) {
    return T::template lambdas_for<M> > 1 ? handler_obstacle::two : handler_obstacle::missing;
  } else {
    return hides_handler<T, C, M>(typename T::message_types{}) ? handler_obstacle::not_public
                                                               : handler_obstacle::missing;
  }
}

}  // namespace tactor::inline v0::internal
