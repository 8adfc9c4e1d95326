// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_list.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/port/port.hpp"

#include <array>
#include <utility>

namespace tactor::inline v0::internal {

/// What one thread has counted: a worker, a foreign thread that sends, an interrupt that sends.
/// Counting is one `add`; nothing is shared until a hub reads.
///
/// Context: the counters are added to by their one thread and read by any.
struct alignas(port::cache_line) worker_counters : intrusive_list_node<worker_counters> {
  port::counter messages_sent;     // of users, in turns, to actors that lived
  port::counter messages_handled;  // of users
  port::counter system_messages_handled;
  port::counter turns;   // an actor was given the thread
  port::counter yields;  // of these, ended with messages left
  port::counter actors_started;
  port::counter actors_stopped;
  port::counter failures;
  port::counter restarts;
  port::counter suspensions;
  port::counter resumes;
  port::counter dead_letters_suppressed;                 // of the dead letters, those counted only
  std::array<port::counter, drop_reasons> dead_letters;  // by reason

  /// One more message that nobody handled.
  void count_dead_letter(drop_reason why) noexcept { dead_letters[std::to_underlying(why)].add(1); }
};

}  // namespace tactor::inline v0::internal
