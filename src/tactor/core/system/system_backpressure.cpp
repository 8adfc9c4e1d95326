// SPDX-License-Identifier: BSL-1.0
// What a system does for actors that send to full mailboxes.
#include "tactor/core/actor/lifecycle/outbox.hpp"
#include "tactor/core/system/system_core.hpp"

namespace tactor::inline v0::internal {

offer_result system_core::hold_back(thread_record& here, cell& from, cell& to,
                                    envelope& e) noexcept {
  return internal::hold_back(*this, here, from, to, e);
}

bool system_core::holds_back(const cell& from, const cell& to,
                             std::uint32_t generation) const noexcept {
  return internal::holds_back(from, to, generation);
}

}  // namespace tactor::inline v0::internal
