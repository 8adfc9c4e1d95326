// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/supervision/failure.hpp"
#include "tactor/port/port.hpp"

#include <typeinfo>

namespace tactor::inline v0 {

/// Returns: true if the failure was an exception that `catch (const Exception&)` would take, one of
/// this type or of a type derived from it.
template <class Exception>
[[nodiscard]] bool threw(const failure& why) noexcept {
  return port::is_caught_as(why.thrown_type(), &typeid(Exception));
}

}  // namespace tactor::inline v0
