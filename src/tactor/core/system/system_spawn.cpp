// SPDX-License-Identifier: BSL-1.0
// How a system spawns actors.
#include "tactor/base/lock_guard.hpp"
#include "tactor/core/cell/actor_name.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/start_stop.hpp"
#include "tactor/core/send/delivery.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/system_core.hpp"

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

/// Whether all options but name and dispatcher are the default. So it is with most actors: this is
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
  const auto made = inspected ? linked().spawn_middleware->spawn(*this, wanted, parent)
                              : try_spawn(wanted, parent);
  const report_functions* const reports = linked().reports;
  if (!made && !wanted.unlisted && reports != nullptr)
    reports->refused_spawn(*this, wanted, parent, made.error());
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
    linked().spawn_options->set_limits(c, *mail);
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
    const spawn_option_functions* const row = linked().spawn_options;
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
  c->type = wanted.recipe.type;
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
      (!plain && !linked().spawn_options->give_parts(*this, *c, wanted.options))) {
    unmake(*c);
    return std::unexpected{spawn_error::no_memory};
  }
  if (wanted.options.name.empty()) return c;
  const name_functions* const names = linked().names;
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

}  // namespace tactor::inline v0::internal
