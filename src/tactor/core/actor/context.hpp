// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/actor_control.hpp"
#include "tactor/core/actor/awaiting.hpp"
#include "tactor/core/actor/child_list.hpp"
#include "tactor/core/actor/definition/delegated.hpp"
#include "tactor/core/actor/keyed_timing.hpp"
#include "tactor/core/actor/scheduling.hpp"
#include "tactor/core/actor/spawning.hpp"
#include "tactor/core/actor/stashing.hpp"
#include "tactor/core/ask/pending_asks.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/spawn_options.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/dispatch/suspend_reason.hpp"
#include "tactor/core/life/death_watch.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/observe/suspension_times.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/message_traits.hpp"
#include "tactor/core/send/send.hpp"  // IWYU pragma: keep (templates call send)

#include <concepts>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

class delay_provider;
class event_stream;
class scheduler;
struct receive_timeout;
enum class log_level : std::uint8_t;

template <class Reply>
class reply_to;

namespace internal {

template <class Class>
concept is_actor_class = requires { typename Class::message_types; };

/// Is true for an actor that has a handler for a notification of the runtime. actor.hpp, which
/// knows how handlers are found, defines it.
template <class Actor, class Told>
struct handles_notification;

/// Gives one error for an actor that watches without a handler.
template <class Actor, bool HasHandler>
struct watch_check {
  static_assert(HasHandler,
                "watching needs a handler: give the actor a public receive(context&, const "
                "tactor::terminated&), or name a message to be handled instead");
};

/// Gives one error for an actor that sets a receive timeout without a handler.
template <class Actor, bool HasHandler>
struct receive_timeout_check {
  static_assert(HasHandler, "a receive timeout needs a handler: give the actor a public "
                            "receive(context&, const tactor::receive_timeout&)");
};

}  // namespace internal

/// Asks with a continuation. `Self` is the context of the actor that asks; it has `self_cell()`.
template <class Self>
class continuing {
public:
  /// Asks an actor without waiting. `then` gets the answer, or why there is none, as
  /// `std::expected<Message::reply, ask_error>`, after this actor's context if it takes that:
  ///
  ///     ctx.ask(prices_, quote{"tea"}, 200ms, [this](context&, auto price) { ... });
  ///
  /// It runs as a turn of this actor, exactly once, unless the actor stops first. If the target has
  /// stopped or fails, the ask fails at once; without an answer it fails after `timeout`, and with
  /// `refused` if that is zero or less. `then`
  /// may return `std::expected<void, failure>`; failing is the actor's failure, as in a handler.
  template <class... Messages, class Message, class Then>
    requires(!std::convertible_to<Message, duration>)
  void ask(const actor_ref<Messages...>& to, Message&& message, duration timeout, Then then) {
    internal::checked_ask<std::remove_cvref_t<Message>, Self>(asker(), to, timeout, then,
                                                              std::forward<Message>(message));
  }
  /// Asks with a message that is built from its parts inside its envelope.
  template <class Message, class... Messages, class Then, class... Parts>
    requires internal::can_be_called<Then>
  void ask(const actor_ref<Messages...>& to, duration timeout, Then then, Parts&&... parts) {
    internal::checked_ask<Message, Self>(asker(), to, timeout, then, std::forward<Parts>(parts)...);
  }

protected:
  continuing() = default;
  ~continuing() = default;

private:
  [[nodiscard]] internal::cell& asker() const noexcept {
    return static_cast<const Self&>(*this).self_cell();
  }
};

/// The view that an actor has of itself and of its system while it runs: its reference, the sender,
/// children, timers, stopping. Each actor has one, at one address for its whole life.
///
/// Context: the actor's own handlers and hooks; never another thread or another actor. There a call
/// that does more than to name the actor ends the program, and the log says whose context it was.
class context : public spawning<context>,
                public scheduling<context>,
                public actor_control<context>,
                public stashing<context>,
                public continuing<context>,
                public awaiting<context> {
public:
  /// For the runtime.
  explicit context(internal::cell& of) noexcept : storage_{.owner = &of} {}
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  ~context() = default;

  /// Returns: this actor.
  [[nodiscard]] actor_ref<> self() const noexcept {
    return {storage_.owner, storage_.owner->tenant};
  }
  /// Returns: the actor that sent the current message; empty if it came from outside. The sender of
  /// an ask is the actor that asks, until the ask has ended: it was answered, or its timeout has
  /// passed. The sender of a timer's message is the actor that scheduled it, unless its options
  /// name another.
  [[nodiscard]] actor_ref<> sender() const noexcept;
  /// Returns: the parent; for an actor spawned by the system the guardian, which takes no messages.
  [[nodiscard]] actor_ref<> parent() const noexcept;
  /// Returns: the actors that this actor has spawned and that have not ended, or those of them that
  /// take these messages:
  ///
  ///     for (const tactor::actor_ref<>& child : ctx.children()) ctx.stop(child);
  ///     for (const auto& peer : ctx.children<finish>()) peer.tell(finish{});
  template <class... Messages>
  [[nodiscard]] child_list<Messages...> children() const noexcept {
    return child_list<Messages...>{own_cell().first_child};
  }
  /// Returns: the runs that the current timer message stands for; one for any other message.
  [[nodiscard]] execution_batch batch() const noexcept;
  /// Returns: the last part of its path, valid while the actor is alive; empty if it has none.
  [[nodiscard]] std::string_view name() const noexcept;
  /// Returns: its path, "/user/shop/desk". Without a name its last part is "$slot.generation"; if
  /// the path is too long, only its end.
  [[nodiscard]] event_text path() const noexcept;
  /// Returns: the actor with that path, if it takes these messages; otherwise a reference to no
  /// actor.
  template <class... Messages>
  [[nodiscard]] actor_ref<Messages...> find(std::string_view path) const {
    const actor_ref<> found = find_any(path, internal::operations_list<Messages...>);
    return {found.slot(), found.generation()};
  }
  /// Writes a record with this actor's path to the log of the system, within its limits.
  void log(log_level level, std::string_view text) const noexcept;

  /// Stops this actor after the current handler: queued messages become dead letters.
  void stop() noexcept { own_cell().wanted.stop = true; }
  /// Handles what is queued first, accepts nothing new, then stops.
  void drain() noexcept { drain(self()); }
  // Other actors: see `actor_control`.
  using actor_control<context>::stop;
  using actor_control<context>::drain;
  using actor_control<context>::suspend;
  using actor_control<context>::resume;
  /// Stops all children. In `pre_restart` the restart waits for them, and watches of them end;
  /// elsewhere their ends are reported to this actor if it watches them.
  void stop_children() noexcept;

  /// Handles no further messages until `until` holds or the actor is resumed; they wait in its
  /// mailbox. The current handler continues. Suspending again for one reason replaces its `until`.
  ///
  ///     ctx.suspend(tactor::suspend_reason::rate_limit, tactor::resume_after(1s));
  std::expected<void, suspend_error> suspend(suspend_reason reason = suspend_reason::user_defined,
                                             const resume_condition& until = {}) noexcept;
  /// Removes a reason; when none is left, the actor continues.
  std::expected<void, suspend_error>
  resume(suspend_reason reason = suspend_reason::user_defined) noexcept;
  /// Returns: the number and the length of the suspensions of this actor.
  [[nodiscard]] suspension_times suspensions() const noexcept;

  /// Calls `receive(context&, const tactor::receive_timeout&)` of `self` each time no message came
  /// for `timeout`. Each handled message restarts the time, unless its type has a member type
  /// `ignored_by_receive_timeout` or, with the same meaning, `not_influence_receive_timeout`.
  ///
  ///     ctx.set_receive_timeout(30min, *this);
  template <class Self>
    requires internal::is_actor_class<Self>
  std::expected<void, scheduler_error> set_receive_timeout(duration timeout, const Self&) noexcept {
    return set_receive_timeout<Self>(timeout);
  }
  /// Sets the receive timeout in code that has no reference to the actor. `Self` is its class; a
  /// behaviour names none: see `behaviour_context`.
  template <class Self = void>
  std::expected<void, scheduler_error> set_receive_timeout(duration timeout) noexcept {
    constexpr bool is_named = internal::is_actor_class<Self>;
    static_assert(is_named, "name the actor that handles the timeout: "
                            "ctx.set_receive_timeout(timeout, *this)");
    if constexpr (is_named) {
      constexpr bool handled = internal::handles_notification<Self, receive_timeout>::value;
      (void)internal::receive_timeout_check<Self, handled>{};
    }
    return start_receive_timeout(timeout);
  }
  /// Ends these notifications.
  void cancel_receive_timeout() noexcept;
  /// Restarts the time, as a message does.
  void notify_activity() noexcept { own_cell().active = true; }

  /// Notifies this actor when another actor ends, exactly once: in the handler `receive(context&,
  /// const tactor::terminated&)` of `self`.
  ///
  ///     ctx.watch(worker_, *this);
  ///
  /// If it has ended already, the notification comes at once. Watching twice is watching once. A
  /// restart of either actor does not end it.
  template <class Self>
    requires internal::is_actor_class<Self>
  std::expected<void, watch_error> watch(const actor_ref<>& whom, const Self&) {
    (void)internal::watch_check<Self, internal::handles_notification<Self, terminated>::value>{};
    return watch_told(whom, nullptr);
  }
  /// Gives one error if the second argument is missing.
  template <class Missing = void>
  std::expected<void, watch_error> watch(const actor_ref<>&) {
    static_assert(!std::is_void_v<Missing>,
                  "name the watching actor, ctx.watch(ref, *this), or the message to be handled "
                  "when the other actor ends, ctx.watch(ref, gone{})");
    return {};
  }
  /// Watches, but the actor handles `message` instead, a notification like `terminated`. For an
  /// actor that is watched already only the message changes.
  template <class Message>
    requires(!internal::is_actor_class<std::remove_cvref_t<Message>>)
  std::expected<void, watch_error> watch(const actor_ref<>& whom, Message&& message) {
    return watch_with<std::remove_cvref_t<Message>>(whom, std::forward<Message>(message));
  }
  /// Ends the watch: no notification follows, even if the actor has ended. Returns: false if it was
  /// not watched.
  bool unwatch(const actor_ref<>& whom) noexcept;

  /// Passes the obligation to answer on: `message` goes to `to` as if the current message's sender
  /// had sent it there, and the answer, if one is expected, comes from there.
  template <class... Messages, class Message>
  delegated<reply_of<std::remove_cvref_t<Message>>> forward(const actor_ref<Messages...>& to,
                                                            Message&& message) const {
    using plain = std::remove_cvref_t<Message>;
    (void)internal::message_check<actor_ref<Messages...>, plain,
                                  internal::is_among<plain, Messages...>>{};
    internal::thread_record& here = internal::this_thread();
    if (internal::envelope* const e =
            internal::enclose<plain>(here, std::forward<Message>(message))) {
      e->from = pass_on_current();
      (void)send(here, to.slot(), to.generation(), *e);
    } else {
      internal::refuse_answer(
          here, origin_of_current(),
          dead_ask_no_memory(here, to.slot(), to.generation(), internal::operations_of<plain>));
    }
    return delegated<reply_of<plain>>::made();
  }
  using continuing<context>::ask;
  using awaiting<context>::ask;
  /// Takes over the obligation to answer the current message later; see `reply_to`.
  template <class Reply>
  [[nodiscard]] reply_to<Reply> reply_later() const noexcept;

  /// Returns: how many more messages of this handler would wait for the mailbox of `to` if it is
  /// `lossless` and full; the next one would be refused. At most 64; 0 on a board without outboxes.
  [[nodiscard]] std::uint32_t outbox_room(const actor_ref<>& to) const noexcept;

  /// Returns: the event stream of this actor's system.
  [[nodiscard]] event_stream& events() const noexcept;
  /// Returns: the timers of this actor's system.
  [[nodiscard]] scheduler& timers() const noexcept;

  /// Returns: a maker of delays for code outside of handlers, such as a component of the actor;
  /// coroutines that await them go on where the actor's callables run. A handler has `sleep`. To
  /// call it, include tactor/timers.hpp. Context: hosts.
  [[nodiscard]] delay_provider delays() const noexcept;
  /// Returns: the next pseudo-random number of the system. Its seed determines it: that of a
  /// simulation, or `system_config::seed`, which is chance where it is not set.
  [[nodiscard]] std::uint64_t random() const noexcept;

  /// For keyed timers and routers: the sender of what the actor sends.
  [[nodiscard]] internal::origin as_sender() const noexcept {
    return internal::origin::of_actor(storage_.owner->slot, storage_.owner->tenant);
  }
  /// For `scheduling`: the actor that schedules timers.
  [[nodiscard]] internal::cell* timer_owner() const noexcept { return storage_.owner; }
  /// For `stashing`.
  [[nodiscard]] internal::cell& self_cell() const noexcept { return *storage_.owner; }
  /// For `actor_control`: the time.
  [[nodiscard]] std::uint64_t now_ns() const noexcept;
  /// For `spawning`.
  [[nodiscard]] std::expected<actor_ref<>, spawn_error>
  spawn_cell(const internal::spawn_request& wanted) const noexcept;

  /// The cell, for the actor itself: elsewhere it ends the program.
  [[nodiscard]] internal::cell& own_cell() const noexcept;

protected:
  friend awaiting<context>;
  [[nodiscard]] internal::cell& owner() const noexcept { return *storage_.owner; }
  /// See `set_receive_timeout`.
  std::expected<void, scheduler_error> start_receive_timeout(duration timeout) noexcept;

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
  [[nodiscard]] actor_ref<>
  find_any(std::string_view path,
           std::span<const internal::message_operations* const> messages) const noexcept;
  std::expected<void, watch_error> watch_told(const actor_ref<>& whom,
                                              internal::envelope* told) noexcept;
  [[nodiscard]] internal::origin origin_of_current() const noexcept {
    return storage_.owner->current == nullptr ? internal::origin{} : storage_.owner->current->from;
  }
  /// The obligation to answer the current message passes to somebody else. Returns: who waits.
  [[nodiscard]] internal::origin pass_on_current() const noexcept {
    if (internal::envelope* const current = own_cell().current)
      current->detail |= internal::envelope::is_passed_on;
    return origin_of_current();
  }

  internal::context_storage storage_;
};
static_assert(sizeof(context) == sizeof(internal::context_storage));

/// The context of an actor that takes these messages.
template <class... Messages>
class actor_context : public context,
                      public keyed_timing<actor_context<Messages...>>,
                      public continuing<actor_context<Messages...>> {
public:
  using context::context;

  /// Returns: this actor.
  [[nodiscard]] actor_ref<Messages...> self() const noexcept {
    const actor_ref<> plain = context::self();
    return {plain.slot(), plain.generation()};
  }

  /// Sends this actor `make(result)` when `future`, a std::future or std::shared_future, is ready;
  /// `result` is a `std::expected<T, failure>`. To call it, include tactor/host/future.hpp, which
  /// says more.
  template <class Future, class Make>
  void pipe_to_self(Future future, Make make);

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

  using continuing<actor_context>::ask;
  using awaiting<context>::ask;
};

}  // namespace tactor::inline v0
