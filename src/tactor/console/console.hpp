// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/console/console_options.hpp"
#include "tactor/host/actor_system.hpp"

#include <expected>
#include <memory>
#include <string>

namespace tactor::inline v0 {

namespace internal {
class console_server;
}

/// Why a console cannot start, and what to do about it: one sentence.
struct console_error {
  std::string text = {};
};

/// A running console: a server on a thread of its own, `tactor-console`. Context: one thread at a time.
class console {
public:
  console(console&& other) noexcept;
  console& operator=(console&& other) noexcept;
  console(const console&) = delete;
  console& operator=(const console&) = delete;
  /// Ends all connections and the thread, and removes the Unix socket. A request that is being answered is
  /// finished first, which takes as long as a snapshot; nothing waits for a client. In a process that was
  /// forked it does nothing.
  ~console();

  /// Where it is reached: the path of the Unix socket, or "127.0.0.1:8080".
  [[nodiscard]] const std::string& address() const noexcept;
  /// The address of its page in a browser, "http://127.0.0.1:8080/"; empty for a Unix socket.
  [[nodiscard]] std::string url() const;
  /// What a request that changes something must present, as `Authorization: Bearer TOKEN`.
  [[nodiscard]] const std::string& token() const noexcept;

private:
  friend std::expected<console, console_error> start_console(const actor_system&,
                                                             const console_options&);
  explicit console(std::unique_ptr<internal::console_server> made) noexcept;

  std::unique_ptr<internal::console_server> server_;  // null: moved from
};

/// Starts a server that shows `system`, on a Unix socket that only this user can open, or on a port of this
/// machine. It sends no message, and no worker waits for it. When the system shuts down, the console goes on
/// and shows how far that is. Requires: `system` outlives the console, and is not moved meanwhile.
/// Throws: std::bad_alloc.
///
///     tactor::actor_system system;
///     const auto console = tactor::start_console(system);
///     if (!console) std::puts(console.error().text.c_str());
[[nodiscard]] std::expected<console, console_error>
start_console(const actor_system& system, const console_options& options = {});

/// Where a console of this process is found if its options name no address:
/// `$XDG_RUNTIME_DIR/tactor/PID.sock`, or `/tmp/tactor-UID/PID.sock` without that variable.
[[nodiscard]] std::string default_console_path();

}  // namespace tactor::inline v0
