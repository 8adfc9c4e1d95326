// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <string>

namespace command {

/// What the program reads and writes besides its arguments.
struct surroundings {
  std::istream& in;
  std::ostream& out;
  std::ostream& errors;
  std::string folder;  // where consoles are looked for
  std::string token;   // the value of TACTOR_TOKEN
  std::function<void(std::chrono::seconds)> wait;
  /// Waits for so long, 0: for ever, or until the user ends the program.
  std::function<void(std::chrono::seconds)> rest;
};

/// The whole program. Returns: its exit status: 0 done, or healthy; 1 the console said no, or there are
/// warnings; 2 there is no console, or the arguments are wrong.
int run(int count, const char* const* arguments, const surroundings& around);

}  // namespace command
