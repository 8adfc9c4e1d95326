// SPDX-License-Identifier: BSL-1.0
#include "tactor/command/console.hpp"

#include "tactor/command/client.hpp"
#include "tactor/command/fields.hpp"
#include "tactor/command/printable.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace command {
namespace {

using nlohmann::json;
constexpr std::chrono::seconds request_timeout{10};

/// Returns: the console's own words for a status that is not 200, and advice for the user.
problem refusal(const address& where, std::string_view name, const answer& got) {
  const json body = json_in(got.body);
  std::string text = printable(text_in(body, "error"));
  if (text.empty() && got.status == 404)
    return {.text = where.text() + " is not a tactor console, or one that knows no '" +
                    std::string{name} + "'"};
  if (text.empty()) text = where.text() + " answered with status " + std::to_string(got.status);
  if (const std::string advice = text_in(body, "advice"); !advice.empty())
    text += ": " + printable(advice);
  if (got.status == 401) text += " (give the console's token with --token or TACTOR_TOKEN)";
  if (got.status == 403) text += " (the program grants capabilities when it starts its console)";
  return {.text = std::move(text), .status = problem::refused};
}

result<json> checked(const address& where, const std::string& text) {
  json body = json_in(text);
  const std::optional<std::uint64_t> version = number_in(body, "version");
  if (!version)
    return std::unexpected{
        problem{.text = where.text() + " is not a tactor console: its answer has no version"}};
  if (*version != console::version)
    return std::unexpected{problem{.text = where.text() + " speaks version " +
                                           std::to_string(*version) +
                                           " of the console's JSON, and this command version " +
                                           std::to_string(console::version) +
                                           ": use the tactor command of the program's release"}};
  return body;
}

/// Returns: the description that a console gives of itself, "shop, process 17".
std::string description_of(const address& where) {
  const auto part = console{where, {}}.part("console");
  if (!part) return "does not say what it is";
  std::string text = printable(text_in(*part, "system"));
  if (const auto process = number_in(*part, "pid")) text += ", process " + std::to_string(*process);
  return text;
}

}  // namespace

result<std::string> console::send(const char* method, std::string_view name, const query& wanted,
                                  std::string body) const {
  question what{.method = method,
                .target = "/api/v1/" + std::string{name},
                .body = std::move(body),
                .token = token_};
  char mark = '?';
  for (const auto& [key, value] : wanted) {
    if (value.empty()) continue;
    what.target += mark + std::string{key} + "=" + in_query(value);
    mark = '&';
  }
  auto got = ask(where_, what, request_timeout);
  if (!got) return std::unexpected{problem{.text = printable(got.error())}};
  if (got->status != 200) return std::unexpected{refusal(where_, name, *got)};
  return std::move(got->body);
}

result<json> console::part(std::string_view name, const query& wanted) const {
  const auto text = send("GET", name, wanted, {});
  if (!text) return std::unexpected{text.error()};
  return checked(where_, *text);
}

result<std::string> console::text(std::string_view name, const query& wanted) const {
  return send("GET", name, wanted, {});
}

result<json> console::act(std::string_view name, const json& with) const {
  const auto text = send("POST", name, {}, one_line(with));
  if (!text) return std::unexpected{text.error()};
  return checked(where_, *text);
}

result<address> find_console(const std::string& folder) {
  std::vector<address> all = sockets_in(folder);
  const std::size_t sockets = all.size();
  std::erase_if(all,
                [](const address& each) { return !answers(each); });  // of programs that crashed
  if (all.size() == 1) return all.front();
  if (all.empty()) {
    const std::string left = sockets == 0 ? ""
                                          : " (" + std::to_string(sockets) +
                                                " sockets are left by programs that have ended)";
    return std::unexpected{problem{.text = "no program has a console in " + printable(folder) +
                                           left +
                                           "; if it is elsewhere, give its address with --to"}};
  }
  std::string text = "several programs have a console; choose one with --to:";
  for (const address& each : all)
    text += "\n  --to " + printable(each.path) + "   " + description_of(each);
  return std::unexpected{problem{.text = std::move(text)}};
}

std::string one_line(const json& of) {
  return of.dump(-1, ' ', true, json::error_handler_t::replace);
}

}  // namespace command
