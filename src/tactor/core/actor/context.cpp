// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/context.hpp"

#include "tactor/core/cell/actor_name.hpp"
#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/lifecycle.hpp"
#include "tactor/core/life/stash.hpp"
#include "tactor/core/send/timer_envelope.hpp"

namespace tactor::inline v0 {

using namespace internal;

actor_ref<> context::sender() const noexcept {
  const origin from = origin_of_current();
  if (from.what() != origin::kind::actor) return {};
  return {program_memory.cells.at(from.index()), from.generation};
}

actor_ref<> context::parent() const noexcept {
  cell* const above = storage_.owner->parent;
  return above == nullptr ? actor_ref<>{} : actor_ref<>{above, above->generation()};
}

execution_batch context::batch() const noexcept {
  envelope* const current = storage_.owner->current;
  if (current == nullptr) return {};
  if (current->kind == envelope_kind::timer) return timer_envelope::of(*current).batch();
  const bool is_run = current->kind == envelope_kind::message && current->state() == is_stashed_run;
  return is_run ? batch_of_run(*current) : execution_batch{};
}

std::string_view context::name() const noexcept {
  return storage_.owner->name == nullptr ? std::string_view{} : storage_.owner->name->text();
}

void context::log(log_level level, std::string_view text) const noexcept {
  this_thread().services->log(*storage_.owner, level, text);
}

event_stream& context::events() const noexcept {
  return this_thread().services->events();
}
scheduler& context::timers() const noexcept {
  return this_thread().services->timers();
}

std::uint64_t context::now_ns() const noexcept {
  return this_thread().services->now_ns();
}

std::expected<actor_ref<>, spawn_error>
context::spawn_cell(const spawn_request& wanted) const noexcept {
  return this_thread().services->spawn(wanted, storage_.owner);
}

}  // namespace tactor::inline v0
