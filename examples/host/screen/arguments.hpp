// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace showcase {

/// The form of the output: a live display (on threads only), lines of text, or one JSON object at
/// the end.
enum class output_form : std::uint8_t { picture, lines, json };

/// Reads all of `text` as a number. Returns: nothing if it is none.
template <class Number>
std::optional<Number> number_from(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

inline constexpr std::string_view allowed_length = "--seconds takes a number from 0.1 to 86400";

/// Reads a number of seconds. Returns: nothing if it is none that is allowed.
inline std::optional<std::chrono::nanoseconds> length_from(std::string_view text) {
  const auto seconds = number_from<double>(text);
  if (!seconds || !(*seconds >= 0.1 && *seconds <= 86400)) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>{*seconds});
}

/// Returns: an error that says what is allowed, and the text that was given.
inline std::string but_not(std::string_view allowed, std::string_view text) {
  const std::string wanted{allowed};
  return text.empty() ? wanted : wanted + ", not '" + std::string{text} + "'";
}

}  // namespace showcase
