// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/answer_waiter.hpp"

#include "tactor/core/actor/cell/system_services.hpp"
#include "tactor/core/actor/cell/thread_record.hpp"
#include "tactor/core/actor/runtime/runtime_memory.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/system/loop/cooperative_loop.hpp"
#include "tactor/host/os/futex.hpp"
#include "tactor/host/os/steady_clock.hpp"

#include <sched.h>

#include <optional>

namespace tactor::inline v0::internal {
namespace {

constinit answer_waiter the_waiter;

/// Sleeps until the wait word is set, or `until_ns`. Returns: whether it is set.
bool sleep_until_woken(const reply_slot& asked, std::optional<std::uint64_t> until_ns) noexcept {
  while (!asked.woken()) {
    const futex_result slept = futex_wait(asked.wait_word(), 0, until_ns);
    if (slept == futex_result::timed_out) return asked.woken();
    if (slept == futex_result::failed) {
      if (until_ns && the_waiter.time_ns() >= *until_ns) return asked.woken();
      ::sched_yield();
    }
  }
  return true;
}

/// Names the actor in the log, and ends the program.
[[noreturn]] void fail_in_a_handler() noexcept {
  const thread_record& here = this_thread();
  if (here.sender.what() == origin::kind::actor)
    here.services->log(*program_memory.cells.at(here.sender.index()), log_level::error,
                       "this actor waited for an answer in a handler");
  port::panic(panics::loop_within_loop);
}

}  // namespace

answer_waiter& answer_waiter::of_program() noexcept {
  return the_waiter;
}

bool answer_waiter::run_until_answered(reply_slot& asked, std::uint64_t until_ns) {
  if (this_thread().services != nullptr) fail_in_a_handler();
  while (!asked.answered()) {
    if (!asked.prepare_wait()) continue;
    if (sleep_until_woken(asked, until_ns)) continue;
    // Timed out; an answer may be arriving at this moment.
    if (!asked.cancel_wait()) (void)sleep_until_woken(asked, std::nullopt);
    return asked.answered();
  }
  return true;
}

std::uint64_t answer_waiter::time_ns() noexcept {
  return monotonic_ns();
}

void answer_waiter::register_ready(ready_cell& asked) noexcept {
  futex_wake(reply_slot::wake(asked));
}

}  // namespace tactor::inline v0::internal
