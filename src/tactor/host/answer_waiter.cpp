// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/answer_waiter.hpp"

#include "tactor/core/cell/system_services.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/cooperative_loop.hpp"
#include "tactor/host/os/steady_clock.hpp"
#include "tactor/host/os/wait_on_word.hpp"

#include <thread>

namespace tactor::inline v0::internal {
namespace {

constinit answer_waiter the_waiter;

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

bool answer_waiter::run_until_answered(thread_ask& asked, std::uint64_t until_ns) {
  const thread_record& here = this_thread();
  if (here.services != nullptr && !here.may_block) fail_in_a_handler();
  while (const auto seen = asked.prepare_sleep()) {
    const wait_result slept = wait_on_word(asked.word(), *seen, until_ns);
    if (slept == wait_result::timed_out) break;
    if (slept == wait_result::failed) {
      if (time_ns() >= until_ns) break;
      std::this_thread::yield();
    }
  }
  return asked.answered();
}

std::uint64_t answer_waiter::time_ns() noexcept {
  return monotonic_ns();
}

}  // namespace tactor::inline v0::internal
