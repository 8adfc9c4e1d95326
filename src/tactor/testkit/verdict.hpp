// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace tactor::inline v0::testkit {

/// The result of a check: fine, or what is wrong. A value and not an assertion, so that any test
/// framework can report and shrink it.
struct [[nodiscard]] verdict {
  const char* complaint = nullptr;  // null: fine

  explicit constexpr operator bool() const noexcept { return complaint == nullptr; }
};

}  // namespace tactor::inline v0::testkit
