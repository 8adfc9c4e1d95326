// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/host/snapshot/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactor::inline v0::internal {

/// The path and the parameters of a request: "/api/v1/actors?limit=20".
struct request_target {
  std::string path = {};
  std::vector<std::pair<std::string, std::string>> parameters = {};

  /// Reads a target. Returns: nothing if it is not well-formed.
  [[nodiscard]] static std::optional<request_target> parse(std::string_view text);
};

/// Reads all of `text` as a number up to `most`. Returns: nothing if it is none.
[[nodiscard]] std::optional<std::size_t> parse_number(std::string_view text, std::size_t most);

/// Returns: the value with this name, of an enumeration whose last value is `last`; nothing if
/// there is none.
template <class Enumeration>
[[nodiscard]] constexpr std::optional<Enumeration> value_called(std::string_view name,
                                                                Enumeration last) noexcept {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i)
    if (to_text(static_cast<Enumeration>(i)) == name) return static_cast<Enumeration>(i);
  return std::nullopt;
}

/// Reads the window that the parameters name; its texts are those of `of`. Returns: on failure a
/// sentence that says what is wrong.
[[nodiscard]] std::expected<snapshot_query, std::string> query_of(snapshot_part part,
                                                                  const request_target& of);

}  // namespace tactor::inline v0::internal
