// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/system/system_config.hpp"

#include "each_request.hpp"

#include <atomic>
#include <cstddef>

namespace tactor::faults {

/// A system with few threads and timers, that logs nothing.
inline system_config settings() {
  return {.workers = 2,
          .scheduler = {.system_quota = 100},
          .dispatchers = {.blocking_threads = 1},
          .log = {.sink = say_nothing}};
}

/// Records what became of the messages and close tasks.
struct ledger {
  std::atomic<int> alive = 0;
  std::atomic<int> accepted = 0;  // of those that were told
  std::atomic<int> handled = 0;   // of these
  std::size_t close_tasks = 0;
  std::atomic<bool> timed_out = false;
};

/// Tells a message that knows its ledger.
template <class Whom, class Message>
void tell(const Whom& whom, const Message& what) {
  if (whom.tell(what) == tell_result::ok) ++what.book->accepted;
}

/// Asks, and notes an answer that did not come in time.
template <class System, class Whom, class Message>
auto ask(System& system, const Whom& whom, const Message& message, ledger& book) {
  auto said = system.ask(whom, message, timeout).get();
  if (!said && said.error().kind == ask_failure::timed_out) book.timed_out = true;
  return said;
}

}  // namespace tactor::faults
