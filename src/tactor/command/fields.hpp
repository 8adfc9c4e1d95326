// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace command {

/// Returns: true if a text of JSON nests lists and objects at most 100 deep, as every snapshot
/// does.
inline bool is_shallow(std::string_view text) {
  constexpr std::size_t most = 100;
  std::size_t depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size() && depth <= most; ++i) {
    if (in_text && text[i] == '\\') {
      ++i;  // the next one is escaped
    } else if (text[i] == '"') {
      in_text = !in_text;
    } else if (!in_text && (text[i] == '[' || text[i] == '{')) {
      ++depth;
    } else if (!in_text && (text[i] == ']' || text[i] == '}') && depth > 0) {
      --depth;
    }
  }
  return depth <= most;
}
/// Returns: the JSON in a text; a discarded value if there is none, or if it is nested deeply: to
/// copy and to write it takes stack for each level.
inline nlohmann::json json_in(std::string_view text) {
  if (!is_shallow(text)) return nlohmann::json::value_t::discarded;
  return nlohmann::json::parse(text, nullptr, false);
}

// These functions read fields of JSON that another program has made. A field that is missing or of
// another kind is empty.

inline const nlohmann::json& field(const nlohmann::json& of, const char* name) {
  static const nlohmann::json nothing;
  if (!of.is_object()) return nothing;
  const auto entry = of.find(name);
  return entry == of.end() ? nothing : *entry;
}
/// Returns: the entries of a list.
inline const nlohmann::json& list_in(const nlohmann::json& of, const char* name) {
  static const nlohmann::json none = nlohmann::json::array();
  const nlohmann::json& value = field(of, name);
  return value.is_array() ? value : none;
}
inline std::string text_in(const nlohmann::json& of, const char* name) {
  const nlohmann::json& value = field(of, name);
  return value.is_string() ? value.get<std::string>() : std::string{};
}
inline std::optional<std::uint64_t> number_in(const nlohmann::json& of, const char* name) {
  const nlohmann::json& value = field(of, name);
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (!value.is_number_integer() || value.get<std::int64_t>() < 0) return std::nullopt;
  return static_cast<std::uint64_t>(value.get<std::int64_t>());
}
inline bool flag_in(const nlohmann::json& of, const char* name) {
  const nlohmann::json& value = field(of, name);
  return value.is_boolean() && value.get<bool>();
}

}  // namespace command
