// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/log_record.hpp"

namespace tactor::inline v0 {

/// The receiver of log records: a function, with or without a context pointer. A value; keeps
/// nothing alive. The function is called by any thread, also by several at once, so it must be
/// short, and must not log.
class log_sink {
public:
  using function = void(const log_record& record) noexcept;
  using function_of_context = void(void* context, const log_record& record) noexcept;

  /// Takes nothing.
  constexpr log_sink() noexcept = default;
  // NOLINTNEXTLINE(google-explicit-constructor): `config.log.sink = write_to_serial_line`
  constexpr log_sink(function* take) noexcept : plain_(take) {}
  constexpr log_sink(function_of_context* take, void* context) noexcept
      : with_context_(take), context_(context) {}

  /// False if records are discarded.
  [[nodiscard]] constexpr bool present() const noexcept {
    return plain_ != nullptr || with_context_ != nullptr;
  }
  /// Passes a record to the function.
  void write(const log_record& record) const noexcept {
    if (plain_ != nullptr) {
      plain_(record);
    } else if (with_context_ != nullptr) {
      with_context_(context_, record);
    }
  }

private:
  function* plain_ = nullptr;
  function_of_context* with_context_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace tactor::inline v0
