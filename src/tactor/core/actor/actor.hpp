// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/exceptions.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/actor/definition/decide_by.hpp"  // IWYU pragma: keep (for its users)
#include "tactor/core/actor/definition/guard.hpp"
#include "tactor/core/actor/definition/handler.hpp"
#include "tactor/core/actor/definition/hooks.hpp"
#include "tactor/core/actor/definition/unlisted_handler.hpp"
#include "tactor/core/actor/spawning.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/life/death_watch.hpp"
#include "tactor/core/life/receive_timeout.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/message/type_identity.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/tell_result.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <array>
#include <cstddef>
#include <expected>
#include <new>  // IWYU pragma: keep (placement new)
#include <span>
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

/// Base of every actor class: it lists the messages the actor takes, and has no members. For each
/// message the class has a public `receive(context&, const M&)` or `receive(context&, M)` that
/// returns `M::reply`.
///
///     class pricing : public tactor::actor<quote> {
///     public:
///       int receive(context&, const quote& q) { return price_of(q.item); }
///     };
///
/// A class may have hooks, each of which may return `expected<void, failure>`:
///
///     void pre_start(context&);                      // before the first message
///     void post_stop(context&);                      // after the last message
///     void pre_restart(context&, const failure&);    // on the failed instance, before its end;
///                                                    // by default stops its children, post_stop
///     void post_restart(context&, const failure&);   // on the instance that replaces it;
///                                                    // by default pre_start
///
/// and handlers for notifications of the runtime, which are not in the list, so that no sender can
/// send them: `receive(context&, const terminated&)`, `receive(context&, const receive_timeout&)`.
template <class... Messages>
class actor {
public:
  using context = actor_context<Messages...>;
  using ref = actor_ref<Messages...>;
  using message_types = message_list<Messages...>;
};

namespace internal {

/// Is true for an actor that has a handler for a notification of the runtime.
template <class Actor, class Told>
struct handles_notification
    : std::bool_constant<handler_facts<Actor, Told, typename Actor::context>::exact> {};

/// Returns: true if the message identities of one actor are distinct, so that no two types are
/// confused.
template <class... Messages>
consteval bool distinct() noexcept {
  constexpr std::array<const type_identity*, sizeof...(Messages)> ids{&identity_of<Messages>...};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (std::size_t j = i + 1; j < ids.size(); ++j)
      if (ids[i]->hash == ids[j]->hash && ids[i]->key == ids[j]->key) return false;
  }
  return true;
}

inline namespace TACTOR_EXCEPTION_MODE {

/// The runtime's description of an actor class, made by the compiler.
template <class Actor, class List = typename Actor::message_types>
struct actor_definition;

/// Describes a class that lists its messages.
template <class Actor, class... Messages>
struct actor_definition<Actor, message_list<Messages...>> {
  using context_type = typename Actor::context;

  static constexpr bool ok = (handler_facts<Actor, Messages, context_type>::ok & ... & true);
  static constexpr bool handles_unlisted = [] {
    if constexpr (ok) {
      return internal::handles_unlisted<Actor, context_type, Messages...>();
    } else {
      return false;  // the other mistakes first
    }
  }();
  /// Instantiated with the class, so that every mistake is reported before anything else.
  using checked =
      std::integral_constant<std::size_t,
                             (sizeof(handler_check<Actor, Messages, context_type>) + ... + 0) +
                                 sizeof(unlisted_handler_check<Actor, handles_unlisted>) +
                                 sizeof(start_hook_check<Actor, pre_start_hook>) +
                                 sizeof(start_hook_check<Actor, post_stop_hook>) +
                                 sizeof(restart_hook_check<Actor, pre_restart_hook>) +
                                 sizeof(restart_hook_check<Actor, post_restart_hook>)>;

  /// See `actor_type::receive`.
  static call_result receive(void* actor, context& ctx, envelope& e, failure& why) noexcept {
    if constexpr (ok) {
      return guarded(why, [&] {
        auto& self = *static_cast<Actor*>(actor);
        auto& typed = static_cast<context_type&>(ctx);
        call_result result = call_result::unhandled;
        const bool found = ((e.operations == &operations_of<Messages> &&
                             (result = call_handler<Actor, Messages>(self, typed, e, why), true)) ||
                            ...);
        if (!found) [[unlikely]]
          result = receive_by_identity(self, typed, e, why);
        return result;
      });
    } else {
      return call_result::unhandled;  // a stub: the mistake was reported
    }
  }

  /// See `actor_type::pre_start`, `post_stop`. Null if the class has none.
  template <class Hook>
  static constexpr auto start_hook() noexcept -> decltype(actor_type::pre_start) {
    if constexpr (has_start_hook<Actor, Hook>) {
      return [](void* actor, context& ctx, failure& why) noexcept {
        return guarded(why, [&] {
          return call_hook<Hook>(why, *static_cast<Actor*>(actor), static_cast<context_type&>(ctx));
        });
      };
    } else {
      return nullptr;
    }
  }
  /// See `actor_type::pre_restart`, `post_restart`. Null if the class has none.
  template <class Hook>
  static constexpr auto restart_hook() noexcept -> decltype(actor_type::pre_restart) {
    if constexpr (has_restart_hook<Actor, Hook>) {
      return [](void* actor, context& ctx, const failure& because, failure& why) noexcept {
        return guarded(why, [&] {
          return call_hook<Hook>(why, *static_cast<Actor*>(actor), static_cast<context_type&>(ctx),
                                 because);
        });
      };
    } else {
      return nullptr;
    }
  }

  /// Returns: the messages that the actor takes.
  static constexpr std::span<const message_operations* const> messages() noexcept {
    if constexpr (ok) {
      return operations_list<Messages...>;
    } else {
      return {};
    }
  }

  static constexpr actor_type type{.receive = receive,
                                   .pre_start = start_hook<pre_start_hook>(),
                                   .post_stop = start_hook<post_stop_hook>(),
                                   .pre_restart = restart_hook<pre_restart_hook>(),
                                   .post_restart = restart_hook<post_restart_hook>(),
                                   .messages = messages(),
                                   .instance = contents::of_object<Actor>(identity_of<Actor>)};

private:
  /// Handles notifications, and messages from another shared library or from a unit with other
  /// settings.
  [[gnu::noinline]] static call_result receive_by_identity(Actor& self, context_type& ctx,
                                                           envelope& e, failure& why) {
    // NOLINTNEXTLINE(misc-const-correctness): an actor without messages never writes it
    call_result result = call_result::unhandled;
    const bool found = ((same_type(*e.operations, operations_of<Messages>) &&
                         (result = call_handler<Actor, Messages>(self, ctx, e, why), true)) ||
                        ...);
    if (found) return result;  // also a notification that the class lists
    if constexpr (handles_notification<Actor, terminated>::value) {
      if (same_type(*e.operations, operations_of<terminated>))
        result = call_handler<Actor, terminated>(self, ctx, e, why);
    }
    if constexpr (handles_notification<Actor, receive_timeout>::value) {
      if (same_type(*e.operations, operations_of<receive_timeout>))
        result = call_handler<Actor, receive_timeout>(self, ctx, e, why);
    }
    return result;
  }

  static constexpr bool is_distinct = distinct<Messages...>();
  static_assert(is_distinct,
                "two messages of this actor have the same identity: list each one once, "
                "or give one a type_name of its own");
};

/// Describes to the runtime a `Maker`, which builds an `Actor` in the storage passed to it.
template <class Actor, class Maker>
struct recipe_of {
  static constexpr bool moves = std::is_nothrow_move_constructible_v<Maker>;
  static constexpr bool keeps_nothing =
      std::is_empty_v<Maker> && std::is_default_constructible_v<Maker>;

  /// See `actor_recipe::construct`.
  static call_result construct(const void* kept, void* storage, cell& of, failure& why) noexcept {
    return guarded(why, [&] {
      if constexpr (keeps_nothing) {
        Maker{}(storage);
      } else {
        (*static_cast<const Maker*>(kept))(storage);
      }
      ::new (static_cast<void*>(&of.ctx)) typename Actor::context(of);
      return call_result::done;
    });
  }
  /// See `actor_recipe::keep`.
  static void keep(void* from, void* storage) noexcept {
    ::new (storage) Maker(std::move(*static_cast<Maker*>(from)));
  }

  static constexpr actor_recipe value{.type = &actor_definition<Actor>::type,
                                      .construct = construct,
                                      .keep = keeps_nothing ? nullptr : keep,
                                      .arguments = contents::of_object<Maker>()};

  static_assert(moves, "what is kept to build an actor must move without throwing");
};

/// Spawned in place of a mistake that was reported. It takes every message, so that no further
/// errors follow.
struct mistaken_spawn {
  /// Accepts every message, so that no second error follows.
  struct ref : actor_ref<> {
    using actor_ref<>::actor_ref;
    /// Sends nothing.
    template <class... Message, class... Parts>
    tell_result tell(Parts&&...) const;
    /// Sends nothing.
    template <class Message>
    std::expected<void, refusal<Message>> try_tell(Message) const;
    template <class... Messages>
    operator actor_ref<Messages...>() const;
  };
  /// Stores nothing.
  template <class... Given>
  static int keep(Given&&...) {
    return 0;
  }
  static constexpr actor_recipe recipe{};
};

/// Spawns an actor of a class.
template <class Actor, class... Arguments>
struct class_spawn {
  using actor_class = Actor;
  using ref = typename Actor::ref;
  using checked = typename actor_definition<Actor>::checked;
  static constexpr bool buildable = std::is_constructible_v<Actor, const Arguments&...>;

  /// Stores the arguments in a callable that builds the actor.
  template <class... Given>
  static auto keep(Given&&... given) {
    if constexpr (!buildable) {
      return [](void*) {};  // a stub: the mistake was reported
    } else if constexpr (sizeof...(Given) == 0) {
      return [](void* storage) { ::new (storage) Actor(); };
    } else {
      return [... kept = Arguments(std::forward<Given>(given))](void* storage) {
        ::new (storage) Actor(kept...);
      };
    }
  }
  static constexpr const actor_recipe& recipe =
      recipe_of<Actor, decltype(keep(std::declval<Arguments>()...))>::value;

  static_assert(buildable, "the actor cannot be built from these arguments (they are kept for "
                           "restarts: passed as const&); a factory takes what cannot be copied: "
                           "spawn(name, [] { return Actor{...}; })");
};
template <class Class, class... Arguments>
  requires(!is_actor_class<Class>)
struct class_spawn<Class, Arguments...> : mistaken_spawn {
  static_assert(is_actor_class<Class>,
                "this class is no actor: derive it from tactor::actor<Messages...>, publicly");
};

}  // namespace TACTOR_EXCEPTION_MODE
}  // namespace internal
}  // namespace tactor::inline v0
