// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/command/run.hpp"

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

namespace command {

/// The result of a run of the command.
struct outcome {
  int status = 0;
  std::string out;
  std::string errors;
  std::chrono::seconds waited{};
};

/// Runs the command in this process; it looks for consoles in `folder`.
inline outcome run_with(const std::string& folder, std::vector<const char*> arguments,
                        const std::string& token = {}, const std::string& input = {}) {
  arguments.insert(arguments.begin(), "tactor");
  std::istringstream in{input};
  std::ostringstream out, errors;
  std::chrono::seconds waited{};
  const int status = run(static_cast<int>(arguments.size()), arguments.data(),
                         {.in = in,
                          .out = out,
                          .errors = errors,
                          .folder = folder,
                          .token = token,
                          .wait = [&](std::chrono::seconds time) { waited = time; },
                          .rest = [](std::chrono::seconds) {}});
  return {.status = status, .out = out.str(), .errors = errors.str(), .waited = waited};
}

}  // namespace command
