// SPDX-License-Identifier: BSL-1.0
#include "scheduler_showcase/options.hpp"

#include <charconv>
#include <chrono>
#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace showcase {
namespace {

std::optional<std::chrono::nanoseconds> length_from(std::string_view text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool number = error == std::errc{} && end == text.data() + text.size();
  if (!number || !(seconds >= 0.1 && seconds <= 86400)) return std::nullopt;
  const std::chrono::duration<double> length{seconds};
  return std::chrono::duration_cast<std::chrono::nanoseconds>(length);
}

std::string bad_length(std::string_view text) {
  const std::string allowed = "--seconds takes a number from 0.1 to 86400";
  return text.empty() ? allowed : allowed + ", not '" + std::string{text} + "'";
}

}  // namespace

// NOLINTNEXTLINE(readability-function-cognitive-complexity): one branch per option
std::expected<options, std::string> parse(std::span<char* const> arguments) {
  options wanted;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--help") {
      wanted.help = true;
    } else if (argument == "--plain") {
      wanted.form = output_form::lines;
    } else if (argument == "--json") {
      wanted.form = output_form::json;
    } else if (argument == "--seconds") {
      const std::string_view value = ++i < arguments.size() ? arguments[i] : "";
      wanted.length = length_from(value);
      if (!wanted.length) return std::unexpected{bad_length(value)};
    } else {
      return std::unexpected{"there is no option '" + std::string{argument} + "'"};
    }
  }
  return wanted;
}

}  // namespace showcase
