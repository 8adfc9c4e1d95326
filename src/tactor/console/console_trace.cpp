// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/console_trace.hpp"

#include "tactor/console/action_answer.hpp"
#include "tactor/console/console_service.hpp"
#include "tactor/console/string_sink.hpp"
#include "tactor/host/snapshot/json_writer.hpp"
#include "tactor/host/trace/trace_options.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tactor::inline v0::internal {
namespace {

constexpr std::size_t most_seconds = 60;
constexpr std::size_t most_messages = 100'000;  // some 500 bytes of JSON each
constexpr std::size_t most_every = 1'000'000;

/// Returns: nothing if a field is unknown, or no number that is possible.
std::optional<trace_options> options_of(const json_fields& how) {
  trace_options wanted{.most = 20'000, .longest = std::chrono::seconds{2}};
  for (const auto& [name, value] : how.all) {
    const auto number = [&value](std::size_t most) {
      const auto found = parse_number(value, most);
      return found && *found > 0 ? found : std::nullopt;
    };
    std::optional<std::size_t> found = 1;
    if (name == "path") {
      wanted.path = value;
    } else if (name == "message") {
      wanted.message = value;
    } else if (name == "seconds") {
      found = number(most_seconds);
      wanted.longest = std::chrono::seconds{found.value_or(0)};
    } else if (name == "most") {
      found = number(most_messages);
      wanted.most = found.value_or(0);
    } else if (name == "every") {
      found = number(most_every);
      wanted.every = static_cast<std::uint32_t>(found.value_or(0));
    } else {
      return std::nullopt;
    }
    if (!found) return std::nullopt;
  }
  return wanted;
}

}  // namespace

console_response start_trace(const json_fields& how, const actor_system& system) {
  const auto wanted = options_of(how);
  if (!wanted)
    return refusal_of(
        400, "there is no such field, or no such value",
        "send seconds (1 to 60), most (1 to 100000), every (1 to 1000000), path, message");
  if (!system.start_trace(*wanted))
    return refusal_of(409, "a trace is being recorded already, or there is no memory",
                      "wait until it has ended, or record fewer messages");
  return answer_done("trace", [](json_writer&) {});
}

console_response read_trace(const request_target& target, const actor_system& system) {
  trace_format format = trace_format::chrome;
  for (const auto& [name, value] : target.parameters) {
    if (name != "format" || (value != "chrome" && value != "otlp"))
      return refusal_of(400, "the only parameter is 'format', chrome or otlp",
                        "correct it, or leave it out");
    if (value == "otlp") format = trace_format::otlp;
  }
  console_response made;
  string_sink to{made.body};
  if (!system.write_trace(format, to))
    return refusal_of(404, "nothing has been recorded yet", "start a trace: POST /api/v1/trace");
  to.check();
  return made;
}

}  // namespace tactor::inline v0::internal
