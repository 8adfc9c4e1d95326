// SPDX-License-Identifier: BSL-1.0
// How a system reports on its actors, in the log and on the event stream.
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

void system_core::warn(log_kind kind, std::string_view text, std::span<const log_field> fields,
                       std::string_view actor) noexcept {
  if (!logs(log_level::warning)) return;
  log_->out.write({.level = log_level::warning,
                   .kind = kind,
                   .time_ns = running_ns(),
                   .actor = actor,
                   .text = text,
                   .fields = fields});
}

void system_core::take_timer_warnings() noexcept {
  if (!has_timer_warnings()) return;
  while (const auto event = log_->timer_warnings->try_next()) {
    const std::array fields{log_field{"job", event->job}, log_field{"value", event->value}};
    warn(log_kind::timer, to_text(event->kind), fields);
    (void)events().publish(timer_warning{*event});
  }
}

void system_core::write_left_out() noexcept {
  if (logs(log_level::warning)) log_->out.report_left_out(running_ns());
}

/// `try_spawn` returns the error to its caller: it is not logged.
void system_core::report_refusal(const spawn_request& wanted, const cell* parent,
                                 spawn_error why) noexcept {
  const std::string_view name = wanted.options.name;
  const bool returned = wanted.if_taken == spawn_request::taken_name::is_an_error;
  if (!returned && logs(log_level::warning)) {
    event_text path;
    if (parent != nullptr) write_names(path, *parent);
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

void system_core::report_other_name(const cell& of, const name_changed& what) noexcept {
  event_text path;
  write_names(path, of);
  const std::array fields{log_field{"wanted", what.wanted.view()}};
  warn(log_kind::system, "a sibling has the wanted name, so the actor got this one", fields,
       path.view());
  (void)events().publish(what);
}

void system_core::report_dead_letter(const lost_message& lost, drop_reason why) noexcept {
  if (log_ != nullptr && log_->lost_at_end != nullptr && now_in() != phase::running)
    log_->lost_at_end[std::to_underlying(why)].fetch_add(1, relaxed);  // relaxed: a number
  log_dead_letter(lost, why);
  if (observer_ == nullptr && events().has_no_subscriber()) return;
  tactor::dead_letter letter{.reason = why,
                             .message_type = lost.operations.type.name,
                             .message = {},
                             .target = ref_of(lost.target),
                             .sender = ref_of(index_of(lost.sender))};
  if (system_observer* const observer = observer_) observer->lost(letter);
  if (events().has_no_subscriber()) return;
  if (lost.payload != nullptr) {
    text_of_event text{letter.message};
    print(lost.operations, lost.payload, text);
  }
  (void)events().publish(letter);
}

void system_core::log_dead_letter(const lost_message& lost, drop_reason why) noexcept {
  const log_level level = is_routine(why) ? log_level::info : log_level::warning;
  if (!logs(level)) return;
  const std::uint64_t now = running_ns();
  if (!log_->out.admits(level, log_kind::dead_letter, now)) return;
  // The target of an answer is a slot without a name.
  const event_text target =
      why == drop_reason::late_answer ? event_text{} : path_for_log(lost.target);
  const event_text sender = path_for_log(index_of(lost.sender));
  const std::array fields{log_field{"reason", to_text(why)},
                          log_field{"type", lost.operations.type.name},
                          log_field{"sender", sender.view()}};
  log_->out.write_admitted({.level = level,
                            .kind = log_kind::dead_letter,
                            .time_ns = now,
                            .actor = target.view(),
                            .text = log_text_of(why),
                            .fields = fields});
}

void system_core::report_used_up_reserve(const actor_ref<>& who) noexcept {
  const event_text path = path_for_log(who.index());
  warn(log_kind::system, "no capacity for a system message: raise mailbox.reserve_for_system", {},
       path.view());
  (void)events().publish(system_reserve_exhausted{.who = who});
}

void system_core::report_pressure(const actor_ref<>& who, std::uint32_t waiting) noexcept {
  const event_text path = path_for_log(who.index());
  const std::array fields{log_field{"waiting", waiting}};
  warn(log_kind::mailbox,
       "messages come faster than the actor handles them: its mailbox has "
       "reached pressure_at",
       fields, path.view());
  (void)events().publish(mailbox_pressure{.who = who, .depth = waiting});
}

void system_core::report_cycle(const wait_cycle& found) noexcept {
  const event_text from = path_for_log(found.actors[0].index());
  event_text others;
  for (std::size_t i = 1; i < found.size && i < wait_cycle::most; ++i) {
    if (i > 1) others.append(", ");
    others.append(path_for_log(found.actors[i].index()).view());
  }
  const std::array fields{log_field{"actors", found.size}, log_field{"others", others.view()}};
  warn(log_kind::mailbox,
       "a message was refused because these actors would wait for each other: give one of their "
       "mailboxes more capacity or another strategy, or send with try_tell",
       fields, from.view());
  (void)events().publish(tactor::backpressure_cycle{.actors = found.actors, .size = found.size});
}

void system_core::report_failure(cell& who, const message_operations* in, const failure& why,
                                 const verdict& said) noexcept {
  const bool wanted = logs(log_level::error);
  const std::uint64_t now = wanted ? running_ns() : 0;
  const bool logged = wanted && log_->out.admits(log_level::error, log_kind::failure, now);
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
  write_names(event.path, who);
  if (system_observer* const observer = observer_) observer->failed(event);
  if ((logged || published) && why.thrown_type() != nullptr) {
    char name[64];
    event.thrown.append({name, port::write_type_name(why.thrown_type(), name, sizeof name)});
  }
  if (logged) log_failure(event, said.remark, now);
  (void)events().publish(event);
}

void system_core::log_failure(const actor_failed& event, const char* remark,
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
  log_->out.write_admitted(
      {.level = log_level::error,
       .kind = log_kind::failure,
       .time_ns = now,
       .actor = event.path.view(),
       .text = why.text().empty() ? "handler failed without a message" : why.text(),
       .fields = fields});
}

void system_core::report_cause(cell& who, const message_operations* in,
                               const failure& why) noexcept {
  root_failure cause{
      .path = {}, .message_type = in == nullptr ? std::string_view{} : in->type.name, .why = why};
  write_names(cause.path, who);
  if (log_ != nullptr) {
    const lock_guard guard{family_};
    if (!log_->cause) log_->cause = cause;  // the first failure counts
  }
  if (logs(log_level::error)) {
    log_->out.write({.level = log_level::error,
                     .kind = log_kind::system,
                     .time_ns = running_ns(),
                     .actor = cause.path.view(),
                     .text = "failure escalated past the root: the system stops",
                     .fields = {}});
  }
}

void system_core::report_restart(cell& who) noexcept {
  if (observer_ == nullptr && events().has_no_subscriber()) return;
  const actor_restarted event{.who = {&who, who.tenant}, .restarts = restarts_of(who)};
  if (system_observer* const observer = observer_) observer->restarted(event);
  (void)events().publish(event);
}

void system_core::publish_suspended(cell& who) noexcept {
  if (events().has_no_subscriber()) return;
  (void)events().publish(actor_suspended{.who = {&who, who.tenant}, .reasons = who.reasons.all()});
}

void system_core::publish_resumed(cell& who, std::optional<duration> after) noexcept {
  if (events().has_no_subscriber()) return;
  (void)events().publish(actor_resumed{.who = {&who, who.tenant}, .after = after});
}

void system_core::report_misuse(cell& who, const char* advice) noexcept {
  if (!logs(log_level::warning)) return;
  event_text path;
  write_names(path, who);
  warn(log_kind::system, advice, {}, path.view());
}

void system_core::write_to_log(const cell& who, log_level level, std::string_view text) noexcept {
  if (!logs(level)) return;
  event_text path;
  write_names(path, who);
  log_->out.write({.level = level,
                   .kind = log_kind::general,
                   .time_ns = running_ns(),
                   .actor = path.view(),
                   .text = text,
                   .fields = {}});
}

void system_core::report_blocked(mailbox_index who, std::string_view message_type,
                                 duration busy) noexcept {
  if (!logs(log_level::warning)) return;
  const event_text path = path_for_log(who);
  const auto busy_ms = static_cast<std::uint64_t>(busy.nanoseconds()) / 1'000'000;
  const std::array fields{log_field{"message", message_type},
                          log_field{"busy_at_least_ms", busy_ms}};
  warn(
      log_kind::system,
      "a handler blocks a worker of the pool: spawn the actor with dispatcher::blocking, or let it "
      "do less at a time",
      fields, path.view());
}

void system_core::report_late(std::string_view path, std::string_view message_type,
                              duration busy) noexcept {
  const auto busy_ms = static_cast<std::uint64_t>(busy.nanoseconds()) / 1'000'000;
  const std::array fields{log_field{"message", message_type},
                          log_field{"busy_at_least_ms", busy_ms}};
  warn(log_kind::system, "handler had not returned at the shutdown deadline", fields, path);
}

void system_core::report_suspended(std::string_view path) noexcept {
  warn(
      log_kind::system,
      "still suspended when the shutdown deadline passed: resume or stop the actor before shutdown",
      {}, path);
}

// Past the limits: it is written once, and after much else.
void system_core::report_lost_messages(std::span<const log_field> numbers) noexcept {
  if (!logs(log_level::warning)) return;
  log_->out.write_admitted({.level = log_level::warning,
                            .kind = log_kind::system,
                            .time_ns = running_ns(),
                            .text = "messages were not handled before the system ended",
                            .fields = numbers});
}

namespace {

/// Its index, if it is suspended.
std::optional<mailbox_index> suspended_index(const cell& c) noexcept {
  if (!c.box.peek().suspended()) return std::nullopt;
  const mailbox_index who{.slot = c.slot, .generation = c.generation()};
  return who.generation % 2 != 0 ? std::optional{who} : std::nullopt;  // odd: the slot has a tenant
}
/// The cell after `c` in the family below `top`: its first child, or the next sibling of it or of
/// an ancestor; null: none.
const cell* next_in_family(const cell& c, const cell& top) noexcept {
  if (c.first_child != nullptr) return c.first_child;
  const cell* each = &c;
  while (each != &top && each->next_sibling == nullptr)
    each = each->parent;
  return each == &top ? nullptr : each->next_sibling;
}

}  // namespace

std::size_t system_core::find_suspended(std::span<mailbox_index> out) const noexcept {
  std::size_t count = 0;
  const std::uint32_t slots = program_memory.cells.made();
  for (std::uint32_t slot = 0; slot < slots && count < out.size(); ++slot) {
    const cell* const each = program_memory.cells.at(slot);
    // relaxed: only compared
    if (each == nullptr || each->gate.load(relaxed) != gate_) continue;
    if (const auto who = suspended_index(*each)) out[count++] = *who;
  }
  return count;
}

std::size_t system_core::find_suspended_in_order(std::span<mailbox_index> out) const noexcept {
  std::size_t count = 0;
  const cell* each = next_in_family(*user_, *user_);
  for (; each != nullptr && count < out.size(); each = next_in_family(*each, *user_))
    if (const auto who = suspended_index(*each)) out[count++] = *who;
  return count;
}

consteval report_functions system_core::report_row() noexcept {
  using core = system_core;
  return {.flush = call_member<&core::write_left_out>,
          .timer_warnings = call_member<&core::take_timer_warnings>,
          .refused_spawn = call_member<&core::report_refusal>,
          .other_name = call_member<&core::report_other_name>,
          .dead_letter = call_member<&core::report_dead_letter>,
          .pressure = call_member<&core::report_pressure>,
          .cycle = call_member<&core::report_cycle>,
          .reserve_used_up = call_member<&core::report_used_up_reserve>,
          .failed = call_member<&core::report_failure>,
          .cause = call_member<&core::report_cause>,
          .restarted = call_member<&core::report_restart>,
          .suspended = call_member<&core::publish_suspended>,
          .resumed = call_member<&core::publish_resumed>,
          .misused = call_member<&core::report_misuse>,
          .log = call_member<&core::write_to_log>};
}
constinit const report_functions report_feature = system_core::report_row();

}  // namespace tactor::inline v0::internal
