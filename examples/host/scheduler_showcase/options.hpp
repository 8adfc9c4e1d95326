// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "screen/arguments.hpp"

#include <chrono>
#include <expected>
#include <optional>
#include <span>
#include <string>

namespace showcase {

/// The options of the command line.
struct options {
  std::optional<std::chrono::nanoseconds> length;  // absent: the default of the form
  std::optional<output_form> form;                 // absent: a picture if there is a terminal
  bool help = false;
};

inline constexpr const char* usage =
    "usage: scheduler_showcase [--seconds N] [--plain | --json]\n"
    "\n"
    "A scheduler at work: timers of every kind, and what goes wrong with them.\n"
    "\n"
    "  --seconds N   run for N seconds, from 0.1 to 86400 (default: 8; without a terminal 2.5)\n"
    "  --plain       print lines instead of a moving picture, as without a terminal\n"
    "  --json        print one JSON object at the end and nothing else\n"
    "  --help        print this\n"
    "\n"
    "The environment: NO_COLOR turns colours off, COLUMNS narrows the picture.\n";

/// Reads the arguments after the program's name. Returns: an error that says what is wrong with
/// them.
[[nodiscard]] std::expected<options, std::string> parse(std::span<char* const> arguments);

}  // namespace showcase
