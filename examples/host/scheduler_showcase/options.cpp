// SPDX-License-Identifier: BSL-1.0
#include "scheduler_showcase/options.hpp"

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>

namespace showcase {
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
      if (!wanted.length) return std::unexpected{but_not(allowed_length, value)};
    } else {
      return std::unexpected{"there is no option '" + std::string{argument} + "'"};
    }
  }
  return wanted;
}

}  // namespace showcase
