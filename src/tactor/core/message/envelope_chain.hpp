// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/message/envelope.hpp"

namespace tactor::inline v0::internal {

/// Envelopes taken out of a mailbox, oldest first. Context: its owner.
class envelope_chain {
public:
  constexpr envelope_chain() noexcept = default;
  constexpr explicit envelope_chain(envelope* oldest) noexcept : oldest_(oldest) {}

  /// Removes and returns the oldest, or returns null.
  [[nodiscard]] envelope* pop() noexcept {
    envelope* const oldest = oldest_;
    if (oldest != nullptr) oldest_ = oldest->next.get();
    return oldest;
  }
  /// The oldest, or null.
  [[nodiscard]] envelope* oldest() const noexcept { return oldest_; }
  [[nodiscard]] bool empty() const noexcept { return oldest_ == nullptr; }
  /// The only one; null if there is none, or more.
  [[nodiscard]] envelope* single() const noexcept {
    return oldest_ != nullptr && oldest_->next.get() == nullptr ? oldest_ : nullptr;
  }

private:
  envelope* oldest_ = nullptr;
};

}  // namespace tactor::inline v0::internal
