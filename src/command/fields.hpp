// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace command {

// Fields of JSON that another program made: what is missing or of another kind is empty.

inline const nlohmann::json& field(const nlohmann::json& of, const char* name) {
  static const nlohmann::json nothing;
  if (!of.is_object()) return nothing;
  const auto found = of.find(name);
  return found == of.end() ? nothing : *found;
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
