// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactor::inline v0::internal {

/// The members of a flat JSON object: `{"path": "/user/desk", "seconds": 2}`. Texts are kept
/// without their escapes, numbers of any size, `true`, `false` and `null` as they were written.
struct json_fields {
  std::vector<std::pair<std::string, std::string>> all = {};

  /// Reads an object. It keeps bytes of texts that are not UTF-8. Returns: nothing if `text` is no
  /// object of RFC 8259, is not flat, has a member twice, or more than 16 members. Throws:
  /// std::bad_alloc.
  [[nodiscard]] static std::optional<json_fields> parse(std::string_view text);
  /// Returns: the value of a member; null if there is none.
  [[nodiscard]] const std::string* find(std::string_view name) const noexcept;
};

}  // namespace tactor::inline v0::internal
