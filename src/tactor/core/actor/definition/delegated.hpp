// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace tactor::inline v0 {

/// The result of a handler whose message another actor will answer:
/// `return ctx.forward(desk_, std::move(order));`
template <class Reply>
class [[nodiscard]] delegated {
public:
  /// For `forward` and `reply_to`, which have seen to the answer.
  [[nodiscard]] static constexpr delegated made() noexcept { return delegated{}; }

private:
  constexpr delegated() noexcept = default;
};

}  // namespace tactor::inline v0
