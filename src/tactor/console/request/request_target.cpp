// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/request/request_target.hpp"

#include <charconv>

namespace tactor::inline v0::internal {
namespace {

constexpr std::size_t most_parameters = 16;

std::optional<std::string> decode(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    if (text.front() != '%') {
      plain += text.front() == '+' ? ' ' : text.front();
      text.remove_prefix(1);
      continue;
    }
    unsigned code = 0;
    const char* const digits = text.data() + 1;
    if (text.size() < 3 || std::from_chars(digits, digits + 2, code, 16).ptr != digits + 2)
      return std::nullopt;
    plain += static_cast<char>(code);
    text.remove_prefix(3);
  }
  return plain;
}

std::unexpected<std::string> wrong(std::string_view name, const char* what) {
  return std::unexpected{"the parameter '" + std::string{name} + "' " + what};
}

}  // namespace

std::optional<request_target> request_target::parse(std::string_view text) {
  if (!text.starts_with('/')) return std::nullopt;
  request_target target;
  const std::size_t mark = text.find('?');
  target.path = text.substr(0, mark);
  if (mark == std::string_view::npos) return target;
  std::string_view rest = text.substr(mark + 1);
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    const std::string_view each = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    if (each.empty()) continue;
    const std::size_t equals = each.find('=');
    auto name = decode(each.substr(0, equals));
    auto value = decode(equals == std::string_view::npos ? "" : each.substr(equals + 1));
    if (!name || !value || target.parameters.size() == most_parameters) return std::nullopt;
    target.parameters.emplace_back(std::move(*name), std::move(*value));
  }
  return target;
}

std::optional<std::size_t> parse_number(std::string_view text, std::size_t most) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > most) return std::nullopt;
  return value;
}

std::expected<snapshot_query, std::string> query_of(snapshot_part part, const request_target& of) {
  snapshot_query wanted{.part = part};
  for (const auto& [name, value] : of.parameters) {
    if (name == "path") {
      wanted.path = value;
    } else if (name == "state") {
      wanted.state = value;
    } else if (name == "order") {
      const auto order = value_called(value, actor_order::oldest);
      if (!order)
        return wrong(name, "is one of path, waiting, suspended, restarts, handled, busy, oldest");
      wanted.order = *order;
    } else if (name == "depth") {
      const auto number = parse_number(value, 1'000);
      if (!number) return wrong(name, "is a number from 0 to 1000");
      wanted.depth = *number;
    } else if (name == "offset") {
      const auto number = parse_number(value, snapshot_query::most_offset);
      if (!number) return wrong(name, "is a number from 0 to 10000");
      wanted.offset = *number;
    } else if (name == "limit") {
      const auto number = parse_number(value, snapshot_query::most);
      if (!number) return wrong(name, "is a number from 0 to 1000");
      wanted.limit = *number;
    } else {
      return wrong(name, "is not known: path, state, depth, order, offset, limit are");
    }
  }
  return wanted;
}

}  // namespace tactor::inline v0::internal
