// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/actor_control.hpp"
#include "tactor/core/actor/cell/cell.hpp"
#include "tactor/core/actor/cell/context_storage.hpp"
#include "tactor/core/actor/cell/spawn_options.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/delivery/actor_ref.hpp"
#include "tactor/core/actor/delivery/answer.hpp"
#include "tactor/core/actor/delivery/delivery.hpp"
#include "tactor/core/actor/delivery/message_traits.hpp"
#include "tactor/core/actor/lifecycle/death_watch.hpp"
#include "tactor/core/actor/lifecycle/pending_asks.hpp"
#include "tactor/core/actor/lifecycle/suspension.hpp"
#include "tactor/core/actor/lifecycle/suspension_times.hpp"
#include "tactor/core/actor/scheduling.hpp"
#include "tactor/core/actor/spawning.hpp"
#include "tactor/core/dispatch/invoke_result.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/scheduler/execution_batch.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"

#include <concepts>
#include <cstdint>
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

namespace internal {

template <class Class>
concept is_actor_class = requires { typename Class::messages; };

/// Whether an actor has a handler for what the runtime tells it. Defined in actor.hpp, which knows how
/// handlers are found.
template <class Actor, class Told>
struct is_told;

/// One error for an actor that watches and cannot be told.
template <class Actor, bool HasHandler>
struct watch_check {
  static_assert(HasHandler,
                "watching needs a handler: give the actor a public receive(context&, const "
                "tactor::terminated&), or name a message to be handled instead");
};

}  // namespace internal

/// What an actor can do while it runs: who it is, who sent the message, making children, timers,
/// stopping. One for each actor, at one address for its whole life.
///
/// Context: the actor's own handlers and hooks; from another thread nothing of it may be used.
class context : public spawning<context>, public scheduling<context>, public steering<context> {
public:
  /// For the runtime.
  explicit context(internal::cell& of) noexcept : room_{.owner = &of} {}
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  ~context() = default;

  /// This actor.
  [[nodiscard]] actor_ref<> self() const noexcept { return {room_.owner, room_.owner->tenant}; }
  /// The actor that sent the current message; names nobody if it came from outside. A timer's
  /// message comes from who scheduled it.
  [[nodiscard]] actor_ref<> sender() const noexcept;
  /// Whose child this actor is; one that a system has spawned, the guardian's, who takes nothing.
  [[nodiscard]] actor_ref<> parent() const noexcept;
  /// How many runs the current timer message stands for; one for any other message.
  [[nodiscard]] execution_batch batch() const noexcept;
  /// The last part of its path. Valid while the actor lives; empty if it was given none.
  [[nodiscard]] std::string_view name() const noexcept;

  /// Stops this actor when the current handler is through: what is queued becomes dead letters.
  void stop() noexcept { room_.owner->wanted.stop = true; }
  /// Handles what is queued first, takes nothing new, then stops.
  void drain() noexcept { drain(self()); }
  // Other actors: see `steering`.
  using steering<context>::stop;
  using steering<context>::drain;
  using steering<context>::suspend;
  using steering<context>::resume;
  /// Stops all children. For a `pre_restart` of one's own, which then is waited for.
  void stop_children() noexcept;

  /// Handles no further messages until `until` holds or somebody resumes the actor; they wait in its
  /// mailbox. The current handler goes on. Suspending again for the same reason replaces `until`.
  ///
  ///     ctx.suspend(tactor::suspend_reason::rate_limit, tactor::resume_after(1s));
  std::expected<void, suspend_error> suspend(suspend_reason reason = suspend_reason::user_defined,
                                             const resume_condition& until = {}) noexcept;
  /// Takes a reason away again.
  std::expected<void, suspend_error>
  resume(suspend_reason reason = suspend_reason::user_defined) noexcept;
  /// How often and how long this actor was suspended.
  [[nodiscard]] suspension_times suspensions() const noexcept;

  /// From now on the actor is told when no message came for `timeout`, and each time again when as
  /// much time has passed: `receive(context&, const tactor::receive_timeout&)`. Each handled message
  /// starts the time anew, unless its type has a member type `not_influence_receive_timeout`.
  std::expected<void, scheduler_error> set_receive_timeout(duration timeout) noexcept;
  /// It is not told any more.
  void cancel_receive_timeout() noexcept;
  /// Counts as a message: the time starts anew.
  void notify_activity() noexcept { room_.owner->active = true; }

  /// From now on this actor is told when another one ends, exactly once: in its handler
  /// `receive(context&, const tactor::terminated&)`, which `self` has.
  ///
  ///     ctx.watch(worker_, *this);
  ///
  /// One that is gone is told of at once. Watching twice is watching once. A restart of either does
  /// not end it.
  template <class Self>
    requires internal::is_actor_class<Self>
  std::expected<void, watch_error> watch(const actor_ref<>& whom, const Self&) {
    (void)internal::watch_check<Self, internal::is_told<Self, terminated>::value>{};
    return watch_told(whom, nullptr);
  }
  /// The same, but the actor handles `message` instead, as if it had been sent to it. Of an actor that
  /// is watched already only the message is changed.
  template <class Message>
    requires(!internal::is_actor_class<std::remove_cvref_t<Message>>)
  std::expected<void, watch_error> watch(const actor_ref<>& whom, Message&& message) {
    return watch_with<std::remove_cvref_t<Message>>(whom, std::forward<Message>(message));
  }
  /// It is not told, also if that actor has ended already. Returns: false if it did not watch.
  bool unwatch(const actor_ref<>& whom) noexcept;

  /// Passes the current message's duty on: `message` goes to `to` as if its sender had sent it
  /// there, and the answer, if one is waited for, comes from there.
  template <class... Messages, class Message>
  delegated<reply_of<std::remove_cvref_t<Message>>> forward(const actor_ref<Messages...>& to,
                                                            Message&& message) const {
    using plain = std::remove_cvref_t<Message>;
    (void)internal::message_check<actor_ref<Messages...>, plain,
                                  internal::is_among<plain, Messages...>>{};
    internal::thread_record& here = internal::this_thread();
    if (internal::envelope* const e =
            internal::enclose<plain>(here, std::forward<Message>(message))) {
      e->from = origin_of_current();
      (void)send(here, to.slot(), to.generation(), *e);
    } else {
      (void)dead_letter_no_memory(here, to.slot(), to.generation(), internal::operations_of<plain>);
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
  [[nodiscard]] internal::origin as_sender() const noexcept {
    return internal::origin::of_actor(room_.owner->slot, room_.owner->tenant);
  }
  /// For `steering`: the time.
  [[nodiscard]] std::uint64_t now_ns() const noexcept;
  /// For `spawning`.
  [[nodiscard]] std::expected<actor_ref<>, spawn_error>
  spawn_cell(const internal::spawn_request& wanted) const noexcept;

protected:
  [[nodiscard]] internal::cell& owner() const noexcept { return *room_.owner; }

  /// See `watch`.
  template <class Message, class Given>
  std::expected<void, watch_error> watch_with(const actor_ref<>& whom, Given&& message) {
    internal::envelope* const e =
        internal::enclose<Message>(internal::this_thread(), std::forward<Given>(message));
    if (e == nullptr) return std::unexpected{watch_error::no_memory};
    e->from = whom ? internal::origin::of_actor(whom.index().slot, whom.generation())
                   : internal::origin{};
    e->generation = owner().tenant;
    return watch_told(whom, e);
  }

private:
  std::expected<void, watch_error> watch_told(const actor_ref<>& whom,
                                              internal::envelope* told) noexcept;
  [[nodiscard]] internal::origin origin_of_current() const noexcept {
    return room_.owner->current == nullptr ? internal::origin{} : room_.owner->current->from;
  }

  internal::context_storage room_;
};
static_assert(sizeof(context) == sizeof(internal::context_storage));

namespace internal {

/// The context that is built in a cell. Requires: it is, which the actor's recipe sees to.
[[nodiscard]] inline context& context_of(cell& c) noexcept {
  return *std::launder(reinterpret_cast<context*>(&c.ctx));
}

}  // namespace internal

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

  using context::watch;
  /// See `context::watch`.
  template <class Message>
    requires(!internal::is_actor_class<std::remove_cvref_t<Message>>)
  std::expected<void, watch_error> watch(const actor_ref<>& whom, Message&& message) {
    using plain = std::remove_cvref_t<Message>;
    constexpr bool taken = internal::is_among<plain, Messages...>;
    (void)internal::message_check<actor_ref<Messages...>, plain, taken>{};
    return this->template watch_with<plain>(whom, std::forward<Message>(message));
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
