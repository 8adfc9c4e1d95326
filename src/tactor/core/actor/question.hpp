// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/actor_ref.hpp"
#include "tactor/core/actor/answer.hpp"
#include "tactor/core/actor/cell.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/message_operations.hpp"

#include <cstdint>
#include <expected>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

/// A question without an answer, and why.
struct ask_error {
  ask_failure kind = ask_failure::timed_out;
  actor_ref<> target;
  std::string_view message_type;
  duration waited;  // how long until this was known
};

namespace internal {

/// `length` after `now_ns`; the end of time if that is later.
[[nodiscard]] constexpr std::uint64_t later(std::uint64_t now_ns, duration length) noexcept {
  const std::int64_t ns = length.nanoseconds();
  const std::uint64_t sum = now_ns + static_cast<std::uint64_t>(ns < 0 ? 0 : ns);
  return sum < now_ns ? ~std::uint64_t{0} : sum;
}

/// One error for a message that nobody can answer.
template <class Message, bool HasReply>
struct ask_check {
  static_assert(HasReply, "this message has no reply: add `using reply = ...;` to it, or use tell");
};

}  // namespace internal

/// A place where one answer arrives: a slot with a mailbox and no actor. An answer that comes when
/// it is closed is a dead letter, as with any reference that is stale.
class question {
public:
  /// A question that could not be made: there was no memory.
  question() noexcept = default;
  question(question&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
  question& operator=(question&& other) noexcept {
    std::swap(cell_, other.cell_);
    return *this;
  }
  question(const question&) = delete;
  question& operator=(const question&) = delete;
  ~question() { close(); }

  /// Opens one. `gate` is where late answers are reported.
  [[nodiscard]] static question open(home_gate* gate) noexcept;

  [[nodiscard]] explicit operator bool() const noexcept { return cell_ != nullptr; }
  /// What the asked message comes from.
  [[nodiscard]] origin as_origin() const noexcept {
    return origin::of_question(cell_->slot, cell_->tenant);
  }
  /// Whether an answer has come.
  [[nodiscard]] bool answered() noexcept { return cell_ != nullptr && front() != nullptr; }
  /// The answer. Requires: `answered`; once.
  template <class Reply>
  [[nodiscard]] std::expected<Reply, ask_failure> take() {
    using sent = std::conditional_t<std::is_void_v<Reply>, acknowledged, Reply>;
    envelope& e = *front();
    if (same_type(*e.operations, operations_of<not_answered>))
      return std::unexpected{static_cast<not_answered*>(payload_of(e))->why};
    if constexpr (std::is_void_v<Reply>) {
      return {};
    } else {
      return std::move(*static_cast<sent*>(payload_of(e)));
    }
  }
  /// Takes no answer any more.
  void close() noexcept;

private:
  explicit question(cell& c) noexcept : cell_(&c) {}

  /// The answer; null: none yet.
  [[nodiscard]] envelope* front() noexcept;

  cell* cell_ = nullptr;
};

}  // namespace tactor::inline v0
