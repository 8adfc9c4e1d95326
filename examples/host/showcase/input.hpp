// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host.hpp"

#include "showcase/messages.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace showcase {

/// Readings from programs: lines such as "3 21.50", a device and what it measured, over TCP from this machine.
/// Each is answered with a line, "ok" or what is wrong. One actor per connection; together they may send 2000
/// readings a second. Exists if tactor was built with Asio. Outlives the system.
class tcp_input {
public:
  tcp_input();
  ~tcp_input();
  tcp_input(const tcp_input&) = delete;
  tcp_input& operator=(const tcp_input&) = delete;

  /// Listens; 0 is a free port. Prints why, if it cannot. Requires: `book` outlives the system.
  void open(const tactor::actor_system& system, ledger& book, tactor::actor_ref<raw_reading> to,
            std::uint16_t port);
  /// Accepts no more clients; what was read is passed on.
  void close(ledger& book);
  /// Where it listens, or why it does not.
  [[nodiscard]] const std::string& address() const { return address_; }

private:
  struct parts;
  std::unique_ptr<parts> parts_;
  std::string address_;
};

}  // namespace showcase
