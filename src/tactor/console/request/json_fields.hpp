// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactor::inline v0::internal {

/// The members of a flat JSON object: `{"path": "/user/desk", "seconds": 2}`. Numbers, `true`, `false` and
/// `null` are kept as they were written.
struct json_fields {
  std::vector<std::pair<std::string, std::string>> all = {};

  /// Returns: nothing if it is no object, is not flat, or has a member twice. Throws: std::bad_alloc.
  [[nodiscard]] static std::optional<json_fields> parse(std::string_view text);
  /// Returns: null if there is none.
  [[nodiscard]] const std::string* find(std::string_view name) const noexcept;
};

}  // namespace tactor::inline v0::internal
