// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "command/address.hpp"
#include <nlohmann/json.hpp>

#include <chrono>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace command {

/// Why a command did not get what it wanted. `status` is what the program exits with.
struct problem {
  static constexpr int refused = 1;    // the console said no
  static constexpr int no_answer = 2;  // there is no console, or no other answer than this
  std::string text;
  int status = no_answer;
};
template <class Value>
using result = std::expected<Value, problem>;

/// Names and values of a query; values that are empty are left out.
using query = std::vector<std::pair<std::string_view, std::string>>;

/// The console of a program.
class console {
public:
  /// The version of the JSON that this command reads.
  static constexpr unsigned version = 1;

  console(address where, std::string token) : where_(std::move(where)), token_(std::move(token)) {}

  [[nodiscard]] const address& where() const noexcept { return where_; }
  /// A part of the snapshot: "actors", or another name below /api/v1.
  [[nodiscard]] result<nlohmann::json> part(std::string_view name, const query& wanted = {}) const;
  /// A page of text below /api/v1.
  [[nodiscard]] result<std::string> text(std::string_view name, const query& wanted = {}) const;
  /// An action: "suspend", with the arguments that it takes.
  [[nodiscard]] result<nlohmann::json> act(std::string_view name, const nlohmann::json& with) const;

private:
  [[nodiscard]] result<std::string> send(const char* method, std::string_view name,
                                         const query& wanted, std::string body) const;

  address where_;
  std::string token_;
};

/// The only console in the folder that answers. Returns: a problem that lists the consoles if there are
/// several.
[[nodiscard]] result<address> find_console(const std::string& folder);

/// JSON in one line that is safe for a terminal: everything but ASCII is escaped.
[[nodiscard]] std::string one_line(const nlohmann::json& of);

}  // namespace command
