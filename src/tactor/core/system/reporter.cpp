// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/system/reporter.hpp"

#include "tactor/base/lock_guard.hpp"
#include "tactor/base/text_writer.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/failure.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/system_core.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace tactor::inline v0::internal {
namespace {

class text_of_event final : public text_sink {
public:
  explicit text_of_event(event_text& to) noexcept : to_(to) {}
  void write(std::string_view text) noexcept override { to_.append(text); }

private:
  event_text& to_;
};

/// A code as text; empty for 0, which means no code.
event_text text_of_code(std::int32_t code) noexcept {
  if (code == 0) return {};
  const auto bits = static_cast<std::uint32_t>(code);
  event_text text{code < 0 ? "-" : ""};
  text.append_number(code < 0 ? 0 - bits : bits);
  return text;
}

std::uint32_t restarts_of(const cell& who) noexcept {
  const supervision_state* const record = supervision_state_or_null(who);
  return record == nullptr ? 0 : record->past.restarts;
}
/// The number of restarts before a failure. The strategy that decided to restart has counted the
/// next one; a restart with the parent is not counted.
std::uint32_t restarts_before(const cell& who, directive decided) noexcept {
  const supervision_state* const record = supervision_state_or_null(who);
  if (record == nullptr) return 0;
  const bool counted = decided == directive::restart && record->said.what == directive::restart;
  return counted ? record->past.restarts - 1 : record->past.restarts;
}

actor_ref<> ref_of(const mailbox_index& index) noexcept {
  if (index.generation == 0) return {};
  return {program_memory.cells.at(index.slot), index.generation};
}
/// The sending actor; generation 0 if the sender is no actor.
mailbox_index index_of(origin from) noexcept {
  if (from.what() != origin::kind::actor) return {};
  return {.slot = from.index(), .generation = from.generation};
}

}  // namespace

reporter::reporter(const log_config& config, std::string_view system, const monotonic_clock& clock,
                   scheduler* timers, std::span<scheduler_event> warnings) noexcept
    : out_(config, system), started_ns_(saturated_ns(clock.now())) {
  if (timers != nullptr)
    warnings_.emplace(timers->events(), warnings, scheduler_event_kinds::warnings());
}

event_stream& reporter::events() const noexcept {
  return system_->events();
}

std::uint64_t reporter::running_ns() const noexcept {
  return system_->now_ns() - started_ns_;
}

void reporter::warn(log_kind kind, std::string_view text, std::span<const log_field> fields,
                    std::string_view actor) noexcept {
  if (!logs(log_level::warning)) return;
  out_.write({.level = log_level::warning,
              .kind = kind,
              .time_ns = running_ns(),
              .actor = actor,
              .text = text,
              .fields = fields});
}

void reporter::timer_warnings() noexcept {
  if (!has_timer_warnings()) return;
  while (const auto event = warnings_->try_next()) {
    const std::array fields{log_field{"job", event->job}, log_field{"value", event->value}};
    warn(log_kind::timer, to_text(event->kind), fields);
    (void)events().publish(timer_warning{*event});
  }
}

void reporter::flush() noexcept {
  if (logs(log_level::warning)) out_.report_left_out(running_ns());
}

/// `try_spawn` returns the error to its caller: it is not logged.
void reporter::refused_spawn(const spawn_request& wanted, const cell* parent,
                             spawn_error why) noexcept {
  const std::string_view name = wanted.options.name;
  const bool returned = wanted.if_taken == spawn_request::taken_name::is_an_error;
  if (!returned && logs(log_level::warning)) {
    event_text path;
    if (parent != nullptr) system_->write_names(path, *parent);
    constexpr std::string_view refused = "the actor was not spawned: ";
    const std::string_view rule = to_text(why);
    std::array<char, 256> text{};
    char* const after = std::copy(refused.begin(), refused.end(), text.data());
    const std::size_t length = std::min(rule.size(), text.size() - refused.size());
    std::copy_n(rule.begin(), length, after);
    const std::array fields{log_field{"child", name}};
    warn(log_kind::system, {text.data(), refused.size() + length}, fields, path.view());
  }
  (void)events().publish(spawn_refused{.name = event_text{name}, .why = why});
}

void reporter::other_name(const cell& of, const name_changed& what) noexcept {
  event_text path;
  system_->write_names(path, of);
  const std::array fields{log_field{"wanted", what.wanted.view()}};
  warn(log_kind::system, "a sibling has the wanted name, so the actor got this one", fields,
       path.view());
  (void)events().publish(what);
}

void reporter::lost(const lost_message& what, drop_reason why) noexcept {
  if (lost_at_end_ != nullptr && system_->now_in() != system_phase::running)
    lost_at_end_[std::to_underlying(why)].fetch_add(1, relaxed);  // relaxed: a number
  log_dead_letter(what, why);
  if (observer_ == nullptr && events().has_no_subscriber()) return;
  dead_letter letter{.reason = why,
                     .message_type = what.operations.type.name,
                     .message = {},
                     .target = ref_of(what.target),
                     .sender = ref_of(index_of(what.sender))};
  if (observer_ != nullptr) observer_->lost(letter);
  if (events().has_no_subscriber()) return;
  if (what.payload != nullptr) {
    text_of_event text{letter.message};
    print(what.operations, what.payload, text);
  }
  (void)events().publish(letter);
}

void reporter::log_dead_letter(const lost_message& what, drop_reason why) noexcept {
  const log_level level = is_routine(why) ? log_level::info : log_level::warning;
  if (!logs(level)) return;
  const std::uint64_t now = running_ns();
  if (!out_.admits(level, log_kind::dead_letter, now)) return;
  // The target of an answer is a slot without a name.
  const event_text target =
      why == drop_reason::late_answer ? event_text{} : system_->path_for_log(what.target);
  const event_text sender = system_->path_for_log(index_of(what.sender));
  const std::array fields{log_field{"reason", to_text(why)},
                          log_field{"type", what.operations.type.name},
                          log_field{"sender", sender.view()}};
  out_.write_admitted({.level = level,
                       .kind = log_kind::dead_letter,
                       .time_ns = now,
                       .actor = target.view(),
                       .text = log_text_of(why),
                       .fields = fields});
}

void reporter::reserve_used_up(const actor_ref<>& who) noexcept {
  const event_text path = system_->path_for_log(who.index());
  warn(log_kind::system, "no capacity for a system message: raise mailbox.reserve_for_system", {},
       path.view());
  (void)events().publish(system_reserve_exhausted{.who = who});
}

void reporter::pressure(const actor_ref<>& who, std::uint32_t waiting) noexcept {
  const event_text path = system_->path_for_log(who.index());
  const std::array fields{log_field{"waiting", waiting}};
  warn(log_kind::mailbox,
       "messages come faster than the actor handles them: its mailbox has "
       "reached pressure_at",
       fields, path.view());
  (void)events().publish(mailbox_pressure{.who = who, .depth = waiting});
}

event_text reporter::others_in(const wait_cycle& found) noexcept {
  event_text others;
  for (std::size_t i = 1; i < found.size && i < wait_cycle::most; ++i) {
    if (i > 1) others.append(", ");
    others.append(system_->path_for_log(found.actors[i].index()).view());
  }
  return others;
}

void reporter::cycle(const wait_cycle& found) noexcept {
  const event_text from = system_->path_for_log(found.actors[0].index());
  const event_text others = others_in(found);
  const std::array fields{log_field{"actors", found.size}, log_field{"others", others.view()}};
  warn(log_kind::mailbox,
       "a message was refused because these actors would wait for each other: give one of their "
       "mailboxes more capacity or another strategy, or send with try_tell",
       fields, from.view());
  (void)events().publish(backpressure_cycle{.actors = found.actors, .size = found.size});
}

void reporter::stuck(const stuck_wait& found) noexcept {
  const event_text from = system_->path_for_log(found.actors[0].index());
  const event_text others = others_in(found);
  if (found.refused) {
    const event_text refused = system_->path_for_log(found.refused.index());
    const std::array fields{log_field{"actors", found.size}, log_field{"others", others.view()},
                            log_field{"refused", refused.view()}};
    warn(log_kind::mailbox,
         "actors have waited for each other's answers in a cycle, and one ask has ended with "
         "would_deadlock: answer without waiting, or in a reentrant_task",
         fields, from.view());
  } else {
    const std::array fields{log_field{"actors", found.size}, log_field{"others", others.view()},
                            log_field{"signal", found.signal}};
    warn(log_kind::mailbox,
         "an actor has waited for long, and the last of those that it waits for awaits a signal: "
         "signal that actor",
         fields, from.view());
  }
  (void)events().publish(stuck_actors{.actors = found.actors,
                                      .size = found.size,
                                      .refused = found.refused,
                                      .signal = {found.signal}});
}

void reporter::failed(cell& who, const message_operations* in, const failure& why,
                      const verdict& said) noexcept {
  const bool wanted = logs(log_level::error);
  const std::uint64_t now = wanted ? running_ns() : 0;
  const bool logged = wanted && out_.admits(log_level::error, log_kind::failure, now);
  const bool published = !events().has_no_subscriber();
  if (!logged && !published && observer_ == nullptr) return;
  actor_failed event{.who = {&who, who.tenant},
                     .path = {},
                     .actor_type = running_type(who).instance.type.name,
                     .message_type = in == nullptr ? std::string_view{} : in->type.name,
                     .why = why,
                     .thrown = {},
                     .decided = said.what,
                     .restarts = restarts_before(who, said.what)};
  system_->write_names(event.path, who);
  if (observer_ != nullptr) observer_->failed(event);
  if ((logged || published) && why.thrown_type() != nullptr) {
    char name[64];
    event.thrown.append({name, port::write_type_name(why.thrown_type(), name, sizeof name)});
  }
  if (logged) log_failure(event, said.remark, now);
  (void)events().publish(event);
}

void reporter::log_failure(const actor_failed& event, const char* remark,
                           std::uint64_t now) noexcept {
  const failure& why = event.why;
  const event_text code = text_of_code(why.code());
  const log_field line = why.file().empty() ? log_field{"line", ""} : log_field{"line", why.line()};
  const std::array fields{log_field{"type", event.actor_type},
                          log_field{"message", event.message_type},
                          log_field{"thrown", event.thrown.view()},
                          log_field{"code", code.view()},
                          log_field{"file", why.file()},
                          line,
                          log_field{"restarts", event.restarts},
                          log_field{"decided", to_text(event.decided)},
                          log_field{"because", remark == nullptr ? "" : remark}};
  out_.write_admitted({.level = log_level::error,
                       .kind = log_kind::failure,
                       .time_ns = now,
                       .actor = event.path.view(),
                       .text = why.text().empty() ? "handler failed without a message" : why.text(),
                       .fields = fields});
}

void reporter::system_failed(cell& who, const message_operations* in, const failure& why) noexcept {
  root_failure cause{
      .path = {}, .message_type = in == nullptr ? std::string_view{} : in->type.name, .why = why};
  system_->write_names(cause.path, who);
  {
    const lock_guard guard{cause_lock_};
    if (!cause_) cause_ = cause;  // the first failure counts
  }
  if (logs(log_level::error)) {
    out_.write({.level = log_level::error,
                .kind = log_kind::system,
                .time_ns = running_ns(),
                .actor = cause.path.view(),
                .text = "failure escalated past the root: the system stops",
                .fields = {}});
  }
}

void reporter::restarted(cell& who) noexcept {
  if (observer_ == nullptr && events().has_no_subscriber()) return;
  const actor_restarted event{.who = {&who, who.tenant}, .restarts = restarts_of(who)};
  if (observer_ != nullptr) observer_->restarted(event);
  (void)events().publish(event);
}

void reporter::suspended(cell& who) noexcept {
  if (events().has_no_subscriber()) return;
  (void)events().publish(actor_suspended{.who = {&who, who.tenant}, .reasons = who.reasons.all()});
}

void reporter::resumed(cell& who, std::optional<duration> after) noexcept {
  if (events().has_no_subscriber()) return;
  (void)events().publish(actor_resumed{.who = {&who, who.tenant}, .after = after});
}

void reporter::misused(cell& who, const char* advice) noexcept {
  if (!logs(log_level::warning)) return;
  event_text path;
  system_->write_names(path, who);
  warn(log_kind::system, advice, {}, path.view());
}

void reporter::log(const cell& who, log_level level, std::string_view text) noexcept {
  if (!logs(level)) return;
  event_text path;
  system_->write_names(path, who);
  out_.write({.level = level,
              .kind = log_kind::general,
              .time_ns = running_ns(),
              .actor = path.view(),
              .text = text,
              .fields = {}});
}

void reporter::blocked(mailbox_index who, std::string_view message_type, duration busy) noexcept {
  if (!logs(log_level::warning)) return;
  const event_text path = system_->path_for_log(who);
  const auto busy_ms = static_cast<std::uint64_t>(busy.nanoseconds()) / 1'000'000;
  const std::array fields{log_field{"message", message_type},
                          log_field{"busy_at_least_ms", busy_ms}};
  warn(
      log_kind::system,
      "a handler blocks a worker of the pool: spawn the actor with dispatcher::blocking, or let it "
      "do less at a time",
      fields, path.view());
}

void reporter::late(std::string_view path, std::string_view message_type, duration busy) noexcept {
  const auto busy_ms = static_cast<std::uint64_t>(busy.nanoseconds()) / 1'000'000;
  const std::array fields{log_field{"message", message_type},
                          log_field{"busy_at_least_ms", busy_ms}};
  warn(log_kind::system, "handler had not returned at the shutdown deadline", fields, path);
}

void reporter::still_suspended(std::string_view path) noexcept {
  warn(
      log_kind::system,
      "still suspended when the shutdown deadline passed: resume or stop the actor before shutdown",
      {}, path);
}

// Past the limits: it is written once, and after much else.
void reporter::lost_messages(std::span<const log_field> numbers) noexcept {
  if (!logs(log_level::warning)) return;
  out_.write_admitted({.level = log_level::warning,
                       .kind = log_kind::system,
                       .time_ns = running_ns(),
                       .text = "messages were not handled before the system ended",
                       .fields = numbers});
}

}  // namespace tactor::inline v0::internal
