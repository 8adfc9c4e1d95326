// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <string>

namespace command {

/// The surroundings of the program, besides its arguments.
struct surroundings {
  std::istream& in;
  std::ostream& out;
  std::ostream& errors;
  std::string folder;  // is searched for consoles
  std::string token;   // the value of TACTOR_TOKEN
  std::function<void(std::chrono::seconds)> wait;
  /// Waits for that time, or until the user ends the program. 0: for ever.
  std::function<void(std::chrono::seconds)> rest;
};

/// Runs the whole program. Returns: its exit status: 0 done, or healthy; 1 the console has refused,
/// or there are warnings; 2 there is no console, or the arguments are wrong.
int run(int count, const char* const* arguments, const surroundings& around);

}  // namespace command
