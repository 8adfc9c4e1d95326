// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/supervision/failure.hpp"

#include <typeinfo>

namespace tactor::inline v0 {

/// Whether the failure was an exception of exactly this type. (A derived type does not match: the
/// exception itself is gone when a decider runs, only its type is known.)
template <class Exception>
[[nodiscard]] bool threw(const failure& why) noexcept {
  const auto* const type = static_cast<const std::type_info*>(why.thrown_type());
  return type != nullptr && *type == typeid(Exception);
}

}  // namespace tactor::inline v0
