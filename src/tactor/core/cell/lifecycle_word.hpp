// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <cstdint>
#include <limits>

namespace tactor::inline v0::internal {

/// The tenancy of a slot, and the requests made to its tenant: in one word, so that a request
/// through a stale reference is refused and never reaches the next tenant. A value.
///
/// Generations are odd while the slot has a tenant and even in between; 0 is a slot that was never
/// used. When its generations are used up the slot is retired.
struct lifecycle_word {
  std::uintptr_t bits = 0;

  [[nodiscard]] constexpr std::uint32_t generation() const noexcept {
    return static_cast<std::uint32_t>(bits >> request_bits);
  }
  [[nodiscard]] constexpr bool occupied() const noexcept { return generation() % 2 == 1; }
  [[nodiscard]] constexpr bool stop_requested() const noexcept { return (bits & stop_bit) != 0; }
  /// Tells whether `tenant` has the slot, and was not asked to drain.
  [[nodiscard]] constexpr bool accepts_mail_for(std::uint32_t tenant) const noexcept {
    return bits - with_generation(tenant).bits < drain_bit;  // leaves the tenant's requests
  }
  [[nodiscard]] constexpr bool drain_requested() const noexcept { return (bits & drain_bit) != 0; }

  /// A fresh instance is to replace it.
  [[nodiscard]] constexpr bool restart_requested() const noexcept {
    return (bits & restart_bit) != 0;
  }
  /// It failed, and is to continue with its state.
  [[nodiscard]] constexpr bool resume_requested() const noexcept {
    return (bits & resume_bit) != 0;
  }
  /// Its parent has failed. Not a request but a state: the parent clears it.
  [[nodiscard]] constexpr bool suspended_by_parent() const noexcept {
    return (bits & parent_bit) != 0;
  }

  /// Its parent has taken over its failure, and has not recovered. A state, too.
  [[nodiscard]] constexpr bool escalated() const noexcept { return (bits & escalated_bit) != 0; }

  /// Tells whether anything was asked of the tenant.
  [[nodiscard]] constexpr bool has_requests() const noexcept { return (bits & request_mask) != 0; }

  [[nodiscard]] constexpr lifecycle_word with_stop_request() const noexcept {
    return {bits | stop_bit};
  }
  [[nodiscard]] constexpr lifecycle_word with_drain_request() const noexcept {
    return {bits | drain_bit};
  }
  [[nodiscard]] constexpr lifecycle_word with_restart_request() const noexcept {
    return {bits | restart_bit};
  }
  [[nodiscard]] constexpr lifecycle_word with_resume_request() const noexcept {
    return {bits | resume_bit};
  }
  [[nodiscard]] constexpr lifecycle_word with_parent_suspension() const noexcept {
    return {bits | parent_bit};
  }
  [[nodiscard]] constexpr lifecycle_word without_parent_suspension() const noexcept {
    return {bits & ~parent_bit};
  }
  [[nodiscard]] constexpr lifecycle_word with_escalation() const noexcept {
    return {bits | escalated_bit};
  }
  [[nodiscard]] constexpr lifecycle_word without_escalation() const noexcept {
    return {bits & ~escalated_bit};
  }
  /// The directives in `done` were carried out; its supervisor may have added others since.
  [[nodiscard]] constexpr lifecycle_word without_directive(lifecycle_word done) const noexcept {
    return {bits & ~(done.bits & (restart_bit | resume_bit))};
  }
  /// The next tenancy begins, or the current tenancy ends; there are no requests.
  [[nodiscard]] constexpr lifecycle_word next_generation() const noexcept {
    return {(bits | request_mask) + 1};
  }
  /// Tells whether the slot can have no more tenants.
  [[nodiscard]] constexpr bool used_up() const noexcept { return generation() == last_generation; }

  /// A slot with this generation and no requests.
  [[nodiscard]] static constexpr lifecycle_word with_generation(std::uint32_t generation) noexcept {
    return {static_cast<std::uintptr_t>(generation) << request_bits};
  }

  static constexpr unsigned request_bits = port::sizes::request_bits;
  /// The last even generation: the slot is empty, and is not used again, so that the number never
  /// wraps.
  static constexpr std::uint32_t last_generation = static_cast<std::uint32_t>(
      (std::numeric_limits<std::uintptr_t>::max() >> request_bits) & ~std::uintptr_t{1});

private:
  static constexpr std::uintptr_t request_mask = (std::uintptr_t{1} << request_bits) - 1;
  static constexpr std::uintptr_t stop_bit = 1;
  // Next to the generation, so that a sender tests both in one comparison.
  static constexpr std::uintptr_t drain_bit = std::uintptr_t{1} << (request_bits - 1);
  static constexpr std::uintptr_t restart_bit = 4;
  static constexpr std::uintptr_t resume_bit = 8;
  static constexpr std::uintptr_t parent_bit = 16;
  static constexpr std::uintptr_t escalated_bit = 32;
};

/// A change of the word without a parameter, such as `&lifecycle_word::with_stop_request`.
using lifecycle_change = lifecycle_word (lifecycle_word::*)() const noexcept;

static_assert(!lifecycle_word{}.occupied());
static_assert(lifecycle_word{}.with_stop_request().next_generation().generation() == 1);
static_assert(!lifecycle_word{}.with_stop_request().next_generation().stop_requested());
static_assert(lifecycle_word::with_generation(lifecycle_word::last_generation).used_up());
static_assert(lifecycle_word::with_generation(3).with_stop_request().accepts_mail_for(3));
static_assert(!lifecycle_word::with_generation(3).accepts_mail_for(5));
static_assert(!lifecycle_word::with_generation(3).accepts_mail_for(1));
static_assert(!lifecycle_word{}.accepts_mail_for(lifecycle_word::last_generation + 1));
static_assert(!lifecycle_word::with_generation(3).with_drain_request().accepts_mail_for(3));
static_assert(lifecycle_word::with_generation(3).with_escalation().accepts_mail_for(3));

}  // namespace tactor::inline v0::internal
