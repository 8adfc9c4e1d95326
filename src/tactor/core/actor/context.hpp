// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/actor_ref.hpp"
#include "tactor/core/actor/answer.hpp"
#include "tactor/core/actor/cell.hpp"
#include "tactor/core/actor/context_room.hpp"
#include "tactor/core/actor/delivery.hpp"
#include "tactor/core/actor/message_traits.hpp"
#include "tactor/core/actor/open_asks.hpp"
#include "tactor/core/actor/scheduling.hpp"
#include "tactor/core/actor/spawn_options.hpp"
#include "tactor/core/actor/spawning.hpp"
#include "tactor/core/actor/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/scheduler/execution_batch.hpp"

#include <concepts>
#include <expected>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

class event_stream;
class scheduler;

/// The answer to this message will come from whoever it was passed on to. What a handler returns
/// that forwards: `return ctx.forward(desk_, std::move(order));`
template <class Reply>
class [[nodiscard]] delegated {
public:
  /// For `forward` and `reply_to`, which have seen to the answer.
  [[nodiscard]] static constexpr delegated made() noexcept { return delegated{}; }

private:
  constexpr delegated() noexcept = default;
};
template <class Reply>
class reply_to;

/// What an actor can do while it runs: who it is, who sent the message, making children, timers,
/// stopping. One for each actor, at one address for its whole life.
///
/// Context: the actor's own handlers and hooks; from another thread nothing of it may be used.
class context : public spawning<context>, public scheduling<context> {
public:
  /// For the runtime.
  explicit context(cell& of) noexcept : room_{.owner = &of} {}
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  ~context() = default;

  /// This actor.
  [[nodiscard]] actor_ref<> self() const noexcept { return {room_.owner, room_.owner->tenant}; }
  /// The actor that sent the current message; names nobody if it came from outside. A timer's
  /// message comes from who scheduled it.
  [[nodiscard]] actor_ref<> sender() const noexcept;
  /// Whose child this actor is; names nobody at the root.
  [[nodiscard]] actor_ref<> parent() const noexcept;
  /// How many runs the current timer message stands for; one for any other message.
  [[nodiscard]] execution_batch batch() const noexcept;
  /// The last part of its path. Valid while the actor lives; empty if it was given none.
  [[nodiscard]] std::string_view name() const noexcept;

  /// Stops this actor when the current handler is through: what is queued becomes dead letters.
  void stop() noexcept { room_.owner->stop_wanted = true; }
  /// Handles what is queued first, takes nothing new, then stops.
  void drain() noexcept { drain(self()); }
  /// Stops another actor. Nothing happens to one that is gone.
  void stop(const actor_ref<>& whom) const noexcept;
  /// Drains another actor.
  void drain(const actor_ref<>& whom) const noexcept;

  /// Passes the current message's duty on: `message` goes to `to` as if its sender had sent it
  /// there, and the answer, if one is waited for, comes from there.
  template <class... Messages, class Message>
  delegated<reply_of<std::remove_cvref_t<Message>>> forward(const actor_ref<Messages...>& to,
                                                            Message&& message) const {
    using plain = std::remove_cvref_t<Message>;
    (void)internal::message_check<actor_ref<Messages...>, plain,
                                  internal::is_among<plain, Messages...>>{};
    thread_record& here = this_thread();
    if (envelope* const e = internal::enclose<plain>(here, std::forward<Message>(message))) {
      e->from = origin_of_current();
      (void)send(here, to.slot(), to.generation(), *e);
    } else {
      (void)lose(here, to.slot(), to.generation(), operations_of<plain>);
      internal::refuse_answer(here, origin_of_current(), ask_failure::refused);
    }
    return delegated<reply_of<plain>>::made();
  }
  /// Asks an actor, and goes on. `then` gets the answer, or why there is none, as
  /// `std::expected<Message::reply, ask_error>`, and before it this actor's context if it wants it:
  ///
  ///     ctx.ask(prices_, quote{"tea"}, 200ms, [this](context&, auto price) { ... });
  ///
  /// It runs as a turn of this actor, exactly once, unless the actor stops first: then it only ends.
  /// A stopped or failing target says so at once; silence ends with `timeout`. It may return
  /// `std::expected<void, failure>`; as with a handler, failing is the actor's failure.
  template <class... Messages, class Message, class Then>
    requires(!std::convertible_to<Message, duration>)
  void ask(const actor_ref<Messages...>& to, Message&& message, duration timeout, Then then) {
    internal::checked_ask<std::remove_cvref_t<Message>, context>(owner(), to, timeout, then,
                                                                 std::forward<Message>(message));
  }
  /// The same with a message that is built from its parts, in the place where it will lie.
  template <class Message, class... Messages, class Then, class... Parts>
  void ask(const actor_ref<Messages...>& to, duration timeout, Then then, Parts&&... parts) {
    internal::checked_ask<Message, context>(owner(), to, timeout, then,
                                            std::forward<Parts>(parts)...);
  }
  /// Takes over the duty to answer the current message later; see `reply_to`.
  template <class Reply>
  [[nodiscard]] reply_to<Reply> reply_later() const noexcept;

  /// The stream of events of this actor's system.
  [[nodiscard]] event_stream& events() const noexcept;
  /// The timers of this actor's system.
  [[nodiscard]] scheduler& timers() const noexcept;

  /// For `scheduling`: in whose name timers send.
  [[nodiscard]] origin as_sender() const noexcept {
    return origin::of_actor(room_.owner->slot, room_.owner->tenant);
  }
  /// For `spawning`.
  [[nodiscard]] std::expected<actor_ref<>, spawn_error>
  spawn_cell(const spawn_request& wanted) const noexcept;

protected:
  [[nodiscard]] cell& owner() const noexcept { return *room_.owner; }

private:
  [[nodiscard]] origin origin_of_current() const noexcept {
    return room_.owner->current == nullptr ? origin{} : room_.owner->current->from;
  }

  context_room room_;
};
static_assert(sizeof(context) == sizeof(context_room));

/// The context that is built in a cell. Requires: it is, which the actor's recipe sees to.
[[nodiscard]] inline context& context_of(cell& c) noexcept {
  return *std::launder(reinterpret_cast<context*>(&c.ctx));
}

/// The context of an actor that takes these messages.
template <class... Messages>
class actor_context : public context {
public:
  using context::context;

  /// This actor.
  [[nodiscard]] actor_ref<Messages...> self() const noexcept {
    const actor_ref<> plain = context::self();
    return {plain.slot(), plain.generation()};
  }

  /// See `context::ask`; `then` may take this context.
  template <class... Others, class Message, class Then>
    requires(!std::convertible_to<Message, duration>)
  void ask(const actor_ref<Others...>& to, Message&& message, duration timeout, Then then) {
    internal::checked_ask<std::remove_cvref_t<Message>, actor_context>(
        this->owner(), to, timeout, then, std::forward<Message>(message));
  }
  /// See `context::ask`; `then` may take this context.
  template <class Message, class... Others, class Then, class... Parts>
  void ask(const actor_ref<Others...>& to, duration timeout, Then then, Parts&&... parts) {
    internal::checked_ask<Message, actor_context>(this->owner(), to, timeout, then,
                                                  std::forward<Parts>(parts)...);
  }
};

}  // namespace tactor::inline v0
