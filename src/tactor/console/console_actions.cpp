// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/console_actions.hpp"

#include "tactor/base/json_writer.hpp"
#include "tactor/console/request/request_target.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/metrics_level.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/post.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/actor_view.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/host/snapshot/seen_system.hpp"
#include "tactor/host/snapshot/snapshot.hpp"
#include "tactor/host/trace/trace_options.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace tactor::inline v0::internal {
namespace {

/// Makes the answer to an action that was done: its name, and what `add` writes.
console_response answer_done(console_action what, const std::function<void(json_writer&)>& add) {
  return object_with([&](json_writer& out) {
    out.number("version", snapshot_version);
    out.text("done", to_text(what));
    add(out);
  });
}

/// Reads what `write_id` has written. Returns: generation 0, which no actor has, for any other
/// text.
mailbox_index index_of(std::string_view id) noexcept {
  mailbox_index who{};
  const char* const end = id.data() + id.size();
  const auto slot = std::from_chars(id.data(), end, who.slot);
  if (slot.ec != std::errc{} || slot.ptr == end || *slot.ptr != '.') return {};
  const auto generation = std::from_chars(slot.ptr + 1, end, who.generation);
  return generation.ec == std::errc{} && generation.ptr == end ? who : mailbox_index{};
}

/// Finds an actor by its path, or by its id, or by both.
class actor_search final : public actor_visitor {
public:
  actor_search(const std::string* path, const std::string* id) noexcept : path_(path) {
    if (id != nullptr) who_ = index_of(*id);
  }

  bool visit(const actor_view& each) noexcept override {
    const bool has_path = path_ == nullptr || each.path.view() == *path_;
    if (has_path && (!who_ || each.who == *who_)) found_ = each;
    return !found_;
  }
  [[nodiscard]] const std::optional<actor_view>& found() const noexcept { return found_; }

private:
  const std::string* path_;
  std::optional<mailbox_index> who_;
  std::optional<actor_view> found_;
};

/// Replaces the actor's instance by a fresh one, as after the failure of a sibling. Returns: false
/// if the actor is gone.
bool request_restart(cell& whom, std::uint32_t generation) noexcept {
  const bool is_there =
      whom.request(generation, [](lifecycle_word was) { return was.with_restart_request(); });
  if (is_there) give_notice(whom);
  return is_there;
}

/// Does what is wanted of one actor. Returns: the reason why it cannot be done.
std::expected<void, suspend_error> act_on(console_action what, const actor_view& on,
                                          const actor_system& system) {
  const actor_ref<> whom{program_memory.cells.find(on.who), on.who.generation};
  if (!whom) return std::unexpected{suspend_error::gone};
  if (what == console_action::suspend) return system.suspend(whom);
  if (what == console_action::resume) return system.resume(whom);
  if (what == console_action::stop) system.stop(whom);
  if (what == console_action::restart && !request_restart(*whom.slot(), whom.generation()))
    return std::unexpected{suspend_error::gone};
  return {};
}

/// Returns: the reason why that cannot be done to the actor as it is now; null: it can.
const char* obstacle(console_action what, const actor_view& on) noexcept {
  const bool ends = on.state == "draining" || on.state == "stopping" || on.state == "stopped";
  if (ends && what != console_action::stop) return "the actor is about to end";
  const bool is_held = on.state == "suspended" && !on.reasons.has(suspend_reason::user_defined);
  if (what == console_action::resume && is_held)
    return "the actor is suspended for a reason that only the program, or the runtime, ends";
  return nullptr;
}

console_response control_actor(console_action what, const json_fields& how,
                               const actor_system& system) {
  const std::string* const path = how.find("path");
  const std::string* const id = how.find("id");
  const std::size_t known = (path != nullptr ? 1U : 0U) + (id != nullptr ? 1U : 0U);
  if (known == 0 || known != how.all.size())
    return refusal_of(400, "an actor is named by 'path' or by 'id', and by nothing else",
                      "send {\"path\":\"/user/name\"}");
  actor_search search{path, id};
  internal::visit_actors(system.core(), search);
  if (!search.found())
    return refusal_of(404, "there is no such actor", "list the actors: it may have ended");
  const actor_view& on = *search.found();
  if (const char* const why = obstacle(what, on))
    return refusal_of(409, why, "look at the actor's state");
  if (const auto done = act_on(what, on, system); !done)
    return refusal_of(409, to_text(done.error()), "look at the actor's state");
  return answer_done(what, [&on](json_writer& out) {
    out.text("path", on.path.view());
    write_id(out, "id", on.who);
  });
}

console_response change_settings(const json_fields& how, const actor_system& system) {
  std::optional<metrics_level> metrics;
  std::optional<log_level> log;
  for (const auto& [name, value] : how.all) {
    const bool is_metrics = name == "metrics_level";
    const bool is_log = name == "log_level";
    if (is_metrics) metrics = value_called(value, metrics_level::trace);
    if (is_log) log = value_called(value, log_level::error);
    if (!(is_metrics && metrics) && !(is_log && log))
      return refusal_of(400, "there is no such setting, or no such value",
                        "set metrics_level to off, system, actor or trace, log_level to debug, "
                        "info, warning or error");
  }
  if (metrics) system.set_metrics_level(*metrics);
  if (log) system.set_log_level(*log);
  return answer_done(console_action::settings, [&system](json_writer& out) {
    out.text("metrics_level", to_text(system.measured_level()));
    out.text("log_level", to_text(system.logged_level()));
  });
}

constexpr std::size_t most_seconds = 60;
constexpr std::size_t most_traced = 100'000;  // some 500 bytes of JSON each
constexpr std::size_t most_every = 1'000'000;

/// Returns: nothing if a field is unknown, or its value is not possible.
std::optional<trace_options> trace_options_in(const json_fields& how) {
  trace_options wanted{.most = 20'000, .longest = std::chrono::seconds{2}};
  for (const auto& [name, value] : how.all) {
    const auto number_to = [&value](std::size_t most) {
      const auto number = parse_number(value, most);
      return number && *number > 0 ? number : std::nullopt;
    };
    std::optional<std::size_t> number = 1;
    if (name == "path") {
      wanted.path = value;
    } else if (name == "message") {
      wanted.message = value;
    } else if (name == "seconds") {
      number = number_to(most_seconds);
      wanted.longest = std::chrono::seconds{number.value_or(0)};
    } else if (name == "most") {
      number = number_to(most_traced);
      wanted.most = number.value_or(0);
    } else if (name == "every") {
      number = number_to(most_every);
      wanted.every = static_cast<std::uint32_t>(number.value_or(0));
    } else {
      return std::nullopt;
    }
    if (!number) return std::nullopt;
  }
  return wanted;
}

console_response start_trace(const json_fields& how, const actor_system& system) {
  const auto wanted = trace_options_in(how);
  if (!wanted)
    return refusal_of(
        400, "there is no such field, or no such value",
        "send seconds (1 to 60), most (1 to 100000), every (1 to 1000000), path, message");
  if (!system.start_trace(*wanted))
    return refusal_of(409, "a trace is being recorded already, or there is no memory",
                      "wait until it has ended, or record fewer messages");
  return answer_done(console_action::trace, [](json_writer&) {});
}

console_response run_of_program(const json_fields& how, std::span<const program_action> known) {
  const std::string* const name = how.find("name");
  if (name == nullptr || how.all.size() != 1)
    return refusal_of(400, "an action of the program is named by 'name', and by nothing else",
                      "send {\"name\":\"reload\"}");
  const auto action = std::ranges::find(known, *name, &program_action::name);
  if (action == known.end())
    return refusal_of(404, "the program has no such action", "/api/v1/console lists them");
  try {
    action->run();
  } catch (...) {
    return refusal_of(500, "the action of the program failed",
                      "it threw an exception: catch it there, and log it");
  }
  return answer_done(console_action::run, [name](json_writer& out) { out.text("name", *name); });
}

}  // namespace

bool is_allowed(console_action what, const console_capabilities& granted) noexcept {
  switch (what) {
  case console_action::suspend:
  case console_action::resume:
  case console_action::settings:
  case console_action::run:
    return granted.control;
  case console_action::stop:
  case console_action::restart:
    return granted.lifecycle;
  case console_action::trace:
    return granted.trace;
  }
  return false;
}

console_response perform(console_action what, const json_fields& how, const actor_system& system,
                         std::span<const program_action> known) {
  if (what == console_action::run) return run_of_program(how, known);
  if (what == console_action::trace) return start_trace(how, system);
  if (what == console_action::settings) return change_settings(how, system);
  return control_actor(what, how, system);
}

}  // namespace tactor::inline v0::internal
