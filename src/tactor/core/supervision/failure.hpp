// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactor::inline v0 {

/// Describes a failure of an actor: what its handler returned, or threw where exceptions are on. A
/// value that allocates nothing; a long text is truncated.
///
///     std::expected<int, tactor::failure> receive(context&, const quote& q) {
///       if (q.item.empty()) return std::unexpected{tactor::failure{"no item"}};
class failure {
public:
  /// Says if the failure was returned or thrown.
  enum class origin : std::uint8_t { returned, thrown };

  /// No failure yet. Its text stays uninitialised: one such object is made per handled message.
  constexpr failure() noexcept {}  // NOLINT(modernize-use-equals-default)
  /// A failure that a handler returns. `code` is up to the application. The other arguments say
  /// where it was made. (Not a `std::source_location`: g++ keeps each of those in a board's RAM.)
  constexpr explicit failure(std::string_view text, std::int32_t code = 0,
                             const char* made_in = __builtin_FILE(),
                             std::uint32_t at_line = __builtin_LINE()) noexcept
      : file_(made_in), line_(at_line), code_(code), length_(cut(text.size())) {
    copy(text);
  }

  /// A thrown exception: its `what`, and its type as the port knows it, or null.
  [[nodiscard]] static constexpr failure of_thrown(std::string_view what,
                                                   const void* type) noexcept {
    failure made;
    made.type_ = type;
    made.origin_ = origin::thrown;
    made.length_ = cut(what.size());
    made.copy(what);
    return made;
  }
  /// No failure yet, all-zero: for objects that live long.
  [[nodiscard]] static constexpr failure nothing_yet() noexcept {
    failure made;
    for (char& each : made.text_)
      each = 0;
    return made;
  }

  /// The returned text, or the exception's.
  [[nodiscard]] constexpr std::string_view text() const noexcept { return {text_, length_}; }
  [[nodiscard]] constexpr std::int32_t code() const noexcept { return code_; }
  [[nodiscard]] constexpr origin from() const noexcept { return origin_; }
  /// The type of the thrown object, for `threw<E>` and `port::write_type_name`; null: none.
  [[nodiscard]] constexpr const void* thrown_type() const noexcept { return type_; }
  /// The source file in which the failure was made; empty for an exception.
  [[nodiscard]] constexpr std::string_view file() const noexcept {
    return file_ == nullptr ? std::string_view{} : std::string_view{file_};
  }
  /// 0 for an exception.
  [[nodiscard]] constexpr std::uint32_t line() const noexcept { return line_; }

private:
  static constexpr std::size_t most = port::sizes::failure_text;
  static constexpr std::uint8_t cut(std::size_t size) noexcept {
    return static_cast<std::uint8_t>(size < most ? size : most);
  }
  constexpr void copy(std::string_view text) noexcept {
    for (std::size_t i = 0; i < length_; ++i)
      text_[i] = text[i];
  }

  const void* type_ = nullptr;
  const char* file_ = nullptr;
  std::uint32_t line_ = 0;
  std::int32_t code_ = 0;
  origin origin_ = origin::returned;
  std::uint8_t length_ = 0;
  char text_[most];
};

/// The failure of a turn, and the back-off that the actor's strategy gave it.
struct turn_failure {
  failure error = failure::nothing_yet();
  duration retry_after = {};  // zero: at once, or there is no restart
};

}  // namespace tactor::inline v0
