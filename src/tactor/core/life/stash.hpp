// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_fifo.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <new>
#include <utility>

namespace tactor::inline v0 {

/// Why a message was not stashed, or the stash not replayed.
enum class stash_error : std::uint8_t {
  full,             // it holds as many messages as its capacity allows
  no_memory,        //
  already_stashed,  // the message being handled is in the stash
  not_current,      // it is not the message being handled
  not_running,      // the actor starts, restarts or stops, or another actor runs on this thread
};

/// Says in one sentence what happened and what to do.
[[nodiscard]] constexpr const char* to_text(stash_error why) noexcept {
  switch (why) {
  case stash_error::full:
    return "the stash is full: unstash earlier, refuse the message, or raise the capacity with "
           "set_stash_capacity";
  case stash_error::no_memory:
    return "no memory for a stashed message: stash fewer, or provide more memory";
  case stash_error::already_stashed:
    return "the message is in the stash already: stash it once";
  case stash_error::not_current:
    return "only the message being handled can be stashed: call stash in its handler";
  case stash_error::not_running:
    return "the stash is used by the actor's own handlers: not in post_stop or pre_restart (a "
           "restart replays it by itself), and not with the context of another actor";
  }
  return "";
}

namespace internal {

/// Messages that an actor has put aside. Context: the worker that runs the cell.
struct stash_record {
  static constexpr const char* type_name = "stash";
  static constexpr std::uint32_t default_capacity = 1024;

  intrusive_fifo<envelope> messages;
  std::uint32_t size = 0;
  std::uint32_t capacity = default_capacity;
  std::uint32_t to_replay = 0;  // from the oldest on, with the message being replayed
};

/// A stashed message of a periodic timer, and the runs that it stands for.
template <class Message>
struct stashed_run {
  template <class Given>
  stashed_run(Given&& given, const execution_batch& of)
      : message(std::forward<Given>(given)), batch(of) {}

  Message message;
  alignas(Message) alignas(execution_batch) execution_batch batch;  // see `batch_of_run`
};
/// The operations of a stashed run: those of its message, in a larger block.
template <class Message>
inline constexpr message_operations operations_of_run = [] {
  static_assert(payload_offset(alignof(stashed_run<Message>)) == payload_offset(alignof(Message)));
  return operations_inside<Message, stashed_run<Message>>();
}();
/// The runs that it stands for. Requires: `e` holds a `stashed_run`.
[[nodiscard]] inline execution_batch batch_of_run(envelope& e) noexcept {
  const std::size_t alignment = e.operations->alignment;
  const std::size_t size =
      alignment > sizeof(execution_batch) ? alignment : sizeof(execution_batch);
  const auto* const end = static_cast<const std::byte*>(payload_of(e)) + e.operations->size;
  return *std::launder(reinterpret_cast<const execution_batch*>(end - size));
}

/// Tells whether a message that was handled counts as activity: a stashed message does not.
[[nodiscard]] inline bool counts_as_activity(const envelope& e) noexcept {
  return !e.operations->ignored_by_receive_timeout && e.state() != is_stashed;
}
/// The stash of the actor; null: it has none yet.
[[nodiscard]] stash_record* stash_of(const cell& c) noexcept;
/// Checks whether the message being handled, of type `what`, can be stashed.
[[nodiscard]] std::expected<void, stash_error> check_stash(thread_record& here, cell& c,
                                                           const message_operations& what) noexcept;
/// Stashes `fresh`, which holds the message being handled and gets its sender and the obligation to
/// answer. Requires: `check_stash` has succeeded in this handler.
void stash(cell& c, envelope& fresh) noexcept;
/// The oldest `most` messages of the stash are handled next, before those in the mailbox.
[[nodiscard]] std::expected<void, stash_error> unstash(thread_record& here, cell& c,
                                                       std::uint32_t most) noexcept;
/// Calls `unstash`, and logs a refusal as a warning.
std::expected<void, stash_error> unstash_or_warn(cell& c, std::uint32_t most) noexcept;
/// Tells whether the message being handled was stashed.
[[nodiscard]] bool is_current_stashed(const thread_record& here, const cell& c) noexcept;
/// Sets the capacity. Returns: false if there is no memory.
[[nodiscard]] bool set_stash_capacity(thread_record& here, cell& c,
                                      std::uint32_t capacity) noexcept;
/// Drops all messages of the stash, except a message being replayed.
void clear_stash(thread_record& here, cell& c) noexcept;

/// A new instance handles all stashed messages first.
void replay_after_restart(cell& c) noexcept;
/// The next message to be replayed, which stays in the stash; null: none.
[[nodiscard]] envelope* next_replayed(const cell& c) noexcept;
/// The message being replayed leaves the stash, and the caller keeps it.
[[nodiscard]] envelope& take_replayed(cell& c) noexcept;
/// The message being replayed was handled: it leaves the stash.
void end_replayed(thread_record& here, cell& c) noexcept;
/// The message to be replayed next becomes a dead letter instead.
void drop_replayed(thread_record& here, cell& c, drop_reason why) noexcept;
/// The actor has ended: its stash becomes dead letters, oldest first.
void end_stash(thread_record& here, cell& c) noexcept;

}  // namespace internal
}  // namespace tactor::inline v0
