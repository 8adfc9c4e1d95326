// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/cell/actor_type.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/supervision/supervision.hpp"

#include <cstdint>
#include <string_view>

namespace tactor::inline v0 {

struct middleware_chain;

/// Which threads run an actor.
enum class dispatcher : std::uint8_t {
  pool,      // the workers of the system: for handlers that do not block
  pinned,    // a thread of its own, which ends with it
  blocking,  // threads for handlers that block: on files, locks, other programs
};

/// Options of an actor besides the arguments of its constructor.
///
///     ctx.spawn<worker>({.name = "worker", .mailbox = {.capacity = 100}}, 42);
struct spawn_options {
  /// For logs and for `find`. Unique among its siblings; empty: logs show a number.
  std::string_view name = {};
  mailbox_options mailbox = {};
  tactor::dispatcher dispatcher = tactor::dispatcher::pool;
  /// The strategy for its failures: by default it stops.
  supervision on_failure = {};
  /// Called before and after each message; outlives the actor. Null: none.
  const middleware_chain* middleware = nullptr;
  /// Of the actors that are ready, those with the highest priority run first, before any other: see
  /// `bare::system_size::priorities`. Other systems have one priority, 0.
  std::uint8_t priority = 0;
};

/// Why an actor could not be spawned.
enum class spawn_error : std::uint8_t {
  stopping,       // the system or the parent takes no new actors
  name_taken,     // by a sibling
  name_invalid,   // a name has at most 255 characters and no '/'
  zero_capacity,  // a mailbox holds at least one message
  capacity_too_large,
  capacity_missing,         // an overflow strategy other than `reject` needs one
  pressure_above_capacity,  // it would never be reached
  mailbox_invalid,          // an enumerator in `mailbox` does not exist
  priority_too_high,        // the system has fewer priorities
  no_dispatcher,            // this system has only its pool, or there is no thread left
  strategy_invalid,         // a delay, limit or enumerator in `on_failure` makes no sense
  too_many_actors,          // as many as `max_actors` allows
  refused,                  // by a `spawn_middleware`
  no_memory,
};

/// Says in one sentence what happened and what to do.
[[nodiscard]] constexpr const char* to_text(spawn_error why) noexcept {
  switch (why) {
  case spawn_error::stopping:
    return "the system or the parent is stopping: spawn earlier";
  case spawn_error::name_taken:
    return "a sibling has that name: choose another name";
  case spawn_error::name_invalid:
    return "the name is invalid: use at most 255 characters and no '/'";
  case spawn_error::zero_capacity:
    return "mailbox.capacity must be at least 1";
  case spawn_error::capacity_too_large:
    return "mailbox.capacity must be at most 268435455, or unbounded";
  case spawn_error::capacity_missing:
    return "mailbox.overflow has no effect on an unbounded mailbox: set mailbox.capacity";
  case spawn_error::pressure_above_capacity:
    return "mailbox.pressure_at must be at most mailbox.capacity and 268435455";
  case spawn_error::mailbox_invalid:
    return "mailbox.overflow and mailbox.order must be enumerators of their types";
  case spawn_error::priority_too_high:
    return "priority must be 0, or less than the priorities of a bare::system";
  case spawn_error::no_dispatcher:
    return "this system has no such dispatcher, or no thread for it: use dispatcher::pool, or set "
           "dispatchers.all_on_pool to run all actors on the pool";
  case spawn_error::strategy_invalid:
    return "on_failure is invalid: restart.within must be longer than zero, its delays not "
           "negative, max not less than min, jitter_percent at most 100, and its directive and "
           "scope enumerators";
  case spawn_error::too_many_actors:
    return "max_actors is reached: raise it, or stop actors";
  case spawn_error::refused:
    return "a spawn middleware of the system refused it: see its rules";
  case spawn_error::no_memory:
    return "no memory for another actor: stop actors, or provide more memory";
  }
  return "";
}

namespace internal {

/// The default options, and a name.
[[nodiscard]] inline spawn_options named(std::string_view name) noexcept {
  return {.name = name};
}

/// The arguments of a spawn.
struct spawn_request {
  const actor_recipe& recipe;
  void* arguments;  // moved from
  const spawn_options& options;
  /// If the name is taken: add a suffix, or fail.
  enum class taken_name : bool { gets_a_suffix, is_an_error } if_taken;
  bool unlisted =
      false;  // the runtime's: not counted, no refusal is reported; ends by itself, soon
};

}  // namespace internal
}  // namespace tactor::inline v0
