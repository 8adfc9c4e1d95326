// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace command {

/// The arguments of the program.
struct options {
  std::string to;     // empty: the only console that there is
  std::string token;  // for actions
  bool json = false;

  std::string path;          // of an actor
  std::string action;        // run
  std::uint32_t length = 0;  // demo: seconds; 0: until the user ends it
  std::string state;         // ps
  std::string order;         // ps, top
  std::uint32_t limit = 100;
  std::uint32_t offset = 0;
  std::uint32_t depth = 0;    // tree; 0: all levels
  std::string metrics_level;  // level
  std::string log_level;
  double interval = 1.0;      // top: seconds
  bool once = false;          // top
  std::string file;           // open, trace, dump
  std::uint32_t seconds = 2;  // trace
  std::uint32_t most = 100'000;
  std::uint32_t every = 1;
  std::string message;
  std::string format = "chrome";
};

/// Makes the commands and options, which are parsed into `to`. Requires: `to` outlives them.
[[nodiscard]] std::unique_ptr<CLI::App> make_options(options& to);

}  // namespace command
