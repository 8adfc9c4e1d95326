// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace tactor::inline v0::internal {

class cell;
class system_services;
struct thread_record;

/// Everything that a turn works with: the system, the thread that runs the turn, and the actor.
/// A value, which is passed on. Context: that thread, during the turn.
struct turn_context {
  system_services& system;
  thread_record& thread;
  cell& actor;
};

}  // namespace tactor::inline v0::internal
