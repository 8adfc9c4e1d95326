// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <expected>
#include <type_traits>

// How an actor's hooks are found and called. actor.hpp documents the hooks.
namespace tactor::inline v0::internal {

// For each hook: how it is called; whether the name refers to a single member; a class that has a
// member of that name.

struct pre_start_hook {
  static constexpr auto call = [](auto& actor, auto& ctx) -> decltype(actor.pre_start(ctx)) {
    return actor.pre_start(ctx);
  };
  template <class Class>
  static constexpr bool leads_to_one = requires { &Class::pre_start; };
  struct namesake {
    int pre_start;
  };
};
struct post_stop_hook {
  static constexpr auto call = [](auto& actor, auto& ctx) -> decltype(actor.post_stop(ctx)) {
    return actor.post_stop(ctx);
  };
  template <class Class>
  static constexpr bool leads_to_one = requires { &Class::post_stop; };
  struct namesake {
    int post_stop;
  };
};
struct pre_restart_hook {
  static constexpr auto call = [](auto& actor, auto& ctx, const failure& because)
      -> decltype(actor.pre_restart(ctx, because)) { return actor.pre_restart(ctx, because); };
  template <class Class>
  static constexpr bool leads_to_one = requires { &Class::pre_restart; };
  struct namesake {
    int pre_restart;
  };
};
struct post_restart_hook {
  static constexpr auto call = [](auto& actor, auto& ctx, const failure& because)
      -> decltype(actor.post_restart(ctx, because)) { return actor.post_restart(ctx, because); };
  template <class Class>
  static constexpr bool leads_to_one = requires { &Class::post_restart; };
  struct namesake {
    int post_restart;
  };
};

/// Tells whether a class has a member with the name of the hook, public or not, overloaded or not:
/// then the name is ambiguous in a class that also derives from `namesake`. (Of a final class:
/// public members.)
template <class Actor, class Hook, bool IsFinal = std::is_final_v<Actor>>
struct names_hook {
  struct both : Actor, Hook::namesake {};
  static constexpr bool value = !Hook::template leads_to_one<both>;
};
template <class Actor, class Hook>
struct names_hook<Actor, Hook, true> {
  static constexpr bool value = Hook::template leads_to_one<Actor>;
};

template <class Said>
inline constexpr bool is_said_by_hook =
    std::is_void_v<Said> || std::is_same_v<Said, std::expected<void, failure>>;

/// Returns: true if the hook can be called with the right arguments and result.
template <class Actor, class Hook, class... Given>
consteval bool has_hook() noexcept {
  if constexpr (std::is_invocable_v<decltype(Hook::call), Actor&, Given...>) {
    return is_said_by_hook<std::invoke_result_t<decltype(Hook::call), Actor&, Given...>>;
  } else {
    return false;
  }
}
template <class Actor, class Hook>
inline constexpr bool has_start_hook = has_hook<Actor, Hook, typename Actor::context&>();
template <class Actor, class Hook>
inline constexpr bool has_restart_hook =
    has_hook<Actor, Hook, typename Actor::context&, const failure&>();

/// Gives one error for a hook that would never be called.
template <class Actor, class Hook, bool CanBeCalled>
struct hook_check {
  static constexpr bool is_called = CanBeCalled || !names_hook<Actor, Hook>::value;
  static_assert(is_called,
                "this hook is never called: it must be public, and one of pre_start(context&), "
                "post_stop(context&), pre_restart(context&, const tactor::failure&), "
                "post_restart(context&, const tactor::failure&), that returns nothing or "
                "std::expected<void, tactor::failure>");
};
template <class Actor, class Hook>
using start_hook_check = hook_check<Actor, Hook, has_start_hook<Actor, Hook>>;
template <class Actor, class Hook>
using restart_hook_check = hook_check<Actor, Hook, has_restart_hook<Actor, Hook>>;

/// Calls a hook, and stores its failure.
template <class Hook, class Actor, class... Given>
call_result call_hook(failure& why, Actor& actor, Given&... given) {
  if constexpr (std::is_void_v<decltype(Hook::call(actor, given...))>) {
    Hook::call(actor, given...);
  } else {
    std::expected<void, failure> said = Hook::call(actor, given...);
    if (!said) {
      why = said.error();
      return call_result::failed;
    }
  }
  return call_result::done;
}

}  // namespace tactor::inline v0::internal
