// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/exceptions.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/send/actor_ref.hpp"

#include <expected>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

namespace internal {

// How classes and lambdas become actors; see actor.hpp.
inline namespace TACTOR_EXCEPTION_MODE {
template <class Actor, class... Arguments>
struct class_spawn;
template <class Callable>
struct callable_spawn;
}  // namespace TACTOR_EXCEPTION_MODE

}  // namespace internal

/// Spawning actors: `Self` has `spawn_cell`, and may have a template `spawn_check`, whose instance
/// for a kind of actor asserts what such a system needs.
///
/// The arguments are kept and passed as `const&`, so that a restart can build the actor anew.
/// `spawn` always returns a reference: a taken name gets a suffix, and if no actor can be made the
/// reference is empty, as if the actor had stopped at once. `try_spawn` returns the reason instead.
template <class Self>
class spawning {
public:
  /// Spawns an actor of a user's class: `spawn<shop>("shop", prices)`.
  template <class Actor, class... Arguments>
  auto spawn(std::string_view name, Arguments&&... arguments) const {
    using how = internal::class_spawn<Actor, std::decay_t<Arguments>...>;
    return always<how>(name, how::keep(std::forward<Arguments>(arguments)...));
  }
  /// Spawns an actor with options besides the name.
  template <class Actor, class... Arguments>
  auto spawn(const spawn_options& options, Arguments&&... arguments) const {
    using how = internal::class_spawn<Actor, std::decay_t<Arguments>...>;
    return always<how>(options, how::keep(std::forward<Arguments>(arguments)...));
  }
  /// Like `spawn`, but returns why there is no actor.
  template <class Actor, class... Arguments>
  [[nodiscard]] auto try_spawn(std::string_view name, Arguments&&... arguments) const {
    using how = internal::class_spawn<Actor, std::decay_t<Arguments>...>;
    return perhaps<how>(name, how::keep(std::forward<Arguments>(arguments)...));
  }
  /// Like `spawn`, but returns why there is no actor.
  template <class Actor, class... Arguments>
  [[nodiscard]] auto try_spawn(const spawn_options& options, Arguments&&... arguments) const {
    using how = internal::class_spawn<Actor, std::decay_t<Arguments>...>;
    return perhaps<how>(options, how::keep(std::forward<Arguments>(arguments)...));
  }

  /// Spawns an actor made of a lambda, whose message is its parameter's type; of a `behaviour`; or
  /// of a factory, which takes nothing and returns an actor.
  template <class Callable>
  auto spawn(std::string_view name, Callable&& callable) const {
    using how = internal::callable_spawn<std::decay_t<Callable>>;
    return always<how>(name, how::keep(std::forward<Callable>(callable)));
  }
  /// Spawns an actor with options besides the name.
  template <class Callable>
  auto spawn(const spawn_options& options, Callable&& callable) const {
    using how = internal::callable_spawn<std::decay_t<Callable>>;
    return always<how>(options, how::keep(std::forward<Callable>(callable)));
  }
  /// Like `spawn`, but returns why there is no actor.
  template <class Callable>
  [[nodiscard]] auto try_spawn(std::string_view name, Callable&& callable) const {
    using how = internal::callable_spawn<std::decay_t<Callable>>;
    return perhaps<how>(name, how::keep(std::forward<Callable>(callable)));
  }
  /// Like `spawn`, but returns why there is no actor.
  template <class Callable>
  [[nodiscard]] auto try_spawn(const spawn_options& options, Callable&& callable) const {
    using how = internal::callable_spawn<std::decay_t<Callable>>;
    return perhaps<how>(options, how::keep(std::forward<Callable>(callable)));
  }

protected:
  spawning() = default;
  ~spawning() = default;

private:
  using taken_name = internal::spawn_request::taken_name;

  // `Options`: a name, or options with a name.

  template <class How, class Options, class Kept>
  typename How::ref always(const Options& options, Kept kept) const {
    (void)&How::recipe;  // here first: the compiler explains a mistake in the class with fewer
                         // lines
    const auto made = make<How>(options, &kept, taken_name::gets_a_suffix);
    if (!made) return {};
    return *made;
  }
  template <class How, class Options, class Kept>
  std::expected<typename How::ref, spawn_error> perhaps(const Options& options, Kept kept) const {
    (void)&How::recipe;  // likewise
    return make<How>(options, &kept, taken_name::is_an_error);
  }
  // Out of line: the options are large, and in the frame of a board's `main` they would take stack
  // for as long as the system runs.
  template <class How>
  [[gnu::noinline]] std::expected<typename How::ref, spawn_error>
  make(std::string_view name, void* kept, taken_name if_taken) const {
    return make<How>(internal::named(name), kept, if_taken);
  }
  template <class How>
  [[gnu::noinline]] std::expected<typename How::ref, spawn_error>
  make(const spawn_options& options, void* kept, taken_name if_taken) const {
    if constexpr (requires { typename Self::template spawn_check<How>; })
      (void)typename Self::template spawn_check<How>{};
    const auto made = static_cast<const Self&>(*this).spawn_cell(
        {.recipe = How::recipe, .arguments = kept, .options = options, .if_taken = if_taken});
    if (!made) return std::unexpected{made.error()};
    return typename How::ref{made->slot(), made->generation()};
  }
};

}  // namespace tactor::inline v0
