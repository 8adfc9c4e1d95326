// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/cell.hpp"

#include <cstdint>

namespace tactor::inline v0 {

template <class... Messages>
class actor_ref;

/// Names an actor of any type. A trivially copyable value of two words that keeps nothing alive and
/// is safe for ever, also after its actor or its whole system has ended.
template <>
class actor_ref<> {
public:
  /// Names no actor: messages sent to it are dead letters.
  constexpr actor_ref() noexcept = default;
  /// For the runtime: the tenant `generation` of `slot`.
  constexpr actor_ref(internal::cell* slot, std::uint32_t generation) noexcept
      : cell_(slot), generation_(generation) {}

  /// Tells whether it names an actor, dead or alive.
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return cell_ != nullptr; }

  /// For the runtime: the actor's slot, now or formerly.
  [[nodiscard]] constexpr internal::cell* slot() const noexcept { return cell_; }
  [[nodiscard]] constexpr std::uint32_t generation() const noexcept { return generation_; }
  [[nodiscard]] mailbox_index index() const noexcept {
    if (cell_ == nullptr) return {};
    return {.slot = cell_->slot, .generation = generation_};
  }

  friend constexpr bool operator==(const actor_ref& a, const actor_ref& b) noexcept {
    return a.cell_ == b.cell_ && a.generation_ == b.generation_;
  }

private:
  internal::cell* cell_ = nullptr;
  std::uint32_t generation_ = 0;
};

}  // namespace tactor::inline v0
