// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/exceptions.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/answer.hpp"
#include "tactor/core/send/dead_letters.hpp"
#include "tactor/core/send/message_traits.hpp"
#include "tactor/core/send/send.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace tactor::inline v0::internal {

/// Says how a message ended.
enum class message_end : std::uint8_t {
  handled,  // its handler has ended, also with a failure; or it was cleared from a stash
  lost,     // it was not sent, or became a dead letter
};

/// Learns of messages that are sent with it. It outlives them.
class message_follower {
public:
  /// A message was made. Context: the sender of the message.
  virtual void began() noexcept = 0;
  /// A message does not exist any more. Called once for each that began. Context: any thread;
  /// `handled` on the worker that runs the receiver.
  virtual void ended(message_end how) noexcept = 0;

protected:
  ~message_follower() = default;
};

/// A message whose follower learns how it ends. The runtime takes it for a `Message`: the receiver
/// handles it, stashes it and loses it like any other.
template <class Message>
struct followed_message {
  template <class Given>
  followed_message(Given&& given, message_follower& follower)
      : message(std::forward<Given>(given)), by(&follower) {
    follower.began();
  }
  /// Takes the place of `before`, which is stashed.
  template <class Given>
  followed_message(Given&& given, followed_message& before)
      : message(std::forward<Given>(given)), by(std::exchange(before.by, nullptr)) {}

  Message message;
  message_follower* by;  // null: another message has taken its place
};

template <class Message>
struct reply_type<followed_message<Message>> : reply_type<Message> {};

inline namespace TACTOR_EXCEPTION_MODE {

/// Destroys a followed message in its envelope, and tells its follower.
template <class Message>
void destroy_followed(void* message) noexcept {
  using followed = followed_message<Message>;
  auto* const it = static_cast<followed*>(message);
  auto* const start = static_cast<std::byte*>(message) - payload_offset(alignof(followed));
  const bool lost = std::launder(reinterpret_cast<envelope*>(start))->state() == is_lost;
  message_follower* const by = it->by;
  it->~followed();
  if (by != nullptr) by->ended(lost ? message_end::lost : message_end::handled);
}

/// The operations of a followed message: those of its message, in a larger block.
template <class Message>
inline constexpr message_operations operations_of<followed_message<Message>> = [] {
  using followed = followed_message<Message>;
  static_assert(payload_offset(alignof(followed)) == payload_offset(alignof(Message)));
  message_operations made = operations_inside<Message, followed>();
  made.destroy = destroy_followed<Message>;
  return made;
}();

}  // namespace TACTOR_EXCEPTION_MODE

/// The message in `e` and its follower; null if it has none. Requires: it is a `Message`, not a
/// `stashed_run`.
template <class Message>
[[nodiscard]] followed_message<Message>* as_followed(envelope& e) noexcept {
  using followed = followed_message<Message>;
  // By its size: in another shared library it has other operations.
  if (e.operations->size != sizeof(followed)) return nullptr;
  return std::launder(static_cast<followed*>(payload_of(e)));
}

/// Sends `message` as if it came from `from`; `by` learns how it ends. If it is refused, it becomes
/// a dead letter, and an ask that waits for the answer fails.
template <class Message>
void send_followed(const actor_ref<>& to, origin from, Message&& message, message_follower& by) {
  using plain = std::remove_cvref_t<Message>;
  thread_record& here = this_thread();
  if (envelope* const e =
          enclose<followed_message<plain>>(here, std::forward<Message>(message), by)) {
    e->from = from;
    (void)send(here, to.slot(), to.generation(), *e);
  } else {
    refuse_answer(here, from,
                  dead_ask_no_memory(here, to.slot(), to.generation(), operations_of<plain>));
  }
}

}  // namespace tactor::inline v0::internal
