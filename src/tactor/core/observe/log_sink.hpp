// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/observe/log_record.hpp"

#include <type_traits>

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
  /// A lambda: `config.log.sink = [](const tactor::log_record& record) noexcept { ... }`.
  template <class Lambda>
    requires(std::is_class_v<Lambda> && std::is_invocable_v<const Lambda&, const log_record&>)
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr log_sink(const Lambda& take) noexcept {
    constexpr bool has_no_captures =
        std::is_convertible_v<const Lambda&, void (*)(const log_record&)>;
    constexpr bool does_not_throw = std::is_nothrow_invocable_v<const Lambda&, const log_record&>;
    static_assert(has_no_captures, "a log sink is a lambda without captures, or a function and a "
                                   "pointer that is passed to it: {function, &object}");
    static_assert(does_not_throw, "a log sink does not throw: write "
                                  "[](const tactor::log_record& record) noexcept { ... }");
    if constexpr (has_no_captures && does_not_throw) plain_ = take;
  }
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
