// SPDX-License-Identifier: BSL-1.0
// How a system spawns actors.
#include "tactor/base/lock_guard.hpp"
#include "tactor/core/cell/actor_name.hpp"
#include "tactor/core/cell/mailbox_limits.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/actor_parts.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/core/turn/middleware.hpp"

#include <cstddef>
#include <expected>
#include <optional>
#include <string_view>

namespace tactor::inline v0::internal {
namespace {

bool is_name(std::string_view name) noexcept {
  if (name.size() > actor_name::longest) return false;
  for (const char letter : name)
    if (letter == '/') return false;
  return true;
}

/// Returns true if all options but name and dispatcher are the default. Most actors are so: this is
/// checked once instead of each option.
bool is_plain(const spawn_options& options) noexcept {
  const mailbox_options& mail = options.mailbox;
  return mail.capacity == mailbox_options::unbounded &&
         mail.overflow == overflow_strategy::reject &&
         mail.reserve_for_system == mailbox_options::unbounded && mail.pressure_at == 0 &&
         mail.order == mailbox_order::arrival && options.on_failure.is_default() &&
         options.middleware == nullptr && options.priority == 0;
}

}  // namespace

/// The guardian has children and is part of every path, but accepts no messages: its mailbox is
/// never opened, and it never runs.
cell* system_core::make_guardian() noexcept {
  thread_record& here = this_thread();
  program_memory.note(here);
  cell* const made = program_memory.cells.take(here.cells);
  if (made == nullptr) return nullptr;
  made->parent = nullptr;
  made->name = nullptr;
  made->first_child = nullptr;
  made->children_stopped = false;
  made->guardian = true;
  return made;
}

/// `unlisted`: an actor of the runtime, which an actor that still drains may need.
std::optional<spawn_error> system_core::refuses_children_of(const cell* parent,
                                                            bool unlisted) const noexcept {
  if (user_ == nullptr) return spawn_error::no_memory;
  // Also a parent that waits for its children before a restart: new children would delay it for
  // ever.
  const bool parent_goes =
      parent != user_ && (parent->children_stopped || parent->stage == lifecycle_stage::stopping ||
                          parent->stage == lifecycle_stage::stopped);
  const bool is_late = now_in() != phase::running && (parent == user_ || !unlisted);
  if (parent_goes || is_late) return spawn_error::stopping;
  return std::nullopt;
}

ready_queue_coordinator* system_core::coordinator_for(dispatcher which) noexcept {
  if (which == dispatcher::pool || all_on_pool_) return &coordinator_;
  return others_ == nullptr ? nullptr : others_->choose(which);
}

std::expected<actor_ref<>, spawn_error> system_core::spawn(const spawn_request& wanted,
                                                           cell* parent) noexcept {
  if (parent == nullptr) parent = user_;
  const bool inspected = !spawn_middleware_.empty() && !wanted.unlisted;
  const auto made = inspected
                        ? program_features().spawn_options->inspect_and_spawn(*this, wanted, parent)
                        : try_spawn(wanted, parent);
  if (!made && !wanted.unlisted && reports != nullptr)
    reports->refused_spawn(wanted, parent, made.error());
  return made;
}

/// The last steps of a spawn: after the last one the actor may run.
inline void system_core::open(cell& c, const mailbox_options* mail) noexcept {
  // relaxed, all of these: opening the mailbox publishes them
  c.gate.store(gate_, relaxed);  // relaxed: as said
  c.oldest_mail.reset();
  if (mail == nullptr) {
    c.limits.store(0, relaxed);        // relaxed: as said
    c.pressure.store(0, relaxed);      // relaxed: as said
    c.system_limit.store(0, relaxed);  // relaxed: as said
  } else {
    program_features().spawn_options->set_limits(c, *mail);
  }
  ready_queue_coordinator* const runs_it = c.coordinator.load(relaxed);  // relaxed: as said
  c.box.open();
  runs_it->register_ready(c);
}

std::expected<actor_ref<>, spawn_error> system_core::try_spawn(const spawn_request& wanted,
                                                               cell* parent) noexcept {
  if (!is_name(wanted.options.name)) return std::unexpected{spawn_error::name_invalid};
  const bool plain = is_plain(wanted.options);
  if (!plain) {
    const spawn_option_functions* const row = program_features().spawn_options;
    if (row == nullptr) return std::unexpected{spawn_error::no_memory};
    if (const auto wrong = row->refuse(*this, wanted.options)) return std::unexpected{*wrong};
  }
  if (const auto wrong = refuses_children_of(parent, wanted.unlisted))
    return std::unexpected{*wrong};
  // relaxed: a number
  if (!wanted.unlisted && live_.fetch_add(1, relaxed) >= max_actors_) {
    live_.fetch_sub(1, relaxed);  // relaxed: a number
    return std::unexpected{spawn_error::too_many_actors};
  }
  const auto made = make_cell(wanted, parent, plain);
  const auto wrong = made ? join_family(*parent, **made, wanted.options.dispatcher) : made.error();
  if (wrong) {
    if (made) unmake(**made);
    if (!wanted.unlisted) live_.fetch_sub(1, relaxed);  // relaxed: a number
    return std::unexpected{*wrong};
  }
  cell& c = **made;
  const actor_ref<> ref{&c, c.tenant};  // before it runs: it may end at once
  if (!wanted.unlisted) count(&worker_counters::actors_started);
  open(c, plain ? nullptr : &wanted.options.mailbox);
  return ref;
}

/// The last step that can fail: a stopping system accepts no more actors, and the check for its
/// last actor must not miss this one.
std::optional<spawn_error> system_core::join_family(cell& parent, cell& child,
                                                    dispatcher where) noexcept {
  ready_queue_coordinator* const runs_it = coordinator_for(where);
  if (runs_it == nullptr) return spawn_error::no_dispatcher;
  child.coordinator.store(runs_it, relaxed);  // relaxed: opening the mailbox publishes it
  if (&parent != user_) {
    adopt(parent, child);
    return std::nullopt;
  }
  const lock_guard guard{family_};
  if (now_in() != phase::running) {
    leave_dispatcher(child);
    return spawn_error::stopping;
  }
  adopt(parent, child);
  return std::nullopt;
}

job_dispatcher* system_core::callables_of(const cell& who) noexcept {
  // relaxed: constant while the cell runs
  const ready_queue_coordinator* const runs_it = who.coordinator.load(relaxed);
  return runs_it == &coordinator_ ? nullptr : &others_->callables_of(*runs_it);
}

void system_core::leave_dispatcher(cell& who) noexcept {
  // relaxed: constant while the cell runs
  ready_queue_coordinator* const ran_it = who.coordinator.load(relaxed);
  if (ran_it != &coordinator_) others_->release(*ran_it);
}

/// Makes a cell, still closed, with every part that needs memory.
std::expected<cell*, spawn_error> system_core::make_cell(const spawn_request& wanted, cell* parent,
                                                         bool plain) noexcept {
  thread_record& here = this_thread();
  program_memory.note(here);
  cell* const c = program_memory.cells.take(here.cells);
  if (c == nullptr) return std::unexpected{spawn_error::no_memory};
  c->parent = parent;
  // no mutant: as in type_of
  c->type.store(wanted.recipe.type, release);  // pairs: cell.type
  c->recipe = &wanted.recipe;
  c->guardian = false;
  c->unlisted = wanted.unlisted;
  c->timed = constants.limits.time.has_value();
  const bool has_middleware =
      constants.middleware != nullptr || (!plain && wanted.options.middleware != nullptr);
  c->filtered = has_middleware && !wanted.unlisted;
  c->priority = wanted.options.priority;
  enter_first_stage(*c);
  const bool has_arguments = wanted.recipe.keep != nullptr;
  if ((has_arguments && !give_arguments(*c, wanted)) ||
      (!plain && !program_features().spawn_options->give_parts(*this, *c, wanted.options))) {
    unmake(*c);
    return std::unexpected{spawn_error::no_memory};
  }
  if (wanted.options.name.empty()) return c;
  const name_functions* const names = program_features().names;
  const std::expected<void, spawn_error> named =
      names == nullptr ? std::unexpected{spawn_error::no_memory} : names->give(*this, wanted, *c);
  if (named) return c;
  unmake(*c);
  return std::unexpected{named.error()};
}

/// Releases the parts of a cell that was never opened.
void system_core::unmake(cell& c) noexcept {
  release_parts(c);
  program_memory.cells.end_tenancy(c);
  program_memory.cells.give_back(this_thread().cells, c);
}

// How a system spawns actors that have options: mailboxes with limits, strategies, middleware.

namespace {

std::optional<spawn_error> refuses(const mailbox_options& options) noexcept {
  if (options.overflow > last_overflow_strategy || options.order > last_mailbox_order)
    return spawn_error::mailbox_invalid;
  if (options.capacity == 0) return spawn_error::zero_capacity;
  if (options.pressure_at > options.capacity || options.pressure_at > mailbox_options::most)
    return spawn_error::pressure_above_capacity;
  if (options.capacity == mailbox_options::unbounded) {
    if (options.overflow == overflow_strategy::reject) return std::nullopt;
    return spawn_error::capacity_missing;
  }
  if (options.capacity > mailbox_options::most) return spawn_error::capacity_too_large;
  return std::nullopt;
}

}  // namespace

std::optional<spawn_error> system_core::refuses(const spawn_options& options) const noexcept {
  if (const auto wrong = internal::refuses(options.mailbox)) return wrong;
  const supervision_functions* const row = program_features().supervision;
  if (row != nullptr && !options.on_failure.is_default() && !row->is_valid(options.on_failure))
    return spawn_error::strategy_invalid;
  if (options.priority >= constants.priorities) return spawn_error::priority_too_high;
  return std::nullopt;
}

/// Returns: false if there is no memory. Requires: there are arguments.
bool system_core::give_arguments(cell& to, const spawn_request& wanted) noexcept {
  to.arguments = new_block(this_thread(), wanted.recipe.arguments);
  if (to.arguments == nullptr) return false;
  wanted.recipe.keep(wanted.arguments, to.arguments);
  return true;
}

/// Of a cell that was never opened.
void system_core::release_parts(cell& c) noexcept {
  thread_record& here = this_thread();
  if (c.name != nullptr) program_features().names->erase(*this, c);
  release_arguments(here, c);
  if (c.extended) end_parts(here, c);
  if (c.side_queue.load(relaxed) != nullptr)
    program_features().limits->end(c);  // relaxed: not opened yet
}

/// Allocates the optional parts of a cell. Returns: false if there is no memory.
bool system_core::give_parts(cell& to, const spawn_options& options) noexcept {
  const middleware_chain* const middleware_of_it = options.middleware;
  thread_record& here = this_thread();
  if (middleware_of_it != nullptr) {
    const middleware_functions* const row = program_features().middleware;
    if (row == nullptr || !row->give(here, to, *middleware_of_it)) return false;
  }
  const mailbox_options& mail = options.mailbox;
  // Without threads of its own, nothing would make room while the only thread waits.
  const std::uint32_t push_timeout_ms = others_ == nullptr ? 0 : mail.push_timeout_ms;
  if (!mailbox_limits::of(mail).nothing()) {
    const limit_functions* const row = program_features().limits;
    if (row == nullptr || !row->give(to, mail, push_timeout_ms)) return false;
  }
  const supervision& how = options.on_failure;
  if (how.is_default()) return true;
  const supervision_functions* const row = program_features().supervision;
  return row != nullptr && row->give(here, to, how);
}

void system_core::set_limits(cell& c, const mailbox_options& mail) noexcept {
  const bool reserved = mail.reserve_for_system != mailbox_options::unbounded;
  // relaxed, all of these: opening the mailbox publishes them
  c.limits.store(mailbox_limits::of(mail).bits, relaxed);   // relaxed: as said
  c.pressure.store(pressure_word::of(mail).bits, relaxed);  // relaxed: as said
  c.system_limit.store(reserved ? mail.reserve_for_system + 1 : 0,
                       relaxed);  // relaxed: as said
}

/// Lets the spawn middlewares change or refuse it.
std::expected<actor_ref<>, spawn_error> system_core::inspect_and_spawn(const spawn_request& wanted,
                                                                       cell* parent) noexcept {
  spawn_options options = wanted.options;
  const actor_ref<> above =
      parent == user_ ? actor_ref<>{} : actor_ref<>{parent, parent->generation()};
  for (tactor::spawn_middleware* const each : spawn_middleware_) {
    const auto said = each->before_spawn(options, wanted.recipe.type->instance.type.name, above);
    if (!said) return std::unexpected{said.error()};
  }
  return try_spawn({.recipe = wanted.recipe,
                    .arguments = wanted.arguments,
                    .options = options,
                    .if_taken = wanted.if_taken},
                   parent);
}

consteval spawn_option_functions system_core::option_row() noexcept {
  return {.inspect_and_spawn = call_member<&system_core::inspect_and_spawn>,
          .refuse = call_member<&system_core::refuses>,
          .give_parts = call_member<&system_core::give_parts>,
          .set_limits = set_limits};
}
constinit const spawn_option_functions spawn_option_feature = system_core::option_row();

}  // namespace tactor::inline v0::internal
