// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/life/stash.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/followed_message.hpp"

#include <cstdint>
#include <expected>
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

namespace internal {

/// Gives one error for a message that cannot be put into a stash as it was given.
template <class Message, bool CanBeBuilt>
struct stash_check {
  static_assert(CanBeBuilt, "this message cannot be copied: take it by value, receive(context&, "
                            "Message), and stash it with ctx.stash(std::move(message))");
};

}  // namespace internal

/// Puts messages aside, to handle them later: `Self` has `self_cell()` and `batch()`.
///
///     void receive(context& ctx, const job& j) {
///       if (ready_) return run(j);
///       if (!ctx.stash(j)) ctx.log(tactor::log_level::warning, "too many jobs");
///     }
///     void receive(context& ctx, const connected&) {
///       ready_ = true;
///       ctx.unstash_all();
///     }
///
/// A stashed message keeps its sender, its `ctx.batch()` and the obligation to answer; what its
/// handler returns is ignored. The stash survives a restart, and the new instance handles all of it
/// first. When the actor stops, stashed messages become dead letters. Context: the actor's own
/// handlers.
template <class Self>
class stashing {
public:
  /// Stashes the message being handled. A handler that takes it by value moves it:
  /// `ctx.stash(std::move(message))`. It does not count as activity for a receive timeout.
  template <class Message>
  [[nodiscard]] std::expected<void, stash_error> stash(Message&& message) {
    using plain = std::remove_cvref_t<Message>;
    constexpr bool builds = std::is_constructible_v<plain, Message&&>;
    (void)internal::stash_check<plain, builds>{};
    if constexpr (builds) {
      internal::thread_record& here = internal::this_thread();
      internal::cell& c = self().self_cell();
      auto checked = internal::check_stash(here, c, internal::operations_of<plain>);
      if (!checked) return checked;
      internal::envelope* const fresh = enclose<plain>(here, std::forward<Message>(message));
      if (fresh == nullptr) return std::unexpected{stash_error::no_memory};
      internal::stash(c, *fresh);
    }
    return {};
  }
  /// Lets the messages that are in the stash now be handled next, oldest first, before those in the
  /// mailbox. Each leaves the stash after it was handled. An error is also logged.
  std::expected<void, stash_error> unstash_all() noexcept { return unstash(~std::uint32_t{0}); }
  /// Lets at most `most` of them be handled next.
  std::expected<void, stash_error> unstash(std::uint32_t most) noexcept {
    return internal::unstash_or_warn(self().self_cell(), most);
  }
  /// Drops all stashed messages, which count as handled. Asks among them fail with `no_reply`.
  void clear_stash() noexcept {
    internal::clear_stash(internal::this_thread(), self().self_cell());
  }

  /// Returns: true if the message being handled has been stashed by its handler.
  [[nodiscard]] bool is_stashed() const noexcept {
    return internal::is_current_stashed(internal::this_thread(), self().self_cell());
  }
  /// Returns: the number of messages in the stash, including a message that is being replayed.
  [[nodiscard]] std::uint32_t stash_size() const noexcept {
    const internal::stash_record* const s = internal::stash_of(self().self_cell());
    return s == nullptr ? 0 : s->size;
  }
  /// Returns: the number of messages that it can hold; 1024 unless it was set.
  [[nodiscard]] std::uint32_t stash_capacity() const noexcept {
    const internal::stash_record* const s = internal::stash_of(self().self_cell());
    return s == nullptr ? internal::stash_record::default_capacity : s->capacity;
  }
  /// Sets the capacity, also for instances after a restart. If there are more in it, they stay.
  [[nodiscard]] std::expected<void, stash_error>
  set_stash_capacity(std::uint32_t capacity) noexcept {
    if (internal::set_stash_capacity(internal::this_thread(), self().self_cell(), capacity))
      return {};
    return std::unexpected{stash_error::no_memory};
  }
  /// Returns: the oldest stashed message; null if there is none, or if it is of another type.
  template <class Message>
  [[nodiscard]] const Message* stash_front() const noexcept {
    const internal::stash_record* const s = internal::stash_of(self().self_cell());
    return s == nullptr || s->messages.empty() ? nullptr : as<Message>(*s->messages.front());
  }
  /// Returns: true if a `Message` is in the stash for which `holds` returns true.
  template <class Message, class Predicate>
  [[nodiscard]] bool stash_contains(Predicate holds) const {
    const internal::stash_record* const s = internal::stash_of(self().self_cell());
    internal::envelope* each = s == nullptr ? nullptr : s->messages.front();
    for (; each != nullptr; each = each->next.get()) {
      const Message* const message = as<Message>(*each);
      if (message != nullptr && holds(*message)) return true;
    }
    return false;
  }

protected:
  stashing() = default;
  ~stashing() = default;

private:
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }

  /// Encloses a message for the stash. Returns: null if there is no memory.
  template <class Plain, class Message>
  internal::envelope* enclose(internal::thread_record& here, Message&& message) const {
    const execution_batch batch = self().batch();
    if (batch == execution_batch{}) {
      if (auto* const before = internal::as_followed<Plain>(*self().self_cell().current))
        return internal::enclose<internal::followed_message<Plain>>(
            here, std::forward<Message>(message), *before);
      return internal::enclose<Plain>(here, std::forward<Message>(message));
    }
    internal::envelope* const fresh = internal::enclose<internal::stashed_run<Plain>>(
        here, std::forward<Message>(message), batch);
    if (fresh == nullptr) return nullptr;
    fresh->operations = &internal::operations_of_run<Plain>;
    fresh->set_state(internal::is_stashed_run);
    return fresh;
  }

  template <class Message>
  static const Message* as(internal::envelope& e) noexcept {
    const bool fits = internal::same_type(*e.operations, internal::operations_of<Message>);
    return fits ? static_cast<const Message*>(internal::payload_of(e)) : nullptr;
  }
};

}  // namespace tactor::inline v0
