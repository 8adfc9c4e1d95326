// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/console/console_options.hpp"
#include "tactor/console/history_text.hpp"
#include "tactor/console/request/console_request.hpp"
#include "tactor/console/request/request_target.hpp"
#include "tactor/host/actor_system.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace tactor::inline v0::internal {

/// The figures that a console counts of itself.
struct console_counts {
  std::uint64_t requests = 0;
  std::uint64_t refused = 0;        // requests with a status of 400 or above
  std::uint64_t actions = 0;        // carried out
  std::uint64_t connections = 0;    // now
  std::uint64_t turned_away = 0;    // connections: there were too many
  std::uint64_t closed_idle = 0;    // connections that sent no request, for others
  std::uint64_t event_streams = 0;  // now
  std::uint64_t ticks_lost = 0;     // by readers that were slow
};

/// Answers requests: a function of the request and of the system, without a network. Context: one
/// thread.
class console_service {
public:
  /// Requires: `system` outlives it; the options are complete. `port` 0: a Unix socket.
  console_service(const actor_system& system, const console_options& options, std::uint16_t port);

  /// Answers a request, whatever it contains. Throws: std::bad_alloc.
  [[nodiscard]] console_response answer(const console_request& to);

  /// Makes the next event for all clients that read a stream; see `tick_text`. Throws:
  /// std::bad_alloc.
  [[nodiscard]] std::string next_tick() { return ticks_.next(system_, since_); }

  [[nodiscard]] console_counts& counts() noexcept { return counts_; }
  [[nodiscard]] const console_options& options() const noexcept { return options_; }

private:
  [[nodiscard]] console_response route(const console_request& request);
  [[nodiscard]] console_response act(const request_target& target, const console_request& request);
  [[nodiscard]] console_response read(const request_target& target);
  [[nodiscard]] console_response read_api(std::string_view name, const request_target& target);
  [[nodiscard]] console_response read_part(snapshot_part part, const request_target& target);
  [[nodiscard]] console_response read_history(const request_target& target) const;
  [[nodiscard]] console_response read_dump(const request_target& target) const;
  [[nodiscard]] console_response read_trace(const request_target& target) const;
  [[nodiscard]] console_response describe() const;

  const actor_system& system_;
  console_options options_;
  std::uint16_t port_;
  std::uint64_t started_ns_;  // of the clock on the wall
  console_counts counts_;
  warning_window since_;
  tick_text ticks_;
};

}  // namespace tactor::inline v0::internal
