// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/text_sink.hpp"

#include <new>
#include <string>
#include <string_view>

namespace tactor::inline v0::internal {

/// Collects text in a string, and remembers if there was no memory for it. Context: owner only.
class string_sink final : public text_sink {
public:
  explicit string_sink(std::string& to) noexcept : to_(to) {}
  void write(std::string_view piece) noexcept override {
    try {
      if (!failed_) to_.append(piece);
    } catch (const std::bad_alloc&) {
      failed_ = true;
    }
  }
  /// Throws: std::bad_alloc if something is missing.
  void check() const {
    if (failed_) throw std::bad_alloc{};
  }

private:
  std::string& to_;
  bool failed_ = false;
};

}  // namespace tactor::inline v0::internal
