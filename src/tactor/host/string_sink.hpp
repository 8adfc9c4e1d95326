// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/text_writer.hpp"

#include <new>
#include <string>
#include <string_view>

namespace tactor::inline v0 {

/// Appends text to a string, up to the first piece for which there is no memory. Context: owner
/// only.
///
///     std::string text;
///     tactor::string_sink to{text};
///     system.dump(tactor::dump_format::json, to);
///     to.check();
class string_sink final : public text_sink {
public:
  /// Requires: `to` outlives the sink.
  explicit string_sink(std::string& to) noexcept : to_(to) {}
  void write(std::string_view piece) noexcept override {
    try {
      if (!failed_) to_.append(piece);
    } catch (const std::bad_alloc&) {
      failed_ = true;
    }
  }
  /// Throws: std::bad_alloc if a piece is missing.
  void check() const {
    if (failed_) throw std::bad_alloc{};
  }

private:
  std::string& to_;
  bool failed_ = false;
};

}  // namespace tactor::inline v0
