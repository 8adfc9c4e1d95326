// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/console_service.hpp"

#include "tactor/base/json_writer.hpp"
#include "tactor/base/text_writer.hpp"
#include "tactor/console/console_actions.hpp"
#include "tactor/console/history_text.hpp"
#include "tactor/console/page_files.hpp"
#include "tactor/console/request/json_fields.hpp"
#include "tactor/console/request/request_check.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/scheduler/dump.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/host/metrics/metrics_history.hpp"
#include "tactor/host/metrics/prometheus.hpp"
#include "tactor/host/snapshot/snapshot.hpp"
#include "tactor/host/trace/trace_options.hpp"

#include <unistd.h>

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

constexpr std::string_view api = "/api/v1/";
constexpr std::string_view plain_text = "text/plain; charset=utf-8";

console_response text_answer(unsigned status, std::string_view text) {
  return {.status = status, .content_type = plain_text, .body = std::string{text}};
}

console_response ready_answer(system_phase phase) {
  switch (phase) {
  case system_phase::running:
    return text_answer(200, "ready\n");
  case system_phase::stopping:
    return text_answer(503, "stopping\n");
  case system_phase::draining:
    return text_answer(503, "draining\n");
  case system_phase::stopped:
    break;
  }
  return text_answer(503, "stopped\n");
}

std::uint64_t wall_clock_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

/// Returns: the page itself, or one of its files; nothing for another path.
std::optional<console_response> page_answer(std::string_view path) {
  constexpr std::string_view assets = "/assets/";
  if (path != "/" && !path.starts_with(assets)) return std::nullopt;
  const std::string_view name = path == "/" ? "index.html" : path.substr(assets.size());
  for (const page_file& each : page_files()) {
    if (each.name == name)
      return console_response{.content_type = content_type_of(name),
                              .body = std::string{each.content},
                              .is_page = true};
  }
  return std::nullopt;
}

console_response wrong_method(std::string_view right) {
  console_response refused =
      refusal_of(405, "this method is not possible here", "read with GET, act with POST");
  refused.allow = right;
  return refused;
}

std::optional<console_action> action_at(std::string_view path) noexcept {
  if (!path.starts_with(api)) return std::nullopt;
  return value_called(path.substr(api.size()), console_action::run);
}

/// Reads the only parameter 'format'. Returns: true if it is `other`, false if it is `usual` or
/// missing; the refusal of everything else.
std::expected<bool, console_response> is_format(std::string_view other, std::string_view usual,
                                                const request_target& target) {
  bool is_other = false;
  for (const auto& [name, value] : target.parameters) {
    is_other = value == other;
    if (name != "format" || (!is_other && value != usual))
      return std::unexpected{refusal_of(400,
                                        "the only parameter is 'format', " + std::string{usual} +
                                            " or " + std::string{other},
                                        "correct the parameter, or leave it out")};
  }
  return is_other;
}

console_response not_found() {
  return refusal_of(404, "there is nothing at this address",
                    "see docs/guide/console.md for what there is");
}

console_response not_allowed() {
  return refusal_of(403, "the program does not allow this",
                    "grant the capability in console_options");
}

}  // namespace

console_service::console_service(const actor_system& system, const console_options& options,
                                 std::uint16_t port)
    : system_(system), options_(options), port_(port), started_ns_(wall_clock_ns()) {}

console_response console_service::answer(const console_request& to) {
  ++counts_.requests;
  console_response response = route(to);
  if (response.status >= 400) ++counts_.refused;
  return response;
}

console_response console_service::route(const console_request& request) {
  if (auto refused = check_origin(request, port_)) return std::move(*refused);
  const auto target = request_target::parse(request.target);
  if (!target)
    return refusal_of(400, "the address is not well-formed", "write it as /path?name=value");
  switch (request.method) {
  case request_method::get:
  case request_method::head:
    return read(*target);
  case request_method::post:
    return act(*target, request);
  case request_method::other:
    break;
  }
  return wrong_method("GET, HEAD, POST");
}

console_response console_service::act(const request_target& target,
                                      const console_request& request) {
  const auto action = action_at(target.path);
  if (!action) {
    console_response other = read(target);
    return other.status == 404 ? std::move(other) : wrong_method("GET, HEAD");
  }
  if (!presents_token(request.authorization, options_.token))
    return refusal_of(401, "the token is missing or wrong",
                      "send the header 'Authorization: Bearer TOKEN' with the token that the "
                      "program printed");
  if (!is_allowed(*action, options_.capabilities)) return not_allowed();
  const auto fields = json_fields::parse(request.body);
  if (!fields || !target.parameters.empty())
    return refusal_of(400, "the body is no flat JSON object, or there are parameters",
                      "send one object with texts and numbers");
  console_response response = perform(*action, *fields, system_, options_.actions);
  if (response.status == 200) ++counts_.actions;
  return response;
}

console_response console_service::read(const request_target& target) {
  if (target.path.starts_with(api))
    return read_api(std::string_view{target.path}.substr(api.size()), target);
  if (auto page = page_answer(target.path)) return std::move(*page);
  if (target.path == "/healthz") return text_answer(200, "ok\n");
  if (target.path == "/readyz") return ready_answer(system_.phase());
  if (target.path == "/metrics") {
    console_response response =
        answer_with([this](text_sink& to) { write_prometheus(system_.full_metrics(), to); });
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    return response;
  }
  return not_found();
}

console_response console_service::read_api(std::string_view name, const request_target& target) {
  if (const auto part = value_called(name, snapshot_part::shutdown))
    return read_part(*part, target);
  if (name == "history") return read_history(target);
  if (name == "dump") return read_dump(target);
  if (name == "trace") return options_.capabilities.trace ? read_trace(target) : not_allowed();
  if (!target.parameters.empty())
    return refusal_of(400, "there are no parameters here", "leave them out");
  if (name == "console") return describe();
  if (name == "events") return {.opens_stream = true};
  if (value_called(name, console_action::run)) return wrong_method("POST");
  return not_found();
}

console_response console_service::read_part(snapshot_part part, const request_target& target) {
  auto wanted = query_of(part, target);
  if (!wanted) return refusal_of(400, wanted.error(), "correct the parameter, or leave it out");
  metrics_report now;
  if (part == snapshot_part::warnings) {
    now = system_.full_metrics();
    wanted->figures = &now;
    wanted->before = since_.begin(now);
  }
  return answer_with([&](text_sink& to) { system_.write_snapshot(*wanted, to); });
}

console_response console_service::read_history(const request_target& target) const {
  std::uint64_t seconds = metrics_history::most_points;
  for (const auto& [name, value] : target.parameters) {
    const auto number = parse_number(value, metrics_history::most_points);
    if (name != "seconds" || !number)
      return refusal_of(400, "the only parameter is 'seconds', a number from 0 to 900",
                        "correct the parameter, or leave it out");
    seconds = *number;
  }
  return answer_with([&](text_sink& to) {
    write_history(system_.metrics_history(), system_.now_ns(), seconds, to);
  });
}

console_response console_service::read_dump(const request_target& target) const {
  const auto is_json = is_format("json", "text", target);
  if (!is_json) return is_json.error();
  console_response response = answer_with(
      [&](text_sink& to) { system_.dump(*is_json ? dump_format::json : dump_format::text, to); });
  if (!*is_json) response.content_type = plain_text;
  return response;
}

console_response console_service::read_trace(const request_target& target) const {
  const auto is_otlp = is_format("otlp", "chrome", target);
  if (!is_otlp) return is_otlp.error();
  bool is_recorded = false;
  console_response response = answer_with([&](text_sink& to) {
    is_recorded = system_.write_trace(*is_otlp ? trace_format::otlp : trace_format::chrome, to);
  });
  if (is_recorded) return response;
  return refusal_of(404, "nothing has been recorded yet", "start a trace: POST /api/v1/trace");
}

console_response console_service::describe() const {
  return object_with([this](json_writer& out) {
    out.number("version", snapshot_version);
    out.text("part", "console");
    out.key("capabilities").open('[');
    out.text("inspect");
    if (options_.capabilities.trace) out.text("trace");
    if (options_.capabilities.control) out.text("control");
    if (options_.capabilities.lifecycle) out.text("lifecycle");
    out.close(']');
    out.flag("token_required", true);
    out.text("system", system_.core().name());
    out.number("pid", static_cast<std::uint64_t>(::getpid()));
    out.number("started_ns", started_ns_);
    out.text("metrics_level", to_text(system_.measured_level()));
    out.text("log_level", to_text(system_.logged_level()));
    out.number("requests", counts_.requests);
    out.number("refused", counts_.refused);
    out.number("actions", counts_.actions);
    out.number("connections", counts_.connections);
    out.number("turned_away", counts_.turned_away);
    out.number("closed_idle", counts_.closed_idle);
    out.number("event_streams", counts_.event_streams);
    out.number("ticks_lost", counts_.ticks_lost);
    out.key("program_actions").open('[');
    for (const program_action& each : options_.actions) {
      out.open('{');
      out.text("name", each.name);
      out.text("description", each.description);
      out.close('}');
    }
    out.close(']');
  });
}

}  // namespace tactor::inline v0::internal
