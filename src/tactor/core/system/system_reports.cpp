// SPDX-License-Identifier: BSL-1.0
// What a system tells of its actors: in the log, on the event stream, in the metrics.
#include "tactor/base/lock_guard.hpp"
#include "tactor/base/text_sink.hpp"
#include "tactor/core/actor/actor_extras.hpp"
#include "tactor/core/actor/actor_name.hpp"
#include "tactor/core/actor/runtime_memory.hpp"
#include "tactor/core/actor/supervised.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/system/system_core.hpp"

#include <array>
#include <string_view>

namespace tactor::inline v0 {
namespace {

class text_of_event final : public text_sink {
public:
  explicit text_of_event(event_text& to) noexcept : to_(to) {}
  void write(std::string_view text) noexcept override { to_.append(text); }

private:
  event_text& to_;
};

std::uint32_t magnitude_of(std::int32_t number) noexcept {
  const auto bits = static_cast<std::uint32_t>(number);
  return number < 0 ? 0 - bits : bits;
}

/// What stands for the name of an actor that has none.
void append_nameless(event_text& to, std::uint32_t slot, std::uint32_t generation) noexcept {
  to.append("$");
  to.append_number(slot);
  to.append(".");
  to.append_number(generation);
}

std::uint32_t restarts_of(const cell& who) noexcept {
  const supervised* const record = who.extended ? who.extras->supervised : nullptr;
  return record == nullptr ? 0 : record->past.restarts;
}

actor_ref<> ref_of(const mailbox_index& index) noexcept {
  if (index.generation == 0) return {};
  return {program_memory.cells.at(index.slot), index.generation};
}
actor_ref<> ref_of(origin from) noexcept {
  if (from.what() != origin::kind::actor) return {};
  return {program_memory.cells.at(from.index()), from.generation};
}

}  // namespace

void system_core::warn(log_kind kind, std::string_view text,
                       std::span<const log_field> fields) noexcept {
  if (!log_.wants(log_level::warning)) return;
  log_.write({.level = log_level::warning,
              .kind = kind,
              .time_ns = running_ns(),
              .text = text,
              .fields = fields});
}

void system_core::tend_log() noexcept {
  if (!log_.wants(log_level::warning)) return;
  while (const auto event = timer_warnings_.poll()) {
    const std::array fields{log_field{"job", event->job}, log_field{"value", event->value}};
    warn(log_kind::timer, to_text(event->kind), fields);
  }
  log_.report_left_out(running_ns());
}

void system_core::report_refusal(const spawn_options& options, spawn_error why) noexcept {
  const std::array fields{log_field{"name", options.name}};
  warn(log_kind::system, to_text(why), fields);
  (void)events_.publish(spawn_refused{.name = event_text{options.name}, .why = why});
}

/// When the whole system stops, that is why an actor is gone.
drop_reason system_core::reason_of(drop_reason why) const noexcept {
  const bool gone = why == drop_reason::stopped || why == drop_reason::draining;
  return gone && now_in() != phase::running ? drop_reason::system_stopping : why;
}

void system_core::dead_letter(const lost_message& lost) noexcept {
  const bool suppressed = lost.operations.suppress_dead_letter;
  const drop_reason why = reason_of(lost.why);
  count([&](worker_counters& block) {
    block.count_dead_letter(why);
    if (suppressed) block.dead_letters_suppressed.add(1);
  });
  if (suppressed) return;
  const std::string_view type = lost.operations.type.name;
  const std::array fields{log_field{"reason", to_text(why)}, log_field{"type", type},
                          log_field{"target", lost.target.slot}};
  warn(log_kind::dead_letter, "a message was not handled", fields);
  if (events_.nobody_listens()) return;
  tactor::dead_letter letter{.reason = why,
                             .message_type = type,
                             .message = {},
                             .target = ref_of(lost.target),
                             .sender = ref_of(lost.sender)};
  if (lost.payload != nullptr && lost.operations.print != nullptr) {
    text_of_event text{letter.message};
    lost.operations.print(lost.payload, text);
  }
  (void)events_.publish(letter);
}

void system_core::system_reserve_used_up(const actor_ref<>& who) noexcept {
  const std::array fields{log_field{"target", who.index().slot}};
  warn(log_kind::system, "no place for a system message: raise mailbox.reserve_for_system", fields);
  (void)events_.publish(system_reserve_exhausted{.who = who});
}

void system_core::failed(cell& who, const message_operations* in, const failure& why,
                         const verdict& said) noexcept {
  count([](worker_counters& block) { block.failures.add(1); });
  actor_failed event{.who = {&who, who.tenant},
                     .path = {},
                     .actor_type = who.type->instance.type.name,
                     .message_type = in == nullptr ? std::string_view{} : in->type.name,
                     .why = why,
                     .thrown = {},
                     .decided = said.what,
                     .restarts = restarts_of(who)};
  if (said.what == directive::restart) --event.restarts;  // it is counted already
  write_path(event.path, who);
  if (why.thrown_type() != nullptr) {
    char name[64];
    event.thrown.append({name, port::write_type_name(why.thrown_type(), name, sizeof name)});
  }
  if (log_.wants(log_level::error)) {
    const std::string_view remark = said.remark == nullptr ? "" : said.remark;
    event_text code{why.code() < 0 ? "-" : ""};
    code.append_number(magnitude_of(why.code()));
    const std::array fields{log_field{"type", event.actor_type},
                            log_field{"message", event.message_type},
                            log_field{"thrown", event.thrown.view()},
                            log_field{"code", code.view()},
                            log_field{"file", why.file()},
                            log_field{"line", why.line()},
                            log_field{"restarts", event.restarts},
                            log_field{"decided", to_text(said.what)},
                            log_field{"because", remark}};
    log_.write({.level = log_level::error,
                .kind = log_kind::failure,
                .time_ns = running_ns(),
                .actor = event.path.view(),
                .text = why.text(),
                .fields = fields});
  }
  (void)events_.publish(event);
}

void system_core::escalated(cell& who, const message_operations* in, const failure& why) noexcept {
  {
    root_failure cause{
        .path = {}, .message_type = in == nullptr ? std::string_view{} : in->type.name, .why = why};
    write_path(cause.path, who);
    const lock_guard guard{family_};
    if (!cause_) cause_ = cause;  // the first one is why
  }
  if (log_.wants(log_level::error)) {
    log_.write({.level = log_level::error,
                .kind = log_kind::system,
                .time_ns = running_ns(),
                .actor = {},
                .text = "a failure was escalated past the root: the system stops",
                .fields = {}});
  }
  begin_stop();
}

void system_core::restarted(cell& who) noexcept {
  count([](worker_counters& block) { block.restarts.add(1); });
  if (events_.nobody_listens()) return;
  (void)events_.publish(actor_restarted{.who = {&who, who.tenant}, .restarts = restarts_of(who)});
}

void system_core::suspended(cell& who) noexcept {
  if (events_.nobody_listens()) return;
  (void)events_.publish(actor_suspended{.who = {&who, who.tenant}, .reasons = who.reasons});
}

void system_core::resumed(cell& who, std::optional<duration> after) noexcept {
  if (events_.nobody_listens()) return;
  (void)events_.publish(actor_resumed{.who = {&who, who.tenant}, .after = after});
}

void system_core::misused(cell& who, const char* advice) noexcept {
  if (!log_.wants(log_level::warning)) return;
  event_text path;
  write_path(path, who);
  const std::array fields{log_field{"actor", path.view()}};
  warn(log_kind::system, advice, fields);
}

// Paths.

void system_core::write_path(event_text& to, const cell& of) const noexcept {
  if (of.guardian) {
    to.append("/user");
    return;
  }
  if (of.parent != nullptr) write_path(to, *of.parent);
  to.append("/");
  if (of.name != nullptr) {
    to.append(of.name->text());
  } else {
    append_nameless(to, of.slot, of.tenant);
  }
}

void system_core::write_path(event_text& to, mailbox_index of) noexcept {
  const cell* const who = program_memory.cells.at(of.slot);
  const cell* parent = user_;
  event_text name;
  if (names_.name_of(who, [&](const actor_name& found) {
        parent = found.parent;
        name.append(found.text());
      })) {
    if (parent != user_ && parent != nullptr)
      write_path(to, mailbox_index{.slot = parent->slot, .generation = parent->generation()});
    else
      to.append("/user");
    to.append("/");
    to.append(name.view());
  } else {
    to.append("/user/");
    append_nameless(to, of.slot, of.generation);
  }
}

}  // namespace tactor::inline v0
