// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/supervision/failure.hpp"

#include <typeinfo>

namespace tactor::inline v0 {

/// Whether what failed was an exception of exactly this type. (One of a derived type is not: the
/// exception itself is gone when a decider looks, only its type is known.)
template <class Exception>
[[nodiscard]] bool threw(const failure& why) noexcept {
  const auto* const type = static_cast<const std::type_info*>(why.thrown_type());
  return type != nullptr && *type == typeid(Exception);
}

}  // namespace tactor::inline v0
