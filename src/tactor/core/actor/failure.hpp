// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactor::inline v0 {

/// How an actor failed: what its handler returned, or threw where exceptions are on. A value without
/// memory of its own; a long text is cut.
///
///     std::expected<int, tactor::failure> receive(context&, const quote& q) {
///       if (q.item.empty()) return std::unexpected{tactor::failure{"no item"}};
class failure {
public:
  /// How it came about.
  enum class origin : std::uint8_t { returned, thrown };

  /// Nothing yet. Its text is left alone: one stands ready for each message that is handled.
  constexpr failure() noexcept {}  // NOLINT(modernize-use-equals-default)
  /// A failure that a handler returns. `code` is whatever its reader understands.
  constexpr explicit failure(std::string_view text, std::int32_t code = 0,
                             origin from = origin::returned) noexcept
      : code_(code), origin_(from), length_(static_cast<std::uint8_t>(cut(text.size()))) {
    for (std::size_t i = 0; i < length_; ++i)
      text_[i] = text[i];
  }

  /// The same, all-zero: for one that lives long.
  [[nodiscard]] static constexpr failure nothing_yet() noexcept {
    failure made;
    for (char& letter : made.text_)
      letter = 0;
    return made;
  }

  [[nodiscard]] constexpr std::string_view text() const noexcept { return {text_, length_}; }
  [[nodiscard]] constexpr std::int32_t code() const noexcept { return code_; }
  [[nodiscard]] constexpr origin from() const noexcept { return origin_; }

private:
  static constexpr std::size_t most = sizeof(void*) == 8 ? 106 : 42;
  static constexpr std::size_t cut(std::size_t size) noexcept { return size < most ? size : most; }

  std::int32_t code_ = 0;
  origin origin_ = origin::returned;
  std::uint8_t length_ = 0;
  char text_[most];
};

}  // namespace tactor::inline v0
