// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tactor::inline v0 {

/// The actions that a program allows its console besides showing the system. Without a grant it
/// allows none.
struct console_capabilities {
  bool trace = false;      // record traces
  bool control = false;    // suspend and resume actors, change levels, start actions of the program
  bool lifecycle = false;  // stop and restart actors
};

/// The limits of a console. It refuses whatever exceeds them, and counts the refusals.
struct console_limits {
  std::size_t connections = 64;     // one more ends the connection that has been silent for longest
  std::size_t event_streams = 16;   // connections that read events; one more is refused
  std::size_t header_bytes = 8192;  // of a request
  std::size_t body_bytes = 16384;   // of a request
  duration idle = std::chrono::seconds{30};  // for a request to come, and for an answer to be read
  duration event_every = std::chrono::seconds{1};  // between two events of a stream
};

/// Something of the program's own that a console can start: a button of its page.
struct program_action {
  std::string name = {};         // "reload"; unique
  std::string description = {};  // one line
  /// Runs on the console's thread, which waits for it: let it send a message.
  std::function<void()> run = {};
};

/// The settings of a console: its address, its capabilities and its limits.
struct console_options {
  /// A Unix socket, "/run/user/1000/shop.sock"; or a port of this machine, "127.0.0.1:8080",
  /// "[::1]:8080", "localhost:0" for a free port. Every other address is refused. Empty: the Unix
  /// socket `default_console_path()`.
  std::string address = {};
  console_capabilities capabilities = {};
  /// The secret that a request which changes something must present. Empty: a random one; see
  /// `console::token`.
  std::string token = {};
  console_limits limits = {};
  /// The actions of the program; they need the capability `control`.
  std::vector<program_action> actions = {};
};

}  // namespace tactor::inline v0
