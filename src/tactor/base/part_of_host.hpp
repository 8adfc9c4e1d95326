// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

namespace tactor::inline v0::internal {

/// A pointer to something that only a host may have: on a board it is null.
template <class T, bool OfBoard = port::has_interrupts>
class part_of_host {
public:
  constexpr explicit part_of_host(T* part = nullptr) noexcept : part_(part) {}
  [[nodiscard]] T* get() const noexcept { return part_; }

private:
  T* part_;
};
template <class T>
class part_of_host<T, true> {
public:
  constexpr explicit part_of_host(T* /*part*/ = nullptr) noexcept {}
  [[nodiscard]] static T* get() noexcept { return nullptr; }
};

}  // namespace tactor::inline v0::internal
