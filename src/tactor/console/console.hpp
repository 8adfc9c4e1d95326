// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/version.hpp"  // IWYU pragma: export (first: it checks the standard)

// A server inside of a program that shows its actor system. Component `console`. This header does
// not include Boost.
#include "tactor/console/console_options.hpp"
#include "tactor/host/actor_system.hpp"

#include <expected>
#include <memory>
#include <string>

namespace tactor::inline v0 {

namespace internal {
class console_server;
}

/// The reason why a console cannot start, and what to do about it: one sentence.
struct console_error {
  std::string text = {};
};

/// A running console: a server on a thread of its own, `tactor-console`. Its end closes all
/// connections, ends the thread and removes the Unix socket. A request that is being answered is
/// finished first, which takes as long as a snapshot; nothing waits for a client. In a process that
/// was forked it does nothing. Context: one thread at a time.
class console {
public:
  /// Returns: the address at which it is reached: the path of the Unix socket, or "127.0.0.1:8080".
  [[nodiscard]] const std::string& address() const noexcept;
  /// Returns: the address of its page in a browser, "http://127.0.0.1:8080/"; empty for a Unix
  /// socket.
  [[nodiscard]] std::string url() const;
  /// Returns: the secret that a request which changes something must present, as `Authorization:
  /// Bearer TOKEN`.
  [[nodiscard]] const std::string& token() const noexcept;

private:
  friend std::expected<console, console_error> start_console(const actor_system&,
                                                             const console_options&);
  struct ender {
    void operator()(internal::console_server* server) const noexcept;
  };
  explicit console(internal::console_server* server) noexcept : server_(server) {}

  std::unique_ptr<internal::console_server, ender> server_;  // null: moved from
};

/// Starts a server that shows `system`, on a Unix socket that only this user can open, or on a port
/// of this machine. It sends no message, and no worker waits for it. When the system shuts down,
/// the console stays and shows how far the shutdown is. Requires: `system` outlives the console,
/// and is not moved meanwhile. Throws: std::bad_alloc.
///
///     tactor::actor_system system;
///     const auto console = tactor::start_console(system);
///     if (!console) std::puts(console.error().text.c_str());
[[nodiscard]] std::expected<console, console_error>
start_console(const actor_system& system, const console_options& options = {});

/// Returns: the address of a console of this process whose options name none:
/// `$XDG_RUNTIME_DIR/tactor/PID.sock`, or `/tmp/tactor-UID/PID.sock` without that variable.
[[nodiscard]] std::string default_console_path();

}  // namespace tactor::inline v0
