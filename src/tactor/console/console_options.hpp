// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tactor::inline v0 {

/// What a console may do besides showing the system. Nothing, unless the program says so.
struct console_capabilities {
  bool trace = false;      // record traces
  bool control = false;    // suspend and resume actors, change levels, start actions of the program
  bool lifecycle = false;  // stop and restart actors
};

/// The limits of a console. What is beyond them is refused, and counted.
struct console_limits {
  std::size_t connections = 64;     // one more ends the connection that has been silent for longest
  std::size_t event_streams = 16;   // of these; one more is refused
  std::size_t header_bytes = 8192;  // of a request
  std::size_t body_bytes = 16384;   // of a request
  duration idle = std::chrono::seconds{30};  // for a request to come, and for an answer to be read
  duration event_every = std::chrono::seconds{1};  // between two events of a stream
};

/// Something of the program's own that a console can start: a button of its page.
struct program_action {
  std::string name = {};         // "reload"; unique
  std::string description = {};  // one line
  std::function<void()> run =
      {};  // on the console's thread, which waits for it: let it send a message
};

/// How a console is reached, and what it may do.
struct console_options {
  /// A Unix socket, "/run/user/1000/shop.sock"; or a port of this machine, "127.0.0.1:8080", "[::1]:8080",
  /// "localhost:0" for a free port. Every other address is refused. Empty: the Unix socket
  /// `default_console_path()`.
  std::string address = {};
  console_capabilities capabilities = {};
  /// What a request that changes something must present. Empty: a random one, `console::token()`.
  std::string token = {};
  console_limits limits = {};
  /// Need the capability `control`.
  std::vector<program_action> actions = {};
};

}  // namespace tactor::inline v0
