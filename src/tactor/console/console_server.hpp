// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/console/console_options.hpp"
#include "tactor/console/listening_socket.hpp"
#include "tactor/host/actor_system.hpp"

#include <memory>
#include <string>

namespace tactor::inline v0::internal {

/// Serves a console's connections, all on one thread, `tactor-console`. Context: owner only.
class console_server {
public:
  /// Starts the thread. Requires: the options are complete. Throws: std::system_error if the system cannot
  /// start it, std::bad_alloc.
  console_server(const actor_system& system, const console_options& options,
                 listening_socket socket);
  console_server(const console_server&) = delete;
  console_server& operator=(const console_server&) = delete;
  /// Ends all connections and the thread. In a process that was forked it does nothing.
  ~console_server();

  [[nodiscard]] const std::string& address() const noexcept;
  [[nodiscard]] const std::string& token() const noexcept;

private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace tactor::inline v0::internal
