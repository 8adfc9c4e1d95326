// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/port/port.hpp"

#include <cstddef>
#include <new>
#include <utility>

namespace tactor::inline v0::internal {

/// Memory for a `T` that is made later, and never destroyed. All-zero until then.
template <class T>
struct late {
  alignas(T) std::byte bytes[sizeof(T)] = {};

  /// Requires: it was made, or `T` can be all-zero.
  [[nodiscard]] T& get() noexcept { return *std::launder(reinterpret_cast<T*>(bytes)); }
};

/// A part of a system that only some features use. A host keeps it in the system. A board, which
/// has one system, keeps it in `Outside`: the linker leaves that out if no linked feature uses it,
/// and the feature makes it.
template <class T, late<T>& Outside, bool OfBoard = port::has_interrupts>
class feature_part {
public:
  /// Makes it, on a host.
  template <class... Given>
  explicit feature_part(Given&&... given) noexcept : part_(std::forward<Given>(given)...) {}

  /// Does nothing: it was made with the system.
  template <class... Given>
  static void make(Given&&...) noexcept {}

  [[nodiscard]] T* operator->() noexcept { return &part_; }
  [[nodiscard]] const T* operator->() const noexcept { return &part_; }
  [[nodiscard]] T& operator*() noexcept { return part_; }
  [[nodiscard]] const T& operator*() const noexcept { return part_; }

private:
  T part_;
};

template <class T, late<T>& Outside>
class feature_part<T, Outside, true> {
public:
  /// Makes nothing: see `make`.
  template <class... Given>
  constexpr explicit feature_part(Given&&...) noexcept {}
  /// Makes it. Context: the feature, once.
  template <class... Given>
  static void make(Given&&... given) noexcept {
    ::new (static_cast<void*>(Outside.bytes)) T(std::forward<Given>(given)...);
  }

  [[nodiscard]] T* operator->() const noexcept { return &Outside.get(); }
  [[nodiscard]] T& operator*() const noexcept { return Outside.get(); }
};

}  // namespace tactor::inline v0::internal
