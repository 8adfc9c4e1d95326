// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/exceptions.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/actor/definition/hooks.hpp"
#include "tactor/core/actor/spawning.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <concepts>
#include <expected>
#include <new>  // IWYU pragma: keep (placement new)
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

template <class... Messages>
class behaviour;

/// The context of an actor that is a behaviour.
template <class... Messages>
class behaviour_context : public actor_context<Messages...>,
                          public continuing<behaviour_context<Messages...>> {
public:
  using actor_context<Messages...>::actor_context;

  /// From the next message on the actor uses `next`. Returns: false, and nothing changes, if `next`
  /// is empty, because there was no memory for its handlers.
  bool become(behaviour<Messages...> next) noexcept;

  /// See `context::set_receive_timeout`. The current behaviour's lambda for
  /// `const tactor::receive_timeout&` is called; if it has none, the notification is a dead letter.
  std::expected<void, scheduler_error> set_receive_timeout(duration timeout) noexcept {
    return this->start_receive_timeout(timeout);
  }

  using continuing<behaviour_context>::ask;
  using awaiting<tactor::context>::ask;
};

namespace internal {

/// Names the message that a lambda handles: its second parameter.
template <class R, class C, class X, class M>
std::remove_cvref_t<M> message_of(R (C::*)(X&, M));
template <class R, class C, class X, class M>
std::remove_cvref_t<M> message_of(R (C::*)(X&, M) const);
template <class R, class C, class X, class M>
X context_of(R (C::*)(X&, M));
template <class R, class C, class X, class M>
X context_of(R (C::*)(X&, M) const);

template <class Lambda>
concept names_its_message = requires { message_of(&Lambda::operator()); };

/// Makes one object of lambdas.
template <class Context, class... Lambdas>
struct lambda_set : Lambdas... {
  using context = Context;
  using lambdas = message_list<Lambdas...>;
  using Lambdas::operator()...;
  template <class Message>
  static constexpr int lambdas_for =
      (std::is_same_v<decltype(message_of(&Lambdas::operator())), Message> + ...);
};

/// Gives one error for each mistake with the lambdas of a behaviour.
template <bool NameTheirMessages, bool CanBeCopied, class... Lambdas>
struct lambdas_check {
  static_assert(NameTheirMessages,
                "a handler is a lambda like [](tactor::context&, const Message&) "
                "{...}; `auto` parameters name no message");
  static_assert(CanBeCopied,
                "the handlers of a behaviour must be copyable: the actor may have to be "
                "built anew");
};

/// The operations on the handlers of a behaviour, whose types it does not know.
struct behaviour_operations {
  const actor_type* type;
  void (*copy)(const void* from, void* storage);
};

/// A block in which an object is built that may throw: then the block is freed.
class block_in_use {
public:
  explicit block_in_use(const message_operations& what)
      : what_(what), storage_(new_block(this_thread(), what)) {}
  ~block_in_use() {
    if (storage_ != nullptr) free_block(this_thread(), storage_, what_);
  }
  block_in_use(const block_in_use&) = delete;
  block_in_use& operator=(const block_in_use&) = delete;

  /// Returns: the block; null if there is no memory.
  [[nodiscard]] void* storage() const noexcept { return storage_; }
  /// Releases the block: the object built in it lives there from now on.
  [[nodiscard]] void* keep() noexcept { return std::exchange(storage_, nullptr); }

private:
  const message_operations& what_;
  void* storage_;
};

}  // namespace internal

/// The current handlers of an actor: one lambda for each message. Its context has `become`, to use
/// other handlers from the next message on.
///
///     using turnstile = tactor::behaviour<coin, push>;
///     turnstile locked() {
///       return {[](turnstile::context& ctx, coin) { ctx.become(unlocked()); },
///               [](tactor::context&, push) { return false; }};
///     }
///     auto gate = system.spawn("gate", locked());
///
/// The lambdas must be copyable: a restart builds the actor anew. They are stored in a block of the
/// runtime's memory; without memory the behaviour is empty.
template <class... Messages>
// NOLINTNEXTLINE(cppcoreguidelines-special-member-functions): one assignment, by value, is both
class behaviour {
public:
  using context = behaviour_context<Messages...>;
  using ref = actor_ref<Messages...>;
  using message_types = message_list<Messages...>;

  /// Makes an empty behaviour.
  behaviour() noexcept = default;
  /// Makes a behaviour of one lambda for each message, in any order.
  template <class... Lambdas>
    requires(sizeof...(Lambdas) > 0 &&
             !(std::same_as<std::remove_cvref_t<Lambdas>, behaviour> || ...))
  behaviour(Lambdas... lambdas) {  // implicit: a behaviour is its lambdas
    constexpr bool named = (internal::names_its_message<Lambdas> && ...);
    constexpr bool copyable = (std::is_copy_constructible_v<Lambdas> && ...);
    (void)internal::lambdas_check<named, copyable, Lambdas...>{};
    if constexpr (named && copyable) {
      using set = internal::lambda_set<context, Lambdas...>;
      operations_ = &operations_for<set>;
      internal::block_in_use fresh{block()};
      if (fresh.storage() != nullptr) ::new (fresh.storage()) set{std::move(lambdas)...};
      handlers_ = fresh.keep();
    }
  }
  behaviour(behaviour&& other) noexcept
      : operations_(other.operations_), handlers_(std::exchange(other.handlers_, nullptr)) {}
  behaviour(const behaviour& other) : operations_(other.operations_) {
    if (other.handlers_ == nullptr) return;
    internal::block_in_use fresh{block()};
    if (fresh.storage() != nullptr) operations_->copy(other.handlers_, fresh.storage());
    handlers_ = fresh.keep();
  }
  behaviour& operator=(behaviour other) noexcept {
    std::swap(operations_, other.operations_);
    std::swap(handlers_, other.handlers_);
    return *this;
  }
  ~behaviour() {
    if (handlers_ == nullptr) return;
    if (block().destroy != nullptr) block().destroy(handlers_);
    internal::free_block(internal::this_thread(), handlers_, block());
  }

  /// Returns: false if there was no memory for its handlers.
  [[nodiscard]] explicit operator bool() const noexcept { return handlers_ != nullptr; }

  /// For the runtime: calls the lambda of a message. Requires: not empty.
  internal::call_result receive(tactor::context& ctx, internal::envelope& e,
                                failure& why) noexcept {
    return operations_->type->receive(handlers_, ctx, e, why);
  }

private:
  [[nodiscard]] const internal::message_operations& block() const noexcept {
    return operations_->type->instance;
  }

  template <class Set>
  static constexpr internal::behaviour_operations operations_for{
      .type = &internal::actor_definition<Set, message_types>::type,
      .copy = [](const void* from, void* storage) {
        ::new (storage) Set(*static_cast<const Set*>(from));
      }};

  const internal::behaviour_operations* operations_ = nullptr;
  void* handlers_ = nullptr;
};

namespace internal {

/// The actor that a behaviour is spawned as.
template <class... Messages>
class behaviour_actor {
public:
  using context = behaviour_context<Messages...>;
  using ref = actor_ref<Messages...>;
  using message_types = message_list<Messages...>;

  explicit behaviour_actor(const behaviour<Messages...>& first) : now_(first) {}

  std::expected<void, failure> pre_start(context&) {
    if (now_) return {};
    return std::unexpected{failure{"no memory for the behaviour"}};
  }
  void become(behaviour<Messages...> next) noexcept { next_ = std::move(next); }
  /// Uses the next behaviour at once. Requires: none of its lambdas runs.
  void become_now(behaviour<Messages...> next) noexcept { now_ = std::move(next); }

  call_result receive(tactor::context& ctx, envelope& e, failure& why) noexcept {
    const call_result said = now_.receive(ctx, e, why);
    // Not earlier: it owns the lambda that ran, and coroutines refer to it.
    if (next_ && !defer_until_no_task(*ctx.self().slot(), become_next))
      now_ = std::exchange(next_, {});
    return said;
  }

  /// Uses the next behaviour, if there is one: no coroutine refers to the current one any more.
  static void become_next(void* self) noexcept {
    auto& actor = *static_cast<behaviour_actor*>(self);
    if (actor.next_) actor.now_ = std::exchange(actor.next_, {});
  }

private:
  behaviour<Messages...> now_;
  behaviour<Messages...> next_;
};

}  // namespace internal

template <class... Messages>
bool behaviour_context<Messages...>::become(behaviour<Messages...> next) noexcept {
  if (!next) return false;
  auto* const self = static_cast<internal::behaviour_actor<Messages...>*>(this->owner().object);
  const bool deferred = internal::defer_until_no_task(
      this->owner(), internal::behaviour_actor<Messages...>::become_next);
  if (this->owner().current == nullptr && !deferred) {  // in a continuation
    self->become_now(std::move(next));
  } else {
    self->become(std::move(next));
  }
  return true;
}

namespace internal {

inline namespace TACTOR_EXCEPTION_MODE {

/// Describes a behaviour, whose lambdas handle the messages.
template <class... Messages>
struct actor_definition<behaviour_actor<Messages...>, message_list<Messages...>> {
  using actor = behaviour_actor<Messages...>;

  /// See `actor_type::receive`.
  static call_result receive(void* self, context& ctx, envelope& e, failure& why) noexcept {
    return static_cast<actor*>(self)->receive(ctx, e, why);
  }
  /// See `actor_type::pre_start`.
  static call_result pre_start(void* self, context& ctx, failure& why) noexcept {
    return call_hook<pre_start_hook>(why, *static_cast<actor*>(self),
                                     static_cast<typename actor::context&>(ctx));
  }
  static constexpr actor_type type{
      .receive = receive,
      .pre_start = pre_start,
      .post_stop = nullptr,
      .pre_restart = nullptr,
      .post_restart = nullptr,
      .messages = operations_list<Messages...>,
      .instance = contents::of_object<actor>(identity_of<behaviour<Messages...>>)};
};

/// Spawns an actor of a lambda, a behaviour or a factory. The primary template is for everything
/// else, which is a mistake.
template <class Callable>
struct callable_spawn : mistaken_spawn {
  /// Is true if it takes nothing.
  static constexpr bool is_factory = std::is_invocable_v<const Callable&>;
  /// Is true if it takes a context and a message.
  static constexpr bool is_handler = is_factory;
  /// Is true if it takes nothing and returns an actor.
  static constexpr bool makes_an_actor = !is_factory;
  static_assert(is_handler,
                "a handler is a lambda like [](tactor::context&, const Message&) {...}; "
                "`auto` parameters name no message");
  static_assert(makes_an_actor, "a factory returns an actor, by value");
};

/// Spawns the actor that a factory makes.
template <class Factory>
  requires is_actor_class<std::invoke_result_t<const Factory&>>
struct callable_spawn<Factory> {
  using actor = std::invoke_result_t<const Factory&>;
  using ref = typename actor::ref;
  using checked = typename actor_definition<actor>::checked;

  /// Stores the factory in a callable that builds the actor.
  static auto keep(Factory factory) {
    return [factory = std::move(factory)](void* storage) { ::new (storage) actor(factory()); };
  }
  static constexpr const actor_recipe& recipe =
      recipe_of<actor, decltype(keep(std::declval<Factory>()))>::value;
};

/// Spawns an actor of a behaviour.
template <class... Messages>
struct callable_spawn<behaviour<Messages...>> {
  using actor = behaviour_actor<Messages...>;
  using ref = typename actor::ref;

  /// Stores the behaviour in a callable that builds the actor.
  static auto keep(behaviour<Messages...> first) {
    return [first = std::move(first)](void* storage) { ::new (storage) actor(first); };
  }
  static constexpr const actor_recipe& recipe =
      recipe_of<actor, decltype(keep(std::declval<behaviour<Messages...>>()))>::value;
};

/// Spawns an actor of one lambda, a behaviour of one message.
template <names_its_message Lambda>
struct callable_spawn<Lambda>
    : callable_spawn<behaviour<decltype(message_of(&Lambda::operator()))>> {};

}  // namespace TACTOR_EXCEPTION_MODE
}  // namespace internal
}  // namespace tactor::inline v0
