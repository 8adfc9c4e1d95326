// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/context.hpp"

#include "tactor/core/actor/actor_name.hpp"
#include "tactor/core/actor/home.hpp"
#include "tactor/core/actor/life.hpp"
#include "tactor/core/actor/timer_letter.hpp"

namespace tactor::inline v0 {

actor_ref<> context::sender() const noexcept {
  const origin from = origin_of_current();
  if (from.what() != origin::kind::actor) return {};
  return {program_memory.cells.at(from.index()), from.generation};
}

actor_ref<> context::parent() const noexcept {
  cell* const above = room_.owner->parent;
  return above == nullptr ? actor_ref<>{} : actor_ref<>{above, above->generation()};
}

execution_batch context::batch() const noexcept {
  envelope* const current = room_.owner->current;
  if (current == nullptr || current->kind != envelope_kind::timer) return {};
  return timer_letter::of(*current).batch;
}

std::string_view context::name() const noexcept {
  return room_.owner->name == nullptr ? std::string_view{} : room_.owner->name->text();
}

void context::stop(const actor_ref<>& whom) const noexcept {
  if (whom) ask_to_stop(*whom.slot(), whom.generation());
}
void context::drain(const actor_ref<>& whom) const noexcept {
  if (whom) ask_to_drain(*whom.slot(), whom.generation());
}

// The home of the thread that runs the actor is the actor's own.
event_stream& context::events() const noexcept {
  return this_thread().home->events();
}
scheduler& context::timers() const noexcept {
  return this_thread().home->timers();
}

std::expected<actor_ref<>, spawn_error>
context::spawn_cell(const spawn_request& wanted) const noexcept {
  return this_thread().home->spawn(wanted, room_.owner);
}

}  // namespace tactor::inline v0
