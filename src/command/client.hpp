// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "command/address.hpp"

#include <chrono>
#include <expected>
#include <string>
#include <string_view>

namespace command {

/// What a console is asked.
struct question {
  std::string method = "GET";
  std::string target = "/";
  std::string body = {};
  std::string token = {};  // empty: none
};

/// What it answered.
struct answer {
  unsigned status = 0;
  std::string body = {};
};

/// Asks over a connection of its own, and waits at most `within`. Returns: in one sentence, why there is
/// no answer.
[[nodiscard]] std::expected<answer, std::string> ask(const address& where, const question& what,
                                                     std::chrono::milliseconds within);

/// Whether something listens there.
[[nodiscard]] bool answers(const address& where);

/// Text for a query, with everything but letters, digits and "-._~/" escaped.
[[nodiscard]] std::string in_query(std::string_view text);

}  // namespace command
