// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/console.hpp"

#include "tactor/console/console_server.hpp"
#include "tactor/console/listening_socket.hpp"
#include "tactor/console/request/action_token.hpp"

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <utility>
#include <vector>

namespace tactor::inline v0 {

namespace {

// Beast counts those of a header in 32 bits.
constexpr std::size_t most_bytes = std::size_t{1} << 30;

/// The first limit with which a console would be of no use; null: all are good.
const char* wrong_limit(const console_limits& of) noexcept {
  if (of.connections == 0) return "limits.connections is at least 1";
  if (of.header_bytes < 256 || of.header_bytes > most_bytes)
    return "limits.header_bytes is from 256 to 2^30";
  if (of.body_bytes > most_bytes) return "limits.body_bytes is at most 2^30";
  if (of.idle <= duration{}) return "limits.idle is longer than zero";
  if (of.event_every <= duration{}) return "limits.event_every is longer than zero";
  return nullptr;
}

/// The first action that cannot be started by its name; null: all can.
const char* wrong_action(const std::vector<program_action>& all) {
  for (const program_action& each : all) {
    if (each.name.empty() || !each.run) return "an action has a name and something to run";
    if (std::ranges::count(all, each.name, &program_action::name) > 1)
      return "two actions have the same name";
  }
  return nullptr;
}

}  // namespace

console::console(std::unique_ptr<internal::console_server> made) noexcept
    : server_(std::move(made)) {}
console::console(console&& other) noexcept = default;
console& console::operator=(console&& other) noexcept = default;
console::~console() = default;

const std::string& console::address() const noexcept {
  return server_->address();
}
std::string console::url() const {
  return address().starts_with('/') ? std::string{} : "http://" + address() + "/";
}
const std::string& console::token() const noexcept {
  return server_->token();
}

std::expected<console, console_error> start_console(const actor_system& system,
                                                    const console_options& options) {
  if (const char* const wrong = wrong_limit(options.limits))
    return std::unexpected{console_error{wrong}};
  if (const char* const wrong = wrong_action(options.actions))
    return std::unexpected{console_error{wrong}};
  console_options complete = options;
  if (complete.address.empty()) complete.address = default_console_path();
  if (complete.token.empty()) complete.token = internal::random_token();
  if (complete.token.empty())
    return std::unexpected{console_error{"the system gives no random token: choose one"}};
  auto socket = internal::listening_socket::open(complete.address);
  if (!socket) return std::unexpected{console_error{std::move(socket.error())}};
  try {
    return console{
        std::make_unique<internal::console_server>(system, complete, std::move(*socket))};
  } catch (const std::system_error& why) {
    return std::unexpected{
        console_error{std::string{"the system cannot start the console's thread: "} + why.what()}};
  }
}

std::string default_console_path() {
  return internal::default_socket_path();
}

}  // namespace tactor::inline v0
