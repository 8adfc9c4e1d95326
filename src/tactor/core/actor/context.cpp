// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/context.hpp"

#include "tactor/core/cell/actor_name.hpp"
#include "tactor/core/cell/cell.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/death_watch.hpp"
#include "tactor/core/life/receive_timeout.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/life/stash.hpp"
#include "tactor/core/life/suspension.hpp"
#include "tactor/core/observe/event_text.hpp"
#include "tactor/core/send/sender.hpp"
#include "tactor/core/send/system_of_turn.hpp"
#include "tactor/core/send/timer_envelope.hpp"

#include <span>
#include <string_view>

namespace tactor::inline v0 {

using namespace internal;

cell& context::own_cell() const noexcept {
  (void)system_of_turn(this_thread(), *storage_.owner);
  return *storage_.owner;
}

actor_ref<> context::sender() const noexcept {
  (void)own_cell();
  return sending_actor(origin_of_current());
}

actor_ref<> context::parent() const noexcept {
  cell* const above = storage_.owner->parent;
  return above == nullptr ? actor_ref<>{} : actor_ref<>{above, above->generation()};
}

execution_batch context::batch() const noexcept {
  envelope* const current = own_cell().current;
  if (current == nullptr) return {};
  if (current->kind == envelope_kind::timer) return timer_envelope::of(*current).batch();
  const bool is_run = current->kind == envelope_kind::message && current->state() == is_stashed_run;
  return is_run ? batch_of_run(*current) : execution_batch{};
}

std::string_view context::name() const noexcept {
  return storage_.owner->name == nullptr ? std::string_view{} : storage_.owner->name->text();
}

void context::log(log_level level, std::string_view text) const noexcept {
  system_of_turn(this_thread(), *storage_.owner).log(*storage_.owner, level, text);
}

std::uint32_t context::outbox_room(const actor_ref<>& to) const noexcept {
  const outbox_functions* const outboxes = program_features().outboxes;
  return outboxes == nullptr ? 0 : outboxes->room(own_cell(), to);
}

event_stream& context::events() const noexcept {
  return system_of_turn(this_thread(), *storage_.owner).events();
}
scheduler& context::timers() const noexcept {
  return system_of_turn(this_thread(), *storage_.owner).timers();
}

std::uint64_t context::random() const noexcept {
  return system_of_turn(this_thread(), *storage_.owner).next_random();
}

std::uint64_t context::now_ns() const noexcept {
  return system_of_turn(this_thread(), *storage_.owner).now_ns();
}

std::expected<actor_ref<>, spawn_error>
context::spawn_cell(const spawn_request& wanted) const noexcept {
  return system_of_turn(this_thread(), *storage_.owner).spawn(wanted, storage_.owner);
}

event_text context::path() const noexcept {
  event_text path;
  system_of_turn(this_thread(), *storage_.owner).write_path(path, *storage_.owner);
  return path;
}

actor_ref<> context::find_any(std::string_view path,
                              std::span<const message_operations* const> messages) const noexcept {
  return system_of_turn(this_thread(), *storage_.owner).find(path, messages);
}

std::expected<void, suspend_error> context::suspend(suspend_reason reason,
                                                    const resume_condition& until) noexcept {
  thread_record& here = this_thread();
  return internal::suspend({system_of_turn(here, *storage_.owner), here, *storage_.owner}, reason,
                           until);
}
std::expected<void, suspend_error> context::resume(suspend_reason reason) noexcept {
  if (internal::is_of_runtime(reason)) return std::unexpected{suspend_error::runtime_reason};
  thread_record& here = this_thread();
  internal::resume({system_of_turn(here, *storage_.owner), here, *storage_.owner}, reason, 0);
  return {};
}
suspension_times context::suspensions() const noexcept {
  const cell& c = *storage_.owner;
  const suspension* const record = c.extended ? c.parts->suspension : nullptr;
  return record == nullptr ? suspension_times{} : record->times;
}

std::expected<void, scheduler_error> context::start_receive_timeout(duration timeout) noexcept {
  return internal::set_receive_timeout(this_thread(), own_cell(), timeout);
}
void context::cancel_receive_timeout() noexcept {
  internal::cancel_receive_timeout(own_cell());
}

std::expected<void, watch_error> context::watch_told(const actor_ref<>& whom,
                                                     envelope* told) noexcept {
  thread_record& here = this_thread();
  system_services& services = system_of_turn(here, *storage_.owner);
  auto result = internal::watch(here, *storage_.owner, whom, told);
  if (!result) services.misused(*storage_.owner, to_text(result.error()));
  return result;
}
bool context::unwatch(const actor_ref<>& whom) noexcept {
  return internal::unwatch(this_thread(), own_cell(), whom);
}

void context::stop_children() noexcept {
  cell& self = own_cell();
  // Only a restart waits for them, and then the new instance is not notified; otherwise the actor
  // may spawn others, and its watches stay.
  const bool goes_on =
      self.stage == lifecycle_stage::running || self.stage == lifecycle_stage::draining;
  const watch_functions* const watches = program_features().watches;
  if (!goes_on && watches != nullptr) watches->end_of_children(this_thread(), self);
  tactor::stop_children(self);
  if (goes_on) self.children_stopped = false;
}

}  // namespace tactor::inline v0
