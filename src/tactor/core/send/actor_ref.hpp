// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/actor_ref_base.hpp"  // IWYU pragma: export (actor_ref<>)
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/message_traits.hpp"
#include "tactor/core/send/send.hpp"
#include "tactor/core/send/tell_result.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <new>  // IWYU pragma: keep (placement new)
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

namespace internal {

template <class Message>
inline constexpr bool is_literal = false;
template <class Letter, std::size_t Size>
inline constexpr bool is_literal<Letter[Size]> = std::same_as<std::remove_const_t<Letter>, char>;

/// One error for each wrong message; the compiler prints its name and the reference's.
template <class Ref, class Message, bool Accepts>
struct message_check {
  static constexpr bool is_no_literal = !is_literal<Message>;
  static constexpr bool is_an_object = is_message<Message> || !is_no_literal;
  static constexpr bool has_a_type = !std::same_as<Ref, actor_ref<>> || !is_message<Message>;
  // Notifications cannot be sent, also to a lambda that handles them.
  static constexpr bool is_taken =
      (Accepts && !is_notification<Message>) || !is_message<Message> || !has_a_type;
  static_assert(is_no_literal, "a text literal is no message: name the type of the message, "
                               "tell<std::string>(\"text\")");
  static_assert(has_a_type, "actor_ref<> takes no message; if it is ctx.self(), the handler takes "
                            "tactor::actor_context<Message>& instead of tactor::context&");
  static_assert(is_an_object, "a message is an object: no reference, no array, not const, with a "
                              "destructor that does not throw");
  static_assert(is_taken, "this actor does not take that message: it is not among the Ms... of its "
                          "actor_ref<Ms...>");
};
template <class Message, bool CanBeBuilt>
struct parts_check {
  static_assert(CanBeBuilt,
                "the message cannot be built from these parts (move a message that cannot be "
                "copied: tell(std::move(message)))");
};
template <class Message, class... Parts>
concept buildable_from = requires { Message{std::declval<Parts>()...}; };

/// An envelope that is freed unless a message was built in it: a throwing constructor of the user's
/// must not leak it.
class unused_envelope {
public:
  unused_envelope(thread_record& here, envelope& e) noexcept : here_(here), envelope_(&e) {}
  unused_envelope(const unused_envelope&) = delete;
  unused_envelope& operator=(const unused_envelope&) = delete;
  ~unused_envelope() {
    if (envelope_ != nullptr) free_envelope(here_, *envelope_);
  }
  void is_used() noexcept { envelope_ = nullptr; }

private:
  thread_record& here_;
  envelope* envelope_;
};

/// Discards an envelope at the end of the scope, also after an exception.
class discarded_at_the_end {
public:
  discarded_at_the_end(thread_record& here, envelope& e) noexcept : here_(here), envelope_(e) {}
  discarded_at_the_end(const discarded_at_the_end&) = delete;
  discarded_at_the_end& operator=(const discarded_at_the_end&) = delete;
  ~discarded_at_the_end() { discard_envelope(here_, envelope_); }

private:
  thread_record& here_;
  envelope& envelope_;
};

/// Builds a message in an envelope. Returns: null if there is no memory.
template <class Message, class... Parts>
[[nodiscard]] envelope* enclose(thread_record& here, Parts&&... parts) {
  envelope* const e = new_envelope<Message>(here);
  if (e == nullptr) return nullptr;
  std::byte* const at = reinterpret_cast<std::byte*>(e) + payload_offset(alignof(Message));
  if constexpr (noexcept(Message{std::declval<Parts>()...})) {
    ::new (static_cast<void*>(at)) Message{std::forward<Parts>(parts)...};
  } else {
    unused_envelope unused{here, *e};
    ::new (static_cast<void*>(at)) Message{std::forward<Parts>(parts)...};
    unused.is_used();
  }
  return e;
}

}  // namespace internal

/// Names an actor that takes these messages. Converts implicitly to a reference that takes fewer of
/// them, in any order; never to a reference that takes more.
template <class... Messages>
class actor_ref : public actor_ref<> {
public:
  constexpr actor_ref() noexcept = default;
  constexpr actor_ref(internal::cell* slot, std::uint32_t generation) noexcept
      : actor_ref<>(slot, generation) {}
  /// Narrows: takes fewer messages than `other`, or all of them in another order.
  template <class... Others>
    requires(sizeof...(Others) > 0 && (internal::is_among<Messages, Others...> && ...))
  constexpr actor_ref(const actor_ref<Others...>& other) noexcept  // implicit: it is the same actor
      : actor_ref<>(other.slot(), other.generation()) {}

  /// True if `Message` may be sent there.
  template <class Message>
  static constexpr bool accepts =
      internal::is_among<Message, Messages...> && !internal::is_notification<Message>;

  /// Sends a message. Messages from one actor to another arrive in the order in which they were
  /// sent. A refused message becomes a dead letter. Context: any thread; on a board also any
  /// interrupt, which never waits, and whose refused messages are only counted.
  template <class Message>
  tell_result tell(Message&& message) const {
    return deliver<std::remove_cvref_t<Message>>(std::forward<Message>(message));
  }
  /// Sends a message that is built from its parts inside its envelope.
  template <class Message, class... Parts>
  tell_result tell(Parts&&... parts) const {
    return deliver<Message>(std::forward<Parts>(parts)...);
  }

  /// Sends a message, or returns it with the reason. Nothing becomes a dead letter.
  template <class Message>
  [[nodiscard]] std::expected<void, refusal<std::remove_cvref_t<Message>>>
  try_tell(Message&& message) const {
    using plain = std::remove_cvref_t<Message>;
    (void)internal::message_check<actor_ref, plain, accepts<plain>>{};
    internal::thread_record& here = internal::this_sender();
    internal::envelope* const e = internal::enclose<plain>(here, std::forward<Message>(message));
    if (e == nullptr) {
      // NOLINTBEGIN(bugprone-use-after-move): without an envelope it was not moved from
      return std::unexpected{
          refusal<plain>{.why = refusal_without_memory(slot(), generation()).result,
                         .message = std::forward<Message>(message)}};
      // NOLINTEND(bugprone-use-after-move)
    }
    e->from = here.sender;
    const tell_result result = offer(here, slot(), generation(), *e).result;
    if (result == tell_result::ok) return {};
    const internal::discarded_at_the_end over{here, *e};  // also if the message cannot be moved out
    return std::unexpected{
        refusal<plain>{.why = result, .message = std::move(*static_cast<plain*>(payload_of(*e)))}};
  }

private:
  template <class Message, class... Parts>
  tell_result deliver(Parts&&... parts) const {
    constexpr bool is_wrong = !accepts<Message> || !is_message<Message>;
    constexpr bool can_be_built = is_wrong || internal::buildable_from<Message, Parts...>;
    (void)internal::message_check<actor_ref, Message, accepts<Message>>{};
    (void)internal::parts_check<Message, can_be_built>{};
    if constexpr (is_wrong || !can_be_built) {
      return tell_result::closed;  // a stub: the mistake was reported
    } else {
      internal::thread_record& here = internal::this_sender();
      internal::envelope* const e = internal::enclose<Message>(here, std::forward<Parts>(parts)...);
      if (e == nullptr)
        return dead_letter_no_memory(here, slot(), generation(), internal::operations_of<Message>);
      e->from = here.sender;
      return send(here, slot(), generation(), *e);
    }
  }
};

static_assert(std::is_trivially_copyable_v<actor_ref<int>>);
static_assert(sizeof(actor_ref<int>) == 2 * sizeof(internal::cell*));

}  // namespace tactor::inline v0

// NOLINTBEGIN(misc-include-cleaner): std::hash is declared with std::string_view; <functional> is
// banned here
/// References can be keys.
template <class... Messages>
struct std::hash<tactor::actor_ref<Messages...>> {
  /// Equal for references to one tenancy.
  [[nodiscard]] std::size_t operator()(const tactor::actor_ref<>& ref) const noexcept {
    const auto address = reinterpret_cast<std::size_t>(ref.slot());
    return (address >> 8) * 0x9E37'79B9U ^ ref.generation();
  }
};
// NOLINTEND(misc-include-cleaner)
