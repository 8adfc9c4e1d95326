// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/command/address.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace command {

/// The reason why a command failed. `status` is the exit status of the program.
struct problem {
  static constexpr int refused = 1;    // the console said no
  static constexpr int no_answer = 2;  // there is no console, or no other answer than this
  std::string text;
  int status = no_answer;
};
template <class Value>
using result = std::expected<Value, problem>;

/// Names and values of a query. Empty values are not sent.
using query = std::vector<std::pair<std::string_view, std::string>>;

/// The console of a program.
class console {
public:
  /// The version of the JSON that this command reads.
  static constexpr unsigned version = 1;

  console(address where, std::string token) : where_(std::move(where)), token_(std::move(token)) {}

  [[nodiscard]] const address& where() const noexcept { return where_; }
  /// Asks for a part of the snapshot: "actors", or another name below /api/v1.
  [[nodiscard]] result<nlohmann::json> part(std::string_view name, const query& wanted = {}) const;
  /// Asks for a page of text below /api/v1.
  [[nodiscard]] result<std::string> text(std::string_view name, const query& wanted = {}) const;
  /// Starts an action, "suspend", with its arguments.
  [[nodiscard]] result<nlohmann::json> act(std::string_view name, const nlohmann::json& with) const;

private:
  [[nodiscard]] result<std::string> send(const char* method, std::string_view name,
                                         const query& wanted, std::string body) const;

  address where_;
  std::string token_;
};

/// Finds the only console in the folder that answers. Returns: a problem that lists the consoles if
/// there are several.
[[nodiscard]] result<address> find_console(const std::string& folder);

/// Returns: JSON in one line that is safe for a terminal, because everything but ASCII is escaped.
[[nodiscard]] std::string one_line(const nlohmann::json& of);

}  // namespace command
