// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host.hpp"

#include "showcase/messages.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace showcase {

/// Takes readings from programs, over TCP from this machine: lines such as "3 21.50", a device and
/// its temperature. It answers each with a line, "ok" or an error. One actor per connection;
/// together they may send 2000 readings a second. Exists if tactor was built with Asio. Outlives
/// the system.
class tcp_input {
public:
  tcp_input();
  ~tcp_input();
  tcp_input(const tcp_input&) = delete;
  tcp_input& operator=(const tcp_input&) = delete;

  /// Listens; 0 is a free port. Prints the reason if it cannot. Requires: `book` outlives the
  /// system.
  void open(const tactor::actor_system& system, ledger& book, tactor::actor_ref<raw_reading> to,
            std::uint16_t port);
  /// Accepts no more clients. Lines that were read are passed on.
  void close(ledger& book);
  /// Returns: the address at which it listens, or the reason why it does not.
  [[nodiscard]] const std::string& address() const { return address_; }

private:
  struct parts;
  std::unique_ptr<parts> parts_;
  std::string address_;
};

}  // namespace showcase
