// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/command/address.hpp"

#include <chrono>
#include <expected>
#include <string>
#include <string_view>

namespace command {

/// A request to a console.
struct question {
  std::string method = "GET";
  std::string target = "/";
  std::string body = {};
  std::string token = {};  // empty: none
};

/// The answer of a console.
struct answer {
  unsigned status = 0;
  std::string body = {};
};

/// Asks over a new connection, and waits at most `within`. Returns: on failure a sentence that says
/// why there is no answer.
[[nodiscard]] std::expected<answer, std::string> ask(const address& where, const question& what,
                                                     std::chrono::milliseconds within);

/// Returns: true if a program listens at the address.
[[nodiscard]] bool answers(const address& where);

/// Returns: the text for a query, with everything but letters, digits and "-._~/" escaped.
[[nodiscard]] std::string in_query(std::string_view text);

}  // namespace command
