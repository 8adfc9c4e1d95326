// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/exceptions.hpp"
#include "tactor/base/treap.hpp"
#include "tactor/core/actor/definition/guard.hpp"
#include "tactor/core/ask/thread_ask.hpp"
#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/cell/ask_slot.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/message/type_identity.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/message_traits.hpp"
#include "tactor/core/send/send.hpp"
#include "tactor/core/supervision/failure.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <new>
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {
class context;
}  // namespace tactor::inline v0

namespace tactor::inline v0::internal {

// The asks of actors, and their continuations. Context: the worker that runs the asking cell.
// docs/design/actor.md has the protocol.

/// The continuation of an ask, type-erased.
struct continuation_operations {
  /// Calls the continuation, guarded. `answer` null: there is none, and `without` says why.
  call_result (*run)(void* then, context& ctx, envelope* answer, const ask_error* without,
                     failure& why) noexcept;
  message_operations object;  // how it is destroyed, its size
};

/// Orders what has a deadline: by deadline, then by number. `Record` is the part of a node with
/// both and with the links.
template <class Node, class Record = Node>
struct deadline_order {
  static Record& record_of(Node& of) noexcept {
    if constexpr (std::is_same_v<Node, Record>) {
      return of;
    } else {
      return of.template as<Record>();
    }
  }
  static Node*& left(Node& of) noexcept { return record_of(of).left; }
  static Node*& right(Node& of) noexcept { return record_of(of).right; }
  static bool comes_before(Node& a, Node& b) noexcept {
    const Record& one = record_of(a);
    const Record& other = record_of(b);
    if (one.deadline_ns != other.deadline_ns) return one.deadline_ns < other.deadline_ns;
    return static_cast<std::int32_t>(one.number - other.number) < 0;
  }
  static std::uint64_t priority(Node& of) noexcept { return mixed_bits(record_of(of).number); }
};

/// The pending asks of one actor, by timeout. Made by its first ask, and kept until it stops. The
/// actor's deadline is set when it is not set, or set for a later ask; an answer does not move it.
struct pending_asks {
  treap<ask_slot, deadline_order<ask_slot, ask_with_continuation>> by_deadline;
  std::uint32_t opened = 0;  // how many there were, modulo 2^32
  bool noted = false;        // see `note_overdue_asks`; the note waits in the mailbox
};

/// An ask that was opened, and where its continuation is to be built.
struct opened_ask {
  origin from;           // the sender of the message that asks
  void* then = nullptr;  // null: there was no slot, no memory or no timer
};

/// Opens an ask of `asker`; the caller builds the continuation before it does anything else.
[[nodiscard]] opened_ask open_ask(thread_record& here, cell& asker, const actor_ref<>& to,
                                  duration timeout, const continuation_operations& then) noexcept;

/// The result of `adopt_ask`.
enum class adoption : std::uint8_t {
  adopted,   // the actor gets the answer
  answered,  // an answer has come, or comes at this moment, to the thread's ask
  refused,   // there was no memory or no timer
};
struct adopted_ask {
  adoption went = adoption::refused;
  void* then = nullptr;  // adopted: where the continuation is to be built
};
/// `asker` takes over the ask of a thread. Requires: the continuation is larger than a pointer.
[[nodiscard]] adopted_ask adopt_ask(thread_record& here, cell& asker, thread_ask& asked,
                                    duration timeout, const continuation_operations& then) noexcept;

/// The message in which an actor tells itself that an ask was refused.
struct refused_ask {
  const continuation_operations* operations;
  actor_ref<> target;
  ask_failure kind;
  void* then;
};
/// Queues such a message. Requires: the payload begins with a `refused_ask`.
void queue_refused_ask(thread_record& here, cell& asker, envelope& e) noexcept;
/// There was no memory for that message either: the actor fails.
void fail_without_memory(thread_record& here, cell& asker) noexcept;

/// Queues a note behind all answers that have come so far: the timeout of an ask has passed. An
/// answer queued before the note wins. Returns: false if there is no memory for it.
[[nodiscard]] bool note_overdue_asks(thread_record& here, cell& asker) noexcept;
/// Tells whether `answer` is such a note, to this tenant.
[[nodiscard]] bool is_overdue_note(const cell& asker, const envelope& answer) noexcept;
/// The note has left the mailbox.
void take_overdue_note(cell& asker) noexcept;

/// Ends the ask that `e` answers and calls its continuation. Returns: `unhandled` if it answers no
/// pending ask of `asker`. Requires: an `answer`.
call_result take_answer(const turn_context& in, envelope& e, failure& why) noexcept;

/// The ask that times out first, if its timeout has passed; null otherwise.
[[nodiscard]] ask_slot* first_due_ask(const cell& asker, std::uint64_t now_ns) noexcept;
/// Ends an ask without an answer, and calls its continuation.
call_result fail_ask(thread_record& here, cell& asker, ask_slot& slot, ask_failure why_none,
                     std::uint64_t now_ns, failure& why) noexcept;

/// The place of an ask in the order of timeouts; the default comes before all.
struct ask_position {
  std::uint64_t deadline_ns = 0;
  std::uint32_t number = 0;
};
/// Looks behind `after`, which moves on, for an ask whose timeout has passed while its message
/// waited in an outbox. The message leaves the outbox. Returns: null if there is none.
[[nodiscard]] ask_slot* withdraw_next_due(thread_record& here, cell& asker, ask_position& after,
                                          std::uint64_t now_ns) noexcept;
/// The ask `question` to `target` is over: its message leaves the outbox if it waits there, and the
/// asker goes on if nothing else does. Returns: whether it did.
bool withdraw_question(thread_record& here, cell& asker, const actor_ref<>& target,
                       origin question) noexcept;

/// Sets the deadline for the next ask, if there is one. Returns: false if there is no timer for it.
[[nodiscard]] bool set_next_deadline(system_services& services, cell& asker,
                                     std::uint64_t now_ns) noexcept;

/// After awaits have ended: queues a note for asks that are due, if none is queued, and sets the
/// deadline for what is left. Returns: false if there is no memory or no timer for that.
[[nodiscard]] bool set_deadline_of_awaits(const turn_context& in, std::uint64_t now_ns) noexcept;

/// Closes all asks of an actor; their continuations are destroyed without being called.
void end_asks(thread_record& here, cell& asker) noexcept;

inline namespace TACTOR_EXCEPTION_MODE {

/// The `continuation_operations` of a continuation.
template <class Message, class Context, class Then>
struct continuation_of {
  using reply = reply_of<Message>;
  using outcome = std::expected<reply, ask_error>;
  static constexpr bool takes_context = std::is_invocable_v<Then&, Context&, outcome>;

  /// See `continuation_operations::run`.
  static call_result run(void* then, context& ctx, envelope* answer, const ask_error* without,
                         failure& why) noexcept {
    return guarded(why, [&] {
      Then& call = *static_cast<Then*>(then);
      Context& typed = static_cast<Context&>(ctx);
      if (answer == nullptr) [[unlikely]]
        return settle(why, call, typed, told(*without));
      if constexpr (std::is_void_v<reply>) {
        return settle(why, call, typed, outcome{});
      } else {
        std::byte* const at = reinterpret_cast<std::byte*>(answer) + payload_offset(alignof(reply));
        return settle(
            why, call, typed,
            outcome{std::in_place, std::move(*std::launder(reinterpret_cast<reply*>(at)))});
      }
    });
  }

  static constexpr continuation_operations value{.run = run, .object = contents::of_object<Then>()};

private:
  static outcome told(ask_error without) {
    without.message_type = identity_of<Message>.name;
    return outcome{std::unexpect, without};
  }
  static decltype(auto) call_it(Then& call, Context& ctx, outcome&& said) {
    if constexpr (takes_context) {
      return call(ctx, std::move(said));
    } else {
      (void)ctx;
      return call(std::move(said));
    }
  }
  static call_result settle(failure& why, Then& call, Context& ctx, outcome&& said) {
    if constexpr (std::is_void_v<decltype(call_it(call, ctx, std::move(said)))>) {
      call_it(call, ctx, std::move(said));
    } else {
      std::expected<void, failure> result = call_it(call, ctx, std::move(said));
      if (!result) {
        why = result.error();
        return call_result::failed;
      }
    }
    return call_result::done;
  }
};

/// The message of a refused ask, with its continuation.
template <class Then>
struct refused_ask_message {
  using suppress_dead_letter = void;
  static constexpr const char* type_name = "refused ask";

  internal::refused_ask head;
  Then then;
};

}  // namespace TACTOR_EXCEPTION_MODE

template <class Result>
inline constexpr bool is_nothing_or_failure =
    std::is_void_v<Result> || std::is_same_v<Result, std::expected<void, failure>>;

template <class Then, class Context, class Outcome>
consteval bool continues() noexcept {
  if constexpr (std::is_invocable_v<Then&, Context&, Outcome>) {
    return is_nothing_or_failure<std::invoke_result_t<Then&, Context&, Outcome>>;
  } else if constexpr (std::is_invocable_v<Then&, Outcome>) {
    return is_nothing_or_failure<std::invoke_result_t<Then&, Outcome>>;
  } else {
    return false;
  }
}

/// One error for each mistake with a continuation.
template <class Message, class Then, bool Fits, bool Moves>
struct continuation_check {
  static_assert(Fits, "a continuation is a lambda like [](context&, std::expected<Message::reply, "
                      "ask_error>) {...}, with or without the context, that returns nothing "
                      "or std::expected<void, tactor::failure>");
  static_assert(Moves,
                "a continuation must move without throwing: it is kept until the answer comes");
};

/// Tells the actor in a later turn that its ask was refused; the message is a dead letter.
template <class Message, class Context, class Then>
void refuse_ask(thread_record& here, cell& asker, const actor_ref<>& to, Then then) noexcept {
  using message = refused_ask_message<Then>;
  const ask_failure kind =
      dead_ask_no_memory(here, to.slot(), to.generation(), operations_of<Message>);
  envelope* const e = new_envelope<message>(here);
  if (e == nullptr) return fail_without_memory(here, asker);
  auto* const inside = ::new (payload_of(*e))
      message{.head = {.operations = &continuation_of<Message, Context, Then>::value,
                       .target = to,
                       .kind = kind,
                       .then = nullptr},
              .then = std::move(then)};
  inside->head.then = &inside->then;
  queue_refused_ask(here, asker, *e);
}

/// Asks in the name of `asker`, whose context is a `Context`.
template <class Message, class Context, class Then, class... Parts>
void ask_from(cell& asker, const actor_ref<>& to, duration timeout, Then&& then, Parts&&... parts) {
  using kept = std::remove_cvref_t<Then>;
  thread_record& here = this_thread();
  const bool in_time = timeout > duration{};
  envelope* const e = in_time ? enclose<Message>(here, std::forward<Parts>(parts)...) : nullptr;
  const opened_ask opened =
      in_time && e == nullptr
          ? opened_ask{}
          : open_ask(here, asker, to, timeout, continuation_of<Message, Context, kept>::value);
  if (opened.then == nullptr) [[unlikely]] {
    if (e != nullptr) discard_lost(here, *e);
    return refuse_ask<Message, Context>(here, asker, to, kept(std::forward<Then>(then)));
  }
  ::new (opened.then) kept(std::forward<Then>(then));
  if (!in_time) [[unlikely]]
    return refuse_answer(here, opened.from, ask_failure::refused);
  e->from = opened.from;
  (void)send(here, to.slot(), to.generation(), *e);
}

/// Checks at compile time that `Message` can be asked with `Then`, then asks.
template <class Message, class Context, class Then, class... Messages, class... Parts>
void checked_ask(cell& asker, const actor_ref<Messages...>& to, duration timeout, Then& then,
                 Parts&&... parts) {
  constexpr bool askable = has_reply<Message>;
  constexpr bool taken = is_among<Message, Messages...> && is_message<Message>;
  constexpr bool fits =
      !askable || continues<Then, Context, std::expected<reply_of<Message>, ask_error>>();
  constexpr bool moves = std::is_nothrow_move_constructible_v<Then>;
  constexpr bool buildable = !taken || buildable_from<Message, Parts...>;
  (void)ask_check<Message, askable>{};
  (void)message_check<actor_ref<Messages...>, Message, is_among<Message, Messages...>>{};
  (void)continuation_check<Message, Then, fits, moves>{};
  (void)parts_check<Message, buildable>{};
  if constexpr (askable && taken && fits && moves && buildable)
    ask_from<Message, Context>(asker, to, timeout, std::move(then), std::forward<Parts>(parts)...);
}

}  // namespace tactor::inline v0::internal
